"""Cores whose queue has a closed form; means of replications lie within four standard errors."""

import math
import statistics

import numpy as np
import pytest

from tailc.forms.ladder.table import Ladder
from tailc.models import streams
from tailc.models.core_types.model import CoreTypes
from tailc.models.core_types.outcome import CoreTypesOutcome
from tailc.models.workload import Workload
from tests.reference.closed_forms import mmk_latency_quantile, mmk_mean_wait
from tests.tailc.models.core_types.servers import MS, PPM, cores, row

REPLICATIONS, REQUESTS, WARM_UP, MOST = 12, 40_000, 4_000, 20_000
MEAN_MS = 10


def replications(
    policy: Ladder, rate_rps: float, seed: int | None = None
) -> list[CoreTypesOutcome]:
    outcomes = []
    for number in range(REPLICATIONS):
        rng = np.random.default_rng(number)
        work_ns = np.maximum(np.rint(rng.exponential(MEAN_MS, REQUESTS) * MS), 1)
        load = Workload(
            work_ns.astype(np.int64),
            np.ones(REQUESTS, np.int64),
            np.zeros(REQUESTS, np.int32),
            np.array([[rung.speed_ppm / PPM for rung in policy.rungs]]),
        )
        arrival_ns = np.empty(REQUESTS, np.int64)
        rate_mrps = round(rate_rps * 1000)
        streams.poisson_arrivals(streams.stream(7, number), rate_mrps, arrival_ns)
        engine = CoreTypes("x", (policy,), random_seed=seed).engine(rate_mrps, MOST)
        outcomes.append(engine.replay(load, np.arange(REQUESTS), arrival_ns, WARM_UP))
    return outcomes


def assert_near(values: list[float], theory: float) -> None:
    standard_error = statistics.stdev(values) / math.sqrt(len(values))
    got = statistics.fmean(values)
    assert abs(got - theory) <= 4 * standard_error, (got, theory, standard_error)
    assert standard_error < 0.02 * theory, "too noisy to say anything"


def mean_wait_ms(outcome: CoreTypesOutcome) -> float:
    return float(outcome.wait_ns[outcome.measured].mean()) / MS


def test_one_core_is_mm1():
    outcomes = replications(cores([1], row((0, 0))), 60)
    slack = 1 / 10 - 60 / 1000
    latencies = [o.latency_ns[o.measured] / MS for o in outcomes]
    assert_near([float(ms.mean()) for ms in latencies], 1 / slack)
    assert_near([float(np.quantile(ms, 0.99)) for ms in latencies], math.log(100) / slack)
    assert_near([o.utilization for o in outcomes], 0.6)


@pytest.mark.parametrize("random_seed", [None, 3])
def test_types_that_are_equal_are_mmk(random_seed):
    """Whichever core is taken, at random or the last type first.

    Then older requests have to come up first, at their ticks; the finer those are the nearer.
    """
    policy = cores([2, 1, 2], row((0, 2)), speeds=(1, 1, 1), powers=(2, 2, 2), quantum_us=1)
    outcomes = replications(policy, 0.7 * 5 / MEAN_MS * 1000, random_seed)
    assert_near([mean_wait_ms(o) for o in outcomes], mmk_mean_wait(5, 0.7, MEAN_MS))
    p95 = [float(np.quantile(o.latency_ns[o.measured], 0.95)) / MS for o in outcomes]
    assert_near(p95, mmk_latency_quantile(5, 0.7, MEAN_MS, 0.95))


def test_energy_and_power_agree_by_little_s_law():
    policy = cores([3, 1], row((0, 0), (15, 1)), idle=0.25)
    rate_rps = 200
    outcomes = replications(policy, rate_rps)
    # power = rate of requests times the energy of one, but for those at either end
    ratios = [o.mean_power / (o.mean_energy / 1e9 * rate_rps) for o in outcomes]
    assert_near(ratios, 1)
    idle = [o.mean_idle_power / (o.mean_idle_energy / 1e9 * rate_rps) for o in outcomes]
    assert_near(idle, 1)


def test_two_types_that_start_fast_are_the_chain_of_two_unequal_servers():
    """M/M/2 with rates 2 and 1, the fast one first, the slow one's request moving when it frees.

    Moves happen at ticks; a fine quantum makes it the birth-death chain of a server that always
    has its fastest core at work: departures at rate 2 mu of one, 3 mu of two or more (Gumbel,
    Operations Research 1960, with preemption).
    """
    policy = cores([1, 1], row((0, 1)), quantum_us=10)
    outcomes = replications(policy, 200)
    # lambda 0.2 / ms, mu 0.1: p1 = p0 * 1, then each 2/3 of the one before
    x = 0.2 / 0.3
    p0 = 1 / (1 + 1 / (1 - x))
    in_system = p0 / (1 - x) ** 2
    assert_near([o.mean_in_system for o in outcomes], in_system)
