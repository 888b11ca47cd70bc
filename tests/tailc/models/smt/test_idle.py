"""Idle periods by length: by hand, and on the queue whose idle periods are exponential."""

import math

import numpy as np
import pytest

from tailc.forms.ladder.lanes import Lanes, lane_ladder, plan_at_any_load
from tailc.models import streams
from tailc.models.smt.idle import EDGES_US, IdlePeriods, idle_times, idle_use
from tailc.models.smt.model import Smt
from tailc.models.smt.outcome import SmtOutcome
from tailc.models.workload import Workload

US, MS, PPM = 1_000, 1_000_000, 1_000_000


def alone(
    arrival_ns: list[int] | np.ndarray, work_ns: list[int] | np.ndarray, cores=1
) -> SmtOutcome:
    ladder = lane_ladder(Lanes(cores, 0, 0), plan_at_any_load(0, cores))
    count = len(work_ns)
    speeds = np.ones((1, 2))
    load = Workload(np.array(work_ns), np.ones(count, np.int64), np.zeros(count, np.int32), speeds)
    engine = Smt("x", (ladder,)).engine(1, 100_000)
    return engine.replay(load, np.arange(count), np.array(arrival_ns), 0)


def test_a_period_counts_where_its_length_is_in_and_with_its_length():
    # Idle for 15 us, for 16 us, for nothing, and for 9 us.
    outcome = alone([15 * US, 32 * US, 33 * US, 43 * US], [US, 2 * US, US, US])
    assert outcome.idle_periods_ns.tolist() == [15 * US, 16 * US, 8 * US]
    found = idle_use(0.25, [idle_times(outcome)])
    assert found.share_ppm == 250_000
    assert found.periods == (
        IdlePeriods(10, round(PPM * 8 / 39), round(PPM / 3)),
        IdlePeriods(15, round(PPM * 15 / 39), round(PPM / 3)),
        IdlePeriods(20, round(PPM * 16 / 39), round(PPM / 3)),
    )


def test_periods_beyond_the_last_edge_have_none():
    outcome = alone([EDGES_US[-1] * US + 1], [US])
    assert idle_use(1.0, [idle_times(outcome)]).periods == (IdlePeriods(None, PPM, PPM),)


def test_of_several_free_cores_the_one_that_was_held_last_is_idle_no_longer():
    arrival_ns = [0, 0, 10 * US, 20 * US]
    outcome = alone(arrival_ns, [US, 2 * US, 12 * US, US], cores=2)
    # The second core from 2 us to 10 us, and the first from 1 us to 20 us.
    assert outcome.idle_periods_ns.tolist() == [8 * US, 19 * US]


def test_a_core_that_is_never_free_has_no_period():
    assert idle_use(0.0, [idle_times(alone([0, 0], [US, US]))]).periods == ()


def test_idle_periods_of_poisson_arrivals_at_one_core_are_exponential_with_their_rate():
    # M/G/1, whatever the demand: 1 - exp(-L x) of the periods are no longer than x, and have
    # 1 - (1 + L x) exp(-L x) of the idle time. The paper tells of 53 % of it up to 15 ms.
    rate_rps, count = 120.0, 200_000
    arrival_ns = np.empty(count, np.int64)
    streams.poisson_arrivals(streams.stream(3, 1), round(rate_rps * 1000), arrival_ns)
    work_ns = np.where(np.arange(count) % 4 == 0, 16 * MS, 3 * MS)
    outcome = alone(arrival_ns, work_ns)
    found = idle_use(1 - (outcome.utilization), [idle_times(outcome)])
    # 75,000 periods: a share is known to about 0.2 points.
    mean_work = 0.25 * 16 + 0.75 * 3
    assert found.share_ppm == pytest.approx((1 - rate_rps / 1000 * mean_work) * PPM, abs=8_000)
    time_ppm = count_ppm = 0
    for part in found.periods:
        assert part.up_to_us is not None
        time_ppm += part.time_ppm
        count_ppm += part.count_ppm
        length = part.up_to_us / 1e6 * rate_rps
        assert count_ppm == pytest.approx((1 - math.exp(-length)) * PPM, abs=6_000)
        assert time_ppm == pytest.approx((1 - (1 + length) * math.exp(-length)) * PPM, abs=10_000)
