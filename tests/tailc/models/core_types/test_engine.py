"""Requests on whole cores by hand; times in ms, speeds 1, 2, 4 and powers 1, 6, 20 by type."""

import dataclasses

import numpy as np
import pytest

from tailc.errors import TailcError
from tailc.forms.ladder.table import ON_EXIT, Climb, Row
from tailc.models.core_types.arrays import core_table
from tailc.models.core_types.outcome import CoreTypesOutcome
from tests.tailc.models.core_types.servers import (
    FROM_ARRIVAL,
    MAKING_ROOM,
    MS,
    cores,
    latency_ms,
    levels,
    row,
    run,
    wait_ms,
)


def energy(outcome: CoreTypesOutcome) -> list[float]:
    return (outcome.energy.of_request / MS).tolist()


def test_a_lone_request_climbs_at_its_threshold():
    outcome = run(cores([1, 1], row((0, 0), (109, 1))), [0], [291])
    # the closed form of Haque et al., MICRO 2017, eq. 2 to 4: 109 ms slow, 182 ms of work fast
    assert latency_ms(outcome) == [109 + (291 - 109) / 2]
    assert energy(outcome) == [109 * 1 + 91 * 6]


def test_a_lone_request_climbs_type_by_type():
    outcome = run(cores([1, 1, 1], row((0, 0), (10, 1), (20, 2))), [5], [100])
    # 10 ms of work, then 20, then 70 at four times the speed
    assert latency_ms(outcome) == [20 + 70 / 4]
    assert energy(outcome) == [10 * 1 + 10 * 6 + 17.5 * 20]
    assert outcome.rung.tolist() == [2]


def test_a_climb_waits_for_the_tick():
    outcome = run(cores([1, 1], row((0, 0), (10.2, 1))), [0], [100])
    assert latency_ms(outcome) == [11 + 89 / 2]


def test_a_move_takes_time_at_the_power_of_where_it_goes():
    outcome = run(cores([1, 1], row((0, 0), (10, 1)), move_us=500), [0], [100])
    assert latency_ms(outcome) == [10 + 0.5 + 90 / 2]
    assert energy(outcome) == [10 * 1 + 45.5 * 6]


def test_a_start_is_no_move():
    outcome = run(cores([1, 1], row((0, 1)), move_us=500), [0], [100])
    assert latency_ms(outcome) == [50]


def test_where_no_faster_core_is_free_a_request_stays_and_tries_again():
    outcome = run(cores([2, 1], row((0, 0), (10, 1))), [0, 0.5], [30, 30])
    # the first leaves the fast core at 20 ms, the second has its tick at 20.5 ms
    assert latency_ms(outcome) == [20, 20 + 10 / 2]


def test_the_oldest_leaves_early_where_a_new_one_finds_no_slow_core():
    outcome = run(cores([1, 1], row((0, 0), (50, 1))), [0, 3.4], [20, 20])
    # at its tick at 4 ms the first sees two in the system and one slow core
    assert wait_ms(outcome) == pytest.approx([0, 0.6])
    assert latency_ms(outcome) == pytest.approx([4 + 16 / 2, 0.6 + 20])


def test_a_core_may_not_be_left_early_without_the_rule():
    policy = cores([1, 1], row((0, 0), (50, 1)), rules=FROM_ARRIVAL)
    outcome = run(policy, [0, 3.4], [20, 20])
    assert latency_ms(outcome) == pytest.approx([20, 16.6 + 20])


def test_room_is_made_by_a_chain_over_three_types():
    policy = cores([1, 1, 1], row((0, 0), (10, 1), (1000, 2)))
    outcome = run(policy, [0, 10.2, 12.5], [100, 100, 100])
    # 1 is on type 2 from 10 ms, 2 on type 1 from 10.2; 3 waits from 12.5. At 13 ms the first moves
    # to type 3 (three in the system, two cores up to type 2), at 13.2 ms the second to type 2.
    assert wait_ms(outcome) == pytest.approx([0, 0, 0.7])
    assert latency_ms(outcome)[0] == 13 + (100 - 10 - 3 * 2) / 4
    assert outcome.rung.tolist()[0] == 2


