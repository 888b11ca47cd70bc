"""Cores whose queue has a closed form; means of replications lie within four standard errors."""

import math
import statistics
from collections.abc import Callable

import numpy as np
import pytest

from tailc.forms.tail_table import Sleep
from tailc.models import streams
from tailc.models.core_queues.clocks import Clocks, FixedLevel
from tailc.models.core_queues.outcome import CoreQueuesOutcome
from tests.reference.closed_forms import mmk_latency_quantile
from tests.tailc.models.core_queues.servers import MS, clocks, replayed, tail_table

REPLICATIONS, REQUESTS, WARM_UP, MOST = 12, 40_000, 4_000, 20_000
HALF_SPEED = clocks(tail_table((0, 0), ghz=(0.5, 1)), FixedLevel(0))


def exponential(rng: np.random.Generator) -> np.ndarray:
    return rng.exponential(5, REQUESTS)


def replications(
    at: Clocks,
    rate_rps: float,
    work_ms: Callable[[np.random.Generator], np.ndarray],
    memory_share: float = 0,
) -> list[CoreQueuesOutcome]:
    outcomes = []
    for number in range(REPLICATIONS):
        work_ns = np.maximum(np.rint(work_ms(np.random.default_rng(number)) * MS), 1)
        arrival_ns = np.empty(REQUESTS, np.int64)
        streams.poisson_arrivals(streams.stream(7, number), round(rate_rps * 1000), arrival_ns)
        memory_ns = np.floor(work_ns * memory_share).astype(np.int64)
        outcome = replayed(
            at, arrival_ns, work_ns.astype(np.int64), memory_ns, measured_from=WARM_UP, most=MOST
        )
        outcomes.append(outcome)
    return outcomes


def assert_near(values: list[float], theory: float) -> None:
    standard_error = statistics.stdev(values) / math.sqrt(len(values))
    got = statistics.fmean(values)
    assert abs(got - theory) <= 4 * standard_error, (got, theory, standard_error)
    assert standard_error < 0.02 * theory, "too noisy to say anything"


def mean_wait_ms(outcome: CoreQueuesOutcome) -> float:
    return float(outcome.wait_ns[outcome.measured].mean()) / MS


def test_one_core_at_one_frequency_is_mm1():
    # 5 ms at the reference clock are 10 ms at half of it
    outcomes = replications(HALF_SPEED, 60, exponential)
    latencies = [o.latency_ns[o.measured] / MS for o in outcomes]
    assert_near([float(ms.mean()) for ms in latencies], 1 / (1 / 10 - 60 / 1000))
    tail_ms = mmk_latency_quantile(1, 0.6, 10, 0.95)
    assert_near([float(np.quantile(ms, 0.95)) for ms in latencies], tail_ms)
    assert_near([o.utilization for o in outcomes], 0.6)


def test_equal_demands_wait_as_in_md1():
    outcomes = replications(HALF_SPEED, 70, lambda _: np.full(REQUESTS, 5.0))
    assert_near([mean_wait_ms(o) for o in outcomes], 0.7 * 10 / (2 * (1 - 0.7)))


def test_memory_time_is_not_stretched():
    # of 5 ms, 2 ms are memory time and 3 ms compute, which takes 6: 8 ms in all
    outcomes = replications(HALF_SPEED, 75, exponential, memory_share=0.4)
    assert_near([mean_wait_ms(o) for o in outcomes], 0.6 * 8 / (1 - 0.6))


def test_requests_that_are_dealt_to_cores_meet_as_many_mm1_queues():
    table = tail_table((0, 0), ghz=(0.5, 1), cores=4)
    outcomes = replications(clocks(table, FixedLevel(0)), 240, exponential)
    assert_near([mean_wait_ms(o) for o in outcomes], 0.6 * 10 / (1 - 0.6))


def test_energy_is_that_of_the_service_time_whatever_the_load():
    low, high = (replications(HALF_SPEED, rate, exponential) for rate in (10, 80))
    for outcomes in (low, high):
        assert_near([o.mean_energy / MS for o in outcomes], 10 * 1.0)


def test_waking_delays_each_request_that_finds_a_core_asleep():
    """M/D/1 with a set-up time D of the first of a busy period (Welch, 1964): W = W(M/D/1) +
    (2 D + rate D^2) / (2 (1 + rate D)).
    """
    wake_ms, rate = 3, 0.06
    table = tail_table((0, 0), ghz=(0.5, 1), sleep=Sleep(0, wake_ms * MS))
    outcomes = replications(clocks(table, FixedLevel(0)), 60, lambda _: np.full(REQUESTS, 5.0))
    without = 0.6 * 10 / (2 * (1 - 0.6))
    set_up = (2 * wake_ms + rate * wake_ms**2) / (2 * (1 + rate * wake_ms))
    assert_near([mean_wait_ms(o) for o in outcomes], without + set_up)


@pytest.mark.parametrize("level", [0, 1])
def test_a_table_that_never_or_always_hurries_is_one_frequency(level):
    cycles = 0 if level == 0 else 10**9
    table = tail_table((0, *[cycles] * 60), ghz=(0.5, 1), bound_us=10**6)
    by_table = replications(clocks(table), 60, exponential)[0]
    fixed = replications(clocks(table, FixedLevel(level)), 60, exponential)[0]
    assert by_table.latency_ns.tolist() == fixed.latency_ns.tolist()
