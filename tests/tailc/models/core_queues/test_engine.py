"""What a core with a clock does, by hand."""

import numpy as np
import pytest

from tailc.errors import TailcError
from tailc.forms.controller import Actuator, Controller, GainRow
from tailc.forms.tail_table import Batch, Sleep
from tailc.models.core_queues.arrays import MOST_CORES
from tailc.models.core_queues.clocks import FixedLevel
from tailc.models.integrals import FIRST_HALF, SECOND_HALF, WARM_UP
from tailc.models.steering import OpenLoop
from tests.tailc.models.core_queues.servers import GHZ, MS, PPM, US, clocks, replayed, tail_table

# Whatever it holds, a core needs no hurry; it holds three requests at most.
SLOW = tail_table((0, 0, 0, 0))
FAST = clocks(SLOW, FixedLevel(1))


def test_compute_takes_its_cycles_over_the_frequency_and_memory_time_stays():
    work_ns, memory_ns = [100 * US], [30 * US]
    slow = replayed(clocks(SLOW), [0], work_ns, memory_ns)
    fast = replayed(FAST, [0], work_ns, memory_ns)
    assert slow.latency_ns.tolist() == [100 * US]
    assert fast.latency_ns.tolist() == [35 * US + 30 * US]


def test_a_request_that_only_waits_for_memory_is_as_long_at_any_frequency():
    for at in (clocks(SLOW), FAST):
        assert replayed(at, [0], [50 * US], [50 * US]).latency_ns.tolist() == [50 * US]


def test_the_reference_clock_says_what_a_demand_is_in_cycles():
    # 240,000 cycles at 1 GHz
    at = clocks(SLOW, reference_khz=2_400_000)
    assert replayed(at, [0], [100 * US]).latency_ns.tolist() == [240 * US]


def test_an_end_between_two_nanoseconds_is_rounded_up():
    at = clocks(tail_table((0, 0), ghz=(3,), power_mw=(1,)))
    assert replayed(at, [0], [100]).latency_ns.tolist() == [34]
    assert replayed(at, [0], [99]).latency_ns.tolist() == [33]


def test_energy_is_the_power_of_the_level_times_the_time_at_it():
    outcome = replayed(FAST, [0], [100 * US])
    # 4 W for 50 us
    assert outcome.energy.of_request.tolist() == [4 * 50 * US]
    assert outcome.mean_energy == 200 * US


def test_requests_of_a_core_run_one_at_a_time_in_order_of_arrival():
    outcome = replayed(clocks(SLOW), [0, 10 * US, 20 * US], [50 * US, 30 * US, 40 * US])
    assert outcome.wait_ns.tolist() == [0, 40 * US, 60 * US]
    assert outcome.latency_ns.tolist() == [50 * US, 70 * US, 100 * US]


def test_an_arrival_speeds_up_what_runs():
    # two requests in the queue need 1.2 GHz: 120,000 cycles in 100 us
    table = tail_table((0, 0, 120_000), bound_us=100)
    outcome = replayed(clocks(table), [0, 40 * US], [100 * US, 60 * US])
    # 40 of 100 us are done at 1 GHz, and 60 at 2 GHz; then it is alone, at 1 GHz
    assert outcome.latency_ns.tolist() == [70 * US, 30 * US + 60 * US]
    assert outcome.rung.tolist() == [1, 0]
    assert outcome.energy.of_request.tolist() == [40 * US + 4 * 30 * US, 60 * US]
    assert outcome.levels.level_ns.sum(axis=0).tolist() == [100 * US, 30 * US]


def test_progress_of_compute_and_memory_is_in_proportion():
    table = tail_table((0, 0, 120_000), bound_us=100)
    outcome = replayed(clocks(table), [0, 40 * US], [100 * US, 1 * US], [50 * US, 0])
    # 40 % is done; of the rest 30 us are compute, at twice the speed, and 30 us memory time
    assert int(outcome.latency_ns[0]) == 40 * US + 15 * US + 30 * US