def test_waiters_that_are_too_many_start_on_faster_cores_at_once():
    policy = cores([1, 8], row((0, 0), (100, 1)))
    outcome = run(policy, [0] * 9, [50] * 9)
    # nine in the system and one slow core: the eight oldest are lines 10 to 13 of algorithm 1
    assert wait_ms(outcome) == [0] * 9
    assert latency_ms(outcome) == [25] * 8 + [50]


def test_waiters_that_are_too_many_have_the_fastest_cores_of_three_types():
    outcome = run(cores([1, 1, 2], row((0, 0))), [0] * 4, [8] * 4)
    assert wait_ms(outcome) == [0] * 4
    assert latency_ms(outcome)[:2] == [2, 2]
    assert outcome.rung.tolist()[:2] == [2, 2]


def test_waiters_that_are_too_many_wait_without_the_rule():
    policy = cores([1, 8], row((0, 0), (100, 1)), rules=FROM_ARRIVAL)
    assert wait_ms(run(policy, [0, 0, 0], [50] * 3)) == [0, 50, 100]


def test_only_as_many_leave_early_as_there_are_too_many():
    outcome = run(cores([3, 2], row((0, 0), (900, 1))), [0, 0, 0, 5], [50, 50, 50, 50])
    # four in the system, three slow cores: one of the three goes
    assert outcome.rung.tolist() == [1, 0, 0, 0]
    assert outcome.latency_ns[1] == outcome.latency_ns[2] == 50 * MS


def test_thresholds_of_zero_start_on_the_fastest_free_core():
    outcome = run(cores([2, 1, 1], row((0, 2))), [0, 0, 0, 0, 0], [40] * 5)
    # type 3, type 2, then two slow ones; the last waits for the first exit at 10 ms. At that
    # instant's ticks the second takes type 3, the third type 2, and the fifth the slow core left.
    assert wait_ms(outcome) == [0, 0, 0, 0, 10]
    # 2 exits at 15 ms, where 3 takes type 3, and 4, with 15 done, type 2; so again at 20 ms, where
    # 5 takes type 2 with 10 ms done; it gets type 3 at its tick at 24 ms with 18 done
    assert latency_ms(outcome) == [10, 10 + 20 / 4, 15 + 20 / 4, 20 + 15 / 4, 24 + 22 / 4]


def test_a_first_threshold_of_zero_starts_on_the_second_type():
    outcome = run(cores([1, 1, 1], row((0, 1), (20, 2))), [0], [100])
    assert latency_ms(outcome) == [20 + 60 / 4]


def test_a_young_request_leaves_the_fast_core_to_older_ones_that_want_it():
    # ages differ by arrival alone; both want the fast core when the first two leave it at 20 ms
    outcome = run(cores([3, 1], row((0, 0), (5, 1))), [0, 0, 0], [35, 30, 30])
    # 1 has it from 5 to 20 ms; then 2, with 10 ms of work left, until 25 ms; then 3
    assert latency_ms(outcome) == [5 + 15, 20 + 5, 25 + 2.5]


def test_ages_count_from_the_start_without_the_rule():
    rules = tuple(rule for rule in MAKING_ROOM if rule.value != "age-from-arrival")
    policy = cores([1], row((0, 0)), rules=rules)
    two = cores([1, 1], row((0, 0), (10, 1)), rules=rules)
    assert latency_ms(run(policy, [0, 0], [10, 10])) == [10, 20]
    # the second waits until the first makes room at 1 ms, and climbs at its age of 10 ms
    outcome = run(two, [0, 0.5], [11, 50])
    assert latency_ms(outcome) == [1 + 5, 0.5 + 10 + 40 / 2]


def test_a_waiter_starts_at_the_very_age_at_which_it_wants_a_free_core():
    policy = cores([1, 2], row((0, 0), (7.3, 1)), rules=FROM_ARRIVAL, quantum_us=100_000)
    # the first would climb at its tick at 100 ms only, and there is a core for both
    assert wait_ms(run(policy, [0, 1], [50, 20])) == [0, 7.3]
    # the last fast core is kept for the older one
    policy = cores([1, 1], row((0, 0), (7.3, 1)), rules=FROM_ARRIVAL, quantum_us=100_000)
    assert wait_ms(run(policy, [0, 1], [50, 20])) == [0, 49]


