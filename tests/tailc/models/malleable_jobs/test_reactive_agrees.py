"""The reactive allocator of the replay against a plain twin, written apart from it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tailc_solvers.green.parallel.problem import Shape

from tailc.models.datacentre.supply import Supply
from tailc.models.malleable_jobs.allocator import ClusterView
from tailc.models.malleable_jobs.baselines.reactive import LOOK_AHEAD_S, ReactiveAllocator
from tailc.models.malleable_jobs.cluster import Cluster
from tailc.models.malleable_jobs.jobs import MalleableJob, UnfinishedJob
from tests.reference.jobs_at_present import ActiveJob
from tests.reference.reactive_plain import reactive

COUNTS = (1, 2, 4, 8)
# So much that no job is done within the time that is looked ahead.
WORK_S = 10**6


@st.composite
def jobs(draw):
    """(speed-ups in thousandths by count, requested servers, slowdown, time run, mean speed-up)."""
    gains = [draw(st.integers(0, 900)) for _ in COUNTS[1:]]
    speeds = np.cumsum([1_000, *(g * (n // 2) for g, n in zip(gains, COUNTS[1:], strict=True))])
    return (
        speeds.tolist(),
        draw(st.sampled_from(COUNTS)),
        draw(st.sampled_from([1_000, 1_100, 1_500])),
        draw(st.integers(1, 5_000)),
        draw(st.integers(500, 4_000)),
    )


@given(st.lists(jobs(), min_size=1, max_size=5), st.integers(0, 60))
@settings(max_examples=200)
def test_both_give_the_same_servers(listed, green_servers):
    cluster = Cluster(60, 30_000, 0, 0, 900)
    supply = Supply(*(np.array([value]) for value in (green_servers * 30_000, 0, 0)))
    active, present = [], []
    for number, (speeds, requested, slowdown, ran_s, mean) in enumerate(listed):
        curve = {n: speed * 1_000 for n, speed in zip(COUNTS, speeds, strict=True)}
        job = MalleableJob(number, 0, WORK_S, requested, slowdown * 1_000, {8: curve})
        active.append(UnfinishedJob(job, 8, 1, 0, mean * 1_000 * ran_s, ran_s))
        shape = Shape.from_counts(8, COUNTS, speeds)
        asked = speeds[COUNTS.index(requested)]
        present.append(
            ActiveJob(shape, requested, asked, slowdown, mean * 1_000 * ran_s, 0, ran_s * 1_000)
        )
    ours = ReactiveAllocator().allocate(ClusterView(cluster, 0, supply, tuple(active))).servers
    theirs = reactive(
        present, green_servers=green_servers, servers=60, while_ms=LOOK_AHEAD_S * 1_000
    )
    assert [ours[number] for number in range(len(listed))] == theirs
