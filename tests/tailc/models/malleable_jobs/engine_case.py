"""Helpers of test_engine.py that other tests use too."""

import numpy as np

from tailc.models.datacentre.supply import Supply
from tailc.models.malleable_jobs.cluster import Cluster
from tailc.models.malleable_jobs.engine import replay_malleable
from tailc.models.malleable_jobs.jobs import MalleableJob
from tests.tailc.models.datacentre.sites import Known

FOUR = Cluster(4, 30_000, 1_000, 10, 900)
# Ten minutes on one server.
CURVE = {1: 1_000_000, 2: 1_800_000, 4: 3_000_000}


def job(number=1, submit_s=0, requested=1, slowdown_ppm=1_100_000, work_s=600) -> MalleableJob:
    return MalleableJob(number, submit_s, work_s, requested, slowdown_ppm, {2 * requested: CURVE})


def supply(servers) -> Supply:
    """Green power for so many busy servers of four, in each epoch."""
    green = np.array([4_000 + 29_000 * count for count in servers], np.int64)
    return Supply(green, np.full(len(green), 105_500), np.full(len(green), 200_000))


def run(servers, jobs, allocator, cluster=FOUR):
    return replay_malleable(cluster, supply(servers), Known(supply(servers)), jobs, allocator)