def test_elapsed_work_chooses_the_row():
    # from 40,000 cycles on, 120,000 cycles are left for 109 us: 2 GHz
    table = tail_table((0, 0, 0), (40_000, 120_000, 120_000), bound_us=150)
    before = replayed(clocks(table), [0, 39 * US], [100 * US, 1 * US])
    after = replayed(clocks(table), [0, 41 * US], [100 * US, 1 * US])
    assert int(before.latency_ns[0]) == 100 * US
    # 59 us are left at twice the speed
    assert int(after.latency_ns[0]) == 41 * US + 29_500


def test_elapsed_work_is_known_to_a_millionth_of_the_request():
    # from 500,001 cycles on, there is no time to lose
    table = tail_table((0, 0, 0), (500_001, 10**9, 10**9), bound_us=10_000)
    before, after = (
        replayed(clocks(table), [0, at_ns], [1 * MS, 1]) for at_ns in (500_000, 500_002)
    )
    assert int(before.latency_ns[0]) == 1 * MS
    assert int(after.latency_ns[0]) == 500_002 + 249_999


def test_elapsed_memory_time_chooses_its_row():
    table = tail_table((0, 0, 1), memory_ns=((0, 0, 0), (20 * US, 0, 100 * US)), bound_us=100)
    arrivals, work = [0, 50 * US], [100 * US, 1 * US]
    before = replayed(clocks(table), arrivals, work, [39 * US, 0])
    after = replayed(clocks(table), arrivals, work, [40 * US, 0])
    assert before.rung[0] == 0
    # no time is left for the second: the highest level
    assert after.rung[0] == 1


def test_a_queue_beyond_the_table_runs_at_the_highest_level():
    table = tail_table((0, 0, 0))
    held = replayed(clocks(table), [0, 10 * US, 20 * US], [100 * US, 1 * US, 1 * US])
    assert int(held.latency_ns[0]) == 20 * US + 40 * US


def test_a_late_request_runs_at_the_highest_level():
    table = tail_table((0, 1, 1), bound_us=100)
    outcome = replayed(clocks(table), [0, 10 * US], [100 * US, 50 * US])
    # at 100 us the second has 10 us left: 1 cycle needs no hurry
    assert outcome.rung.tolist() == [0, 0]
    late = replayed(clocks(table), [0, 10 * US, 120 * US], [150 * US, 40 * US, 1])
    # at 120 us the first is late; at its end the second is
    assert late.latency_ns.tolist()[:2] == [135 * US, 125 * US + 20 * US]


def test_a_request_whose_time_is_up_this_instant_is_late():
    table = tail_table((0, 0, 0), bound_us=100)
    outcome = replayed(clocks(table), [0, 100 * US], [200 * US, 1])
    assert int(outcome.latency_ns[0]) == 150 * US
    in_time = replayed(clocks(table), [0, 100 * US - 1], [200 * US, 1])
    assert int(in_time.latency_ns[0]) == 200 * US


def test_a_sleeping_core_wakes_at_the_power_of_its_level():
    table = tail_table((0, 0), sleep=Sleep(200, 20 * US))
    outcome = replayed(clocks(table), [0, 500 * US], [100 * US, 100 * US])
    assert outcome.wait_ns.tolist() == [20 * US, 20 * US]
    assert outcome.latency_ns.tolist() == [120 * US, 120 * US]
    assert outcome.energy.of_request.tolist() == [120 * US, 120 * US]
    # 380 us of sleep between them, of 500 in which arrivals were measured
    assert outcome.mean_idle_power == pytest.approx(0.2 * 380 / 500)


def test_a_core_with_batch_work_is_awake_and_serves_at_once():
    batch = Batch(2 * GHZ, GHZ, 700)
    table = tail_table((0, 0), sleep=Sleep(200, 20 * US), batch=batch)
    outcome = replayed(clocks(table), [0, 500 * US], [100 * US, 100 * US])
    assert outcome.wait_ns.tolist() == [0, 0]
    # requests run at 2 GHz at least
    assert outcome.latency_ns.tolist() == [50 * US, 50 * US]
    assert outcome.mean_idle_power == pytest.approx(0.7 * 450 / 500)


def test_an_exit_comes_before_an_arrival_of_the_same_instant():
    outcome = replayed(clocks(tail_table((0, 0), sleep=Sleep(0, 7))), [0, 107], [100, 100])
    assert outcome.wait_ns.tolist() == [7, 7]


