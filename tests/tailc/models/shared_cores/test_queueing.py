"""The replay of queues whose means and percentiles have closed forms.

Each estimate is a mean over independent replications; it must lie within four standard errors of
the theory (the seeds are fixed, so a test that passes once passes always).
"""

import math
import statistics

import numpy as np
import pytest

from tailc.forms.ladder.table import ON_EXIT, Climb, Ladder, Row
from tailc.models import streams
from tailc.models.outcome import Outcome
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import Workload
from tests.tailc.models.shared_cores.servers import MS, at_once, ladder

REPLICATIONS = 12
REQUESTS = 40_000
WARM_UP = 4_000
MOST = 20_000


def first_come_first_served(cores: int) -> Ladder:
    """One thread a request; the next starts when one of `cores` exits."""
    return ladder(
        at_once((0, 0), last=cores),
        Row(cores + 1, None, ON_EXIT, (Climb(0, 0),)),
        cores=cores,
        rungs=1,
    )


def processor_sharing(cores: int) -> Ladder:
    return ladder(at_once((0, 0)), cores=cores, rungs=1)


def replications(policy: Ladder, rate_rps: float, draw_ms) -> list[Outcome]:
    outcomes = []
    for number in range(REPLICATIONS):
        rng = np.random.default_rng(number)
        work_ns = np.maximum(np.rint(draw_ms(rng, REQUESTS) * MS), 1).astype(np.int64)
        load = Workload(
            work_ns, np.ones(REQUESTS, np.int64), np.zeros(REQUESTS, np.int32), np.ones((1, 1))
        )
        arrival_ns = np.empty(REQUESTS, np.int64)
        rate_mrps = round(rate_rps * 1000)
        streams.poisson_arrivals(streams.stream(7, number), rate_mrps, arrival_ns)
        engine = SharedCores("x", (policy,)).engine(rate_mrps, MOST)
        outcomes.append(engine.replay(load, np.arange(REQUESTS), arrival_ns, WARM_UP))
    return outcomes


def assert_near(values: list[float], theory: float) -> None:
    standard_error = statistics.stdev(values) / math.sqrt(len(values))
    got = statistics.fmean(values)
    assert abs(got - theory) <= 4 * standard_error, (got, theory, standard_error)
    assert standard_error < 0.02 * theory, "too noisy to say anything"


def latencies_ms(outcome: Outcome) -> np.ndarray:
    return outcome.latency_ns[outcome.measured] / MS


def exponential(mean_ms: float):
    return lambda rng, size: rng.exponential(mean_ms, size)


def test_mm1_latency_is_exponential():
    outcomes = replications(first_come_first_served(1), 60, exponential(10))
    rate_per_ms = 1 / 10 - 60 / 1000
    assert_near([latencies_ms(o).mean() for o in outcomes], 1 / rate_per_ms)
    p99 = [float(np.quantile(latencies_ms(o), 0.99)) for o in outcomes]
    assert_near(p99, math.log(100) / rate_per_ms)


def test_mm1_utilization_and_number_in_system():
    outcomes = replications(first_come_first_served(1), 60, exponential(10))
    assert_near([o.utilization for o in outcomes], 0.6)
    assert_near([o.mean_in_system for o in outcomes], 0.6 / 0.4)


@pytest.mark.parametrize("cores", [2, 5])
def test_mmk_waits_as_erlang_c_says(cores):
    offered = 0.8 * cores
    outcomes = replications(first_come_first_served(cores), 100 * offered, exponential(10))
    below = sum(offered**k / math.factorial(k) for k in range(cores))
    full = offered**cores / math.factorial(cores) / (1 - 0.8)
    wait_ms = full / (below + full) * 10 / (cores - offered)
    assert_near([float(o.wait_ns[o.measured].mean()) / MS for o in outcomes], wait_ms)


def test_md1_waits_half_as_long_as_mm1():
    outcomes = replications(first_come_first_served(1), 70, lambda _rng, size: np.full(size, 10.0))
    assert_near(
        [float(o.wait_ns[o.measured].mean()) / MS for o in outcomes], 0.7 * 10 / 2 / (1 - 0.7)
    )


@pytest.mark.parametrize("shape", [0.5, 1, 4])
def test_processor_sharing_has_a_mean_that_only_the_mean_demand_decides(shape):
    outcomes = replications(
        processor_sharing(1), 60, lambda rng, size: rng.gamma(shape, 10 / shape, size)
    )
    assert_near([latencies_ms(o).mean() for o in outcomes], 10 / (1 - 0.6))


def test_processor_sharing_on_several_cores_holds_as_many_as_mmk():
    # M/M/k under processor sharing has the number in system of M/M/k (same birth-death chain)
    outcomes = replications(processor_sharing(3), 240, exponential(10))
    below = sum(2.4**k / math.factorial(k) for k in range(3))
    full = 2.4**3 / 6 / 0.2
    waiting = full / (below + full) * 0.8 / 0.2
    assert_near([o.mean_in_system for o in outcomes], 2.4 + waiting)
