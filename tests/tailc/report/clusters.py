"""A replay on a small cluster, for pictures."""

from __future__ import annotations

import numpy as np

from tailc.models.datacentre.supply import Supply
from tailc.models.malleable_jobs.baselines.constant import ConstantAllocator
from tailc.models.malleable_jobs.cluster import Cluster
from tailc.models.malleable_jobs.engine import replay_malleable
from tailc.models.malleable_jobs.jobs import MalleableJob
from tailc.models.malleable_jobs.outcome import ClusterOutcome
from tests.tailc.models.datacentre.sites import Known

# Of servers of 30 W, and of 1 W without a job.
FOUR = Cluster(4, 30_000, 1_000, 10, 900)
CURVE = {2: 1_800_000, 4: 3_000_000}


def two_jobs(green_mw: int) -> ClusterOutcome:
    """Ten minutes of work on two servers take 334 s, and then as much on four 200 s; one epoch."""
    jobs = [
        MalleableJob(number, 0, 600, asked, 1_100_000, {2 * asked: CURVE})
        for number, asked in ((1, 2), (2, 4))
    ]
    came = Supply(np.array([green_mw]), np.array([0]), np.array([0]))
    return replay_malleable(FOUR, came, Known(came), jobs, ConstantAllocator())