def test_levels_of_one_core_are_climbed_in_place():
    policy = levels(1, row((0, 0), (10, 1)), speeds=(1, 2), move_us=90)
    outcome = run(policy, [0, 0], [20, 20])
    first = 10 + 0.09 + 10 / 2
    assert latency_ms(outcome)[0] == pytest.approx(first)
    # the second, older than 10 ms when it starts, has the fast level at once
    assert latency_ms(outcome)[1] == pytest.approx(first + 10)
    assert energy(outcome) == pytest.approx([10 + 5.09 * 8, 10 * 8])


def test_rows_are_read_again_as_the_number_in_the_system_changes():
    policy = cores([2, 2], row((0, 0), last=1), row((0, 1), first=2))
    policy = dataclasses.replace(policy, rules=policy.rules)
    outcome = run(policy, [0, 5.5], [20, 20])
    assert latency_ms(outcome) == [6 + 14 / 2, 10]


def test_a_request_is_cut_off_after_its_execution():
    outcome = run(cores([1], row((0, 0))), [0, 0], [50, 10], cut_off_us=20_000)
    assert latency_ms(outcome) == [20, 30]
    assert outcome.is_cut.tolist() == [True, False]


def test_a_cut_off_at_the_last_instant_of_work_cuts_nothing():
    outcome = run(cores([1], row((0, 0))), [0], [20], cut_off_us=20_000)
    assert outcome.is_cut.tolist() == [False]


def test_each_request_climbs_its_own_ladder():
    slow, fast = (cores([2, 2], row((0, rung)), rules=FROM_ARRIVAL) for rung in (0, 1))
    outcome = run([slow, fast], [0, 0], [20, 20], ladder_of=[1, 0])
    assert latency_ms(outcome) == [10, 20]


def test_speeds_may_be_a_request_s_own():
    outcome = run(cores([1, 1], row((0, 0), (10, 1))), [0], [100], speed=(1.0, 1.5))
    assert latency_ms(outcome) == [70]


def test_free_cores_draw_power():
    policy = cores([2, 1], row((0, 0)), idle=0.5)
    outcome = run(policy, [0, 40], [20, 1])
    # up to the second arrival: one slow core of two for 20 ms of 40, and the fast one is free
    assert outcome.utilization_by_pool == (0.25, 0)
    assert outcome.mean_power == 0.5
    assert outcome.mean_idle_power == (3 - 0.5) * 0.5
    assert outcome.mean_idle_energy / MS == 1.25 * 40 / 2
    assert outcome.mean_energy / MS == (20 + 1) / 2


def test_an_overloaded_server_is_given_up():
    outcome = run(cores([1], row((0, 0))), [0, 1, 2, 3, 4], [100] * 5, most=4)
    assert outcome.arrived == 4
    assert latency_ms(outcome)[:4] == [3, 2, 1, 0]
    assert wait_ms(outcome)[:4] == [0, 2, 1, 0]
    assert energy(outcome)[:4] == [3, 0, 0, 0]


def test_requests_that_wait_for_more_than_a_core_are_refused():
    policy = cores([1, 1], Row(0, None, ON_EXIT, (Climb(0, 0),)))
    with pytest.raises(TailcError, match="more than a free core"):
        core_table((policy,), 1000, 10)


def test_work_beyond_what_can_be_counted_is_refused():
    with pytest.raises(TailcError, match="9,000 s"):
        run(cores([1], row((0, 0))), [0], [9_000_001])


def test_ladders_of_different_power_share_no_server():
    policy = cores([1, 1], row((0, 0)))
    other = cores([1, 1], row((0, 0)), idle=1)
    with pytest.raises(TailcError, match="different power"):
        core_table((policy, other), 1000, 10)


def test_integrals_tell_requests_and_cores_over_time():
    outcome = run(cores([1, 1], row((0, 0), (10, 1))), [0, 20], [30, 1])
    # up to 20 ms: 10 on each type
    assert outcome.mean_in_system == 1
    assert np.allclose(outcome.mean_threads_by_pool, (0.5, 0.5))


def test_fast_cores_that_are_always_held_are_no_full_server():
    # the fast core is busy throughout, and three slow ones are free
    outcome = run(cores([3, 1], row((0, 1))), [0, 50], [200, 1])
    assert outcome.utilization_by_pool == (0, 1)
    assert outcome.utilization == 0.25