def test_cores_have_a_queue_each_and_equal_arrivals_are_dealt_alike():
    table = tail_table((0, *[0] * 50), cores=2)
    arrivals = list(range(0, 50 * US, US))
    first, again = (replayed(clocks(table), arrivals, [40 * US] * 50) for _ in range(2))
    assert first.latency_ns.tolist() == again.latency_ns.tolist()
    # the first of each core waits for nobody
    assert sorted(first.wait_ns.tolist())[:3] == [0, 0, first.wait_ns[first.wait_ns > 0].min()]
    assert first.mean_threads <= 2


def test_the_bound_is_scaled_by_the_output():
    # one cycle short of 1 GHz at the whole bound
    table = tail_table((0, 100_000), bound_us=100)
    given = OpenLoop(np.array([PPM, PPM // 2]), 1, 1, 950_000)
    outcome = replayed(clocks(table), [0, 200 * US], [100 * US] * 2, steering=given)
    assert outcome.rung.tolist() == [0, 1]
    assert outcome.steps.output_ppm.tolist() == [PPM // 2, PPM // 2]


def test_a_controller_stretches_the_bound_until_the_tail_is_on_target():
    law = Controller(
        Actuator.LATENCY_BOUND,
        950_000,
        100,
        10,
        20,
        PPM,
        0,
        2 * PPM,
        32,
        (GainRow(0, 0, 2**22, 0),),
    )
    # 90,000 cycles are always 90,000 left: frequency is 90,000 cycles over the bound
    table = tail_table(
        (0, 90_000), bound_us=60, ghz=tuple(0.5 + i / 100 for i in range(200)),
        power_mw=tuple(range(200)),
    )  # fmt: skip
    arrivals = [i * 200 * US for i in range(3_000)]
    outcome = replayed(clocks(table), arrivals, [90 * US] * 3_000, steering=law)
    assert int(outcome.latency_ns[0]) == pytest.approx(60 * US, rel=0.01)
    assert int(outcome.latency_ns[-1]) == pytest.approx(100 * US, rel=0.01)
    assert int(outcome.steps.output_ppm[-1]) == pytest.approx(100 / 60 * PPM, rel=0.01)


def test_time_and_energy_belong_to_the_phase_they_were_spent_in():
    # warm-up until 100 us, the first half until 200 us, the second until 300 us
    outcome = replayed(
        clocks(SLOW, FixedLevel(0)), [0, 100 * US, 200 * US, 300 * US], [1 * MS] * 4,
        measured_from=1,
    )  # fmt: skip
    level_ns = outcome.levels.level_ns
    assert level_ns[[WARM_UP, FIRST_HALF, SECOND_HALF], 0].tolist() == [100 * US] * 3
    assert outcome.energy.drawn[[WARM_UP, FIRST_HALF, SECOND_HALF]].tolist() == [100 * US] * 3
    assert level_ns.sum() == 4 * MS


def test_a_server_that_fills_up_is_given_up():
    outcome = replayed(
        clocks(tail_table((0, *[0] * 9)), FixedLevel(0)), [0, 10, 20, 30, 40], [100] * 5, most=3
    )
    assert outcome.was_cut_off
    assert outcome.arrived == 3
    assert outcome.latency_ns.tolist() == [20, 10, 0, 0, 0]
    assert outcome.wait_ns.tolist() == [0, 10, 0, 0, 0]
    assert outcome.energy.of_request.tolist() == [20, 0, 0, 0, 0]


def test_a_slow_core_is_not_a_saturated_one():
    arrivals = [i * 100 * US for i in range(100)]
    slow = replayed(clocks(tail_table((0, 0, 0))), arrivals, [100 * US] * 100)
    assert slow.utilization == pytest.approx(1)
    assert slow.saturation == 0
    fixed = replayed(clocks(SLOW, FixedLevel(0)), arrivals, [100 * US] * 100)
    assert fixed.saturation == pytest.approx(1)


def test_more_cores_than_can_be_replayed_are_refused():
    with pytest.raises(TailcError, match="4,097 cores cannot be replayed"):
        replayed(clocks(tail_table((0, 0), cores=MOST_CORES + 1)), [0], [1])
