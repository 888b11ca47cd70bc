"""The compiled replay against Ciw, a queueing simulator, on the same requests and on others."""

import numpy as np
import pytest
from scipy import stats

from tailc.forms.ladder.table import ON_EXIT, Climb, Ladder, Row
from tailc.models import streams
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import Workload
from tests.reference.replay_ciw import replay_ciw
from tests.tailc.models.shared_cores.servers import at_once, ladder

REPLAYS = 8
REQUESTS = 1_500
PERCENTILES = (0.5, 0.9, 0.99)


def server(cores: int, *, shares: bool) -> Ladder:
    if shares:
        return ladder(at_once((0, 0)), cores=cores, rungs=1)
    waiting = Row(cores + 1, None, ON_EXIT, (Climb(0, 0),))
    return ladder(at_once((0, 0), last=cores), waiting, cores=cores, rungs=1)


def requests(seed: int, cores: int) -> tuple[np.ndarray, np.ndarray]:
    """Arrivals [ns] that load the cores to 0.7, and skewed demands [ns] of 10 ms in the mean."""
    arrival_ns = np.empty(REQUESTS, np.int64)
    streams.poisson_arrivals(streams.stream(31, seed), 70_000 * cores, arrival_ns)
    work_ms = np.random.default_rng(seed).gamma(0.7, 10 / 0.7, REQUESTS)
    return arrival_ns, np.rint(work_ms * 1e6).astype(np.int64) + 1


def by_engine(policy: Ladder, arrival_ns: np.ndarray, work_ns: np.ndarray) -> np.ndarray:
    count = len(work_ns)
    load = Workload(work_ns, np.ones_like(work_ns), np.zeros(count, np.int32), np.ones((1, 1)))
    engine = SharedCores("x", (policy,)).engine(1, 5000)
    return engine.replay(load, np.arange(count), arrival_ns, 0).latency_ns


def by_ciw(arrival_ns: np.ndarray, work_ns: np.ndarray, cores: int, shares: bool) -> np.ndarray:
    return np.array(
        replay_ciw((arrival_ns / 1e6).tolist(), (work_ns / 1e6).tolist(), cores, shares=shares)
    )


@pytest.mark.parametrize("shares", [False, True], ids=["first come first served", "shared"])
@pytest.mark.parametrize("cores", [1, 3])
def test_each_request_takes_as_long(cores, shares):
    arrival_ns, work_ns = requests(1, cores)
    ours = by_engine(server(cores, shares=shares), arrival_ns, work_ns) / 1e6
    theirs = by_ciw(arrival_ns, work_ns, cores, shares)
    # Ciw adds up gaps in floating point, and the engine exits on whole nanoseconds
    assert np.abs(ours - theirs).max() < 1e-4


@pytest.mark.parametrize("shares", [False, True], ids=["first come first served", "shared"])
def test_percentiles_of_independent_replays_agree_within_their_joint_interval(shares):
    cores = 2
    ours, theirs = [], []
    for seed in range(REPLAYS):
        latency_ms = by_engine(server(cores, shares=shares), *requests(100 + seed, cores)) / 1e6
        ours.append(np.quantile(latency_ms, PERCENTILES))
        latency_ms = by_ciw(*requests(200 + seed, cores), cores, shares)
        theirs.append(np.quantile(latency_ms, PERCENTILES))
    # Welch's interval of the difference, at 99 % for all the percentiles together
    agree = stats.ttest_ind(ours, theirs, equal_var=False)
    assert (agree.pvalue > 0.01 / len(PERCENTILES)).all(), (np.mean(ours, 0), np.mean(theirs, 0))
