"""The compiled replay against hand calculation, and against the plain one."""

import dataclasses
import random

import pytest

from tailc.forms.ladder.table import ON_EXIT, Admission, Climb, CostUnit, Ladder, Row, Rule, Rung
from tailc.models.shared_cores.outcome import SharedCoresOutcome
from tests.tailc.models.shared_cores.engine_case import (
    assert_alike,
    blocks,
    both,
    latency_ms,
    random_requests,
    requests_at_once,
    run,
)
from tests.tailc.models.shared_cores.servers import (
    MS,
    PPM,
    RandomServer,
    at_once,
    ladder,
    random_ladder,
    random_server,
    relieved_server,
)


def test_a_lone_request_takes_its_work_over_its_speed():
    assert latency_ms(run(ladder(at_once((0, 1))), [3], [50])) == [25]


def test_a_request_climbs_at_the_first_tick_at_or_after_the_age():
    # rung 1 from 12 ms is taken at 15 ms: 15 ms of work are done, 35 ms are left at speed 2
    assert latency_ms(run(ladder(at_once((0, 0), (12, 1))), [0], [50])) == [15 + 35 / 2]
    # an age on a tick is taken there
    assert latency_ms(run(ladder(at_once((0, 0), (10, 1))), [0], [50])) == [10 + 40 / 2]


def test_ticks_count_from_each_request_s_own_start():
    outcome = run(ladder(at_once((0, 0), (5, 1))), [0, 3], [50, 50])
    assert latency_ms(outcome) == [5 + 45 / 2] * 2


def test_a_request_that_ends_on_a_tick_does_not_climb():
    outcome = run(ladder(at_once((0, 0), (5, 1))), [0], [5])
    assert outcome.rung[0] == 0


def test_an_arrival_changes_the_rung_of_a_running_request_at_its_next_tick():
    # alone: stay on the first rung; with two in the system: the second rung at once
    policy = ladder(at_once((0, 0), last=1), at_once((0, 1), first=2))
    # arrival at 7 ms; the tick is at 10 ms, 40 ms of work are left then
    outcome = run(policy, [0, 7], [50, 1000])
    assert latency_ms(outcome)[0] == 10 + 40 / 2


def test_a_request_never_descends():
    policy = ladder(at_once((0, 1), last=1), at_once((0, 0), first=2))
    assert latency_ms(run(policy, [0, 10], [100, 1000]))[0] == 50


def test_a_request_that_may_descend_falls_at_its_first_tick_under_the_lower_row():
    policy = ladder(at_once((0, 1), last=1), at_once((0, 0), first=2))
    policy = dataclasses.replace(policy, rules=(Rule.REREAD_ROW,))
    # 24 ms of work in 12 ms, and 6 more up to the tick at 15 ms; then one a ms
    assert latency_ms(run(policy, [0, 12], [100, 1000]))[0] == 15 + 70
    # and back up once it is alone: the other has left at 30 ms, on a tick
    assert latency_ms(run(policy, [0, 12], [100, 18]))[0] == 15 + 15 + 55 / 2


def test_a_request_that_falls_is_boosted_no_longer():
    # alone on one core a request climbs to two threads and is boosted
    rows = at_once((0, 0), (5, 1), last=1), at_once((0, 0), first=2)
    policy = ladder(*rows, cores=1, rungs=2, boost=3)
    policy = dataclasses.replace(policy, rules=(Rule.BOOST_LAST_RUNG, Rule.REREAD_ROW))
    # it leaves nothing to the other up to its tick at 10 ms; then each has half of the core
    assert latency_ms(run(policy, [0, 7], [30, 30])) == [10 + 2 * 20, 10 + 2 * 20 + 10 - 7]


def test_threads_beyond_the_cores_share_them_equally():
    # three sequential requests on two cores: each runs at 2/3
    outcome = run(ladder(at_once((0, 0)), cores=2), [0, 0, 0], [20, 20, 20])
    assert latency_ms(outcome) == [30, 30, 30]
    assert outcome.thread_ns.tolist() == [30 * MS] * 3


def test_a_request_s_share_is_a_thread_s_share():
    # 3 threads and 1 thread on 2 cores: every thread has half a core
    policy = ladder(at_once((0, 2), last=1), at_once((0, 0), first=2), cores=2)
    outcome = run(policy, [0, 0.001], [30, 5])
    assert latency_ms(outcome)[1] == pytest.approx(10)


def test_a_delayed_request_starts_when_its_delay_has_passed():
    policy = ladder(Row(0, None, Admission.after_delay(8000), (Climb(0, 0),)))
    outcome = run(policy, [1], [10])
    assert (outcome.wait_ns[0], outcome.latency_ns[0]) == (8 * MS, 18 * MS)


def test_a_waiter_reads_the_row_of_the_current_load():
    # two in the system: wait 100 ms; one in the system: at once
    policy = ladder(
        at_once((0, 0), last=1), Row(2, None, Admission.after_delay(100_000), (Climb(0, 0),))
    )
    outcome = run(policy, [0, 1], [30, 5])
    assert outcome.wait_ns[1] == 29 * MS


def test_waiters_on_exit_start_one_by_one_in_order():
    policy = ladder(at_once((0, 0), last=1), Row(2, None, ON_EXIT, (Climb(0, 0),)))
    outcome = run(policy, [0, 1, 2], [30, 5, 5])
    # the second starts at the exit at 30; one exit frees one; the third starts at 35
    assert [int(w) // MS for w in outcome.wait_ns] == [0, 29, 33]


def test_an_exit_frees_a_waiter_even_if_the_row_then_asks_for_a_delay():
    policy = ladder(
        at_once((0, 0), last=1),
        Row(2, 2, Admission.after_delay(500_000), (Climb(0, 0),)),
        Row(3, None, ON_EXIT, (Climb(0, 0),)),
    )
    outcome = run(policy, [0, 0, 0], [30, 5, 5])
    assert [int(w) // MS for w in outcome.wait_ns] == [0, 30, 35]


def test_a_waiter_on_exit_does_not_starve_when_nothing_runs():
    policy = ladder(Row(0, None, ON_EXIT, (Climb(0, 0),)))
    assert latency_ms(run(policy, [4], [10])) == [10]


def test_a_boosted_request_runs_in_full_while_others_share_the_rest():
    # 2 cores; the first climbs to the last rung (1 -> 2 threads... of 2 rungs) at 5 ms
    policy = ladder(at_once((0, 0), (5, 1)), cores=3, rungs=2, boost=3)
    outcome = run(policy, [0, 1, 1], [105, 95, 95], speed=(1, 2))
    # boosted total would be 2 < 3 for the first, 4 for the others: they share one core
    first = 5 + 100 / 2
    assert latency_ms(outcome)[0] == first


def test_boosting_is_strict():
    policy = ladder(at_once((0, 0), (5, 1)), cores=2, rungs=2, boost=2)
    unboosted = ladder(at_once((0, 0), (5, 1)), cores=2, rungs=2)
    args = ([0, 1], [100, 100], (1, 2))
    assert latency_ms(run(policy, *args)) == latency_ms(run(unboosted, *args))


def test_a_replay_of_an_overloaded_server_is_cut_off():
    outcome = run(ladder(at_once((0, 0)), cores=1), [float(i) for i in range(100)], [50] * 100)
    assert outcome.was_cut_off
    assert outcome.arrived == 64
    assert outcome.latency_ns[63] == 0
    assert outcome.latency_ns[62] == MS


def test_integrals_follow_the_requests():
    policy = ladder(at_once((0, 1)), cores=4)
    outcome = run(policy, [0, 10, 40], [40, 40, 2])
    # until the last arrival at 40: requests from 0 to 20 and 10 to 30, two threads each
    assert outcome.mean_in_system == pytest.approx(40 / 40)
    assert outcome.mean_threads == pytest.approx(80 / 40)
    assert outcome.utilization == pytest.approx(80 / 40 / 4)


def test_integrals_of_hours_are_those_of_seconds():
    # twelve threads are 1.2e7 millionths: over 12.8 minutes their time in ns leaves 64 bits
    hour_ms = 3_600_000
    policy = ladder(at_once((0, 0)), cores=12, rungs=1)
    twelve = dataclasses.replace(policy, rungs=(Rung("d12", PPM, (12 * PPM,)),))
    # alone for an hour, two side by side until the third hour is over: 12 threads, then 24 on 12
    outcome = run(twelve, [0, hour_ms, 3 * hour_ms], [2 * hour_ms, hour_ms, hour_ms], (1,))
    assert latency_ms(outcome) == [3 * hour_ms, 2 * hour_ms, hour_ms]
    assert outcome.mean_threads == pytest.approx((12 + 24 + 24) / 3)
    assert outcome.mean_in_system == pytest.approx((1 + 2 + 2) / 3)
    assert outcome.utilization == pytest.approx(1)
    assert outcome.mean_thread_ns == pytest.approx(12 * (3 + 2 + 1) / 3 * hour_ms * MS)


def wait_ms(outcome: SharedCoresOutcome) -> list[float]:
    return [float(ns / MS) for ns in outcome.wait_ns]


def test_each_request_climbs_the_ladder_of_its_own():
    short, long = ladder(at_once((0, 0))), ladder(at_once((0, 3)))
    outcome = run([short, long], [0, 0, 0], [20, 20, 20], ladder_of=[0, 1, 0])
    assert latency_ms(outcome) == [20, 5, 20]


def test_all_ladders_read_the_same_in_system():
    # with two in the system the second ladder waits, whatever the others climb
    first = ladder(at_once((0, 0)))
    second = ladder(
        at_once((0, 0), last=1), Row(2, None, Admission.after_delay(100_000), (Climb(0, 0),))
    )
    outcome = run([first, second], [0, 1], [30, 5], ladder_of=[0, 1])
    assert wait_ms(outcome) == [0, 29]


def test_requests_of_another_ladder_pass_those_that_wait():
    at_exit = ladder(at_once((0, 0), last=1), Row(2, None, ON_EXIT, (Climb(0, 0),)))
    outcome = run([at_exit, ladder(at_once((0, 0)))], [0, 1, 2], [30, 5, 5], ladder_of=[0, 0, 1])
    # the third starts at once and exits at 7 ms, which frees the second
    assert wait_ms(outcome) == [0, 6, 0]


def test_an_exit_releases_whoever_came_first_whatever_its_row_says():
    at_exit = ladder(at_once((0, 0), last=1), Row(2, None, ON_EXIT, (Climb(0, 0),)))
    slow = ladder(
        at_once((0, 0), last=1), Row(2, None, Admission.after_delay(500_000), (Climb(0, 0),))
    )
    outcome = run([at_exit, at_exit, slow], [0, 1, 2, 3], [30, 5, 5, 5], ladder_of=[0, 2, 1, 0])
    # at 30 ms the second, though its row has a delay; at 35 ms the third; at 40 ms the fourth
    assert wait_ms(outcome) == [0, 29, 33, 37]


def test_only_the_first_of_all_that_wait_for_an_exit_starts_when_nothing_runs():
    at_exit = ladder(Row(0, None, ON_EXIT, (Climb(0, 0),)))
    outcome = run([at_exit, at_exit], [0, 0], [10, 10], ladder_of=[1, 0])
    assert wait_ms(outcome) == [0, 10]


def test_a_row_that_is_not_read_again_holds_to_the_exit():
    rows = (at_once((0, 0), (20, 1), last=1), at_once((0, 1), first=2))
    keeping = dataclasses.replace(ladder(*rows), rules=())
    # alone at its start, the first stays sequential for 20 ms though another arrives at 7 ms
    outcome = run(keeping, [0, 7], [50, 50])
    assert latency_ms(outcome) == [20 + 30 / 2, 25]


def test_a_waiter_reads_the_row_again_even_where_runners_keep_theirs():
    rows = (at_once((0, 1), last=1), Row(2, None, ON_EXIT, (Climb(0, 0),)))
    outcome = run(dataclasses.replace(ladder(*rows), rules=()), [0, 1], [40, 40])
    assert latency_ms(outcome) == [20, 19 + 20]


def test_a_request_is_cut_off_after_its_execution_not_its_wait():
    policy = ladder(Row(0, None, Admission.after_delay(8000), (Climb(0, 0), Climb(10_000, 1))))
    outcome = run(policy, [0, 100], [100, 20], cut_off_us=15_000)
    assert latency_ms(outcome) == [8 + 15, 8 + 15]
    # 10 + 5 * 2 = 20 ms of work are done in 15 ms
    assert outcome.is_cut.tolist() == [True, False]


def test_a_cut_off_frees_a_waiter_as_any_exit_does():
    policy = ladder(at_once((0, 0), last=1), Row(2, None, ON_EXIT, (Climb(0, 0),)))
    outcome = run(policy, [0, 1, 2], [30, 30, 30], cut_off_us=10_000)
    assert wait_ms(outcome) == [0, 9, 18]


def test_a_request_that_starts_on_the_last_rung_is_boosted_where_that_is_asked_for():
    # three requests of 2 threads each on 3 cores: 2 < 3, so only the first is boosted
    policy = ladder(at_once((0, 1)), cores=3, rungs=2, boost=3)
    asked = run(policy, [0, 0, 0], [30, 30, 30], (1, 1), boosts_at_start=True)
    assert latency_ms(asked)[0] == 30
    # the 4 threads of the others share one core up to 30 ms, then three
    assert latency_ms(asked)[1] == pytest.approx(30 + (30 - 30 / 4) / (3 / 4))
    assert latency_ms(run(policy, [0, 0, 0], [30, 30, 30], (1, 1))) == [60, 60, 60]


def on_two_pools(*rows: Row, little: int, big: int) -> Ladder:
    """The first rung takes a little core, the second a big one."""
    units = (CostUnit("little", little * PPM), CostUnit("big", big * PPM))
    rungs = (Rung("little", PPM, (PPM, 0)), Rung("big", 2 * PPM, (0, PPM)))
    return dataclasses.replace(ladder(*rows, rungs=2), cost_units=units, rungs=rungs)


def test_requests_share_only_the_pool_of_their_rung():
    # two on one little core until they climb at 10 ms; then two on one big core, twice as fast
    policy = on_two_pools(at_once((0, 0), (10, 1)), little=1, big=1)
    outcome = run(policy, [0, 0], [15, 15], (1, 2))
    # 5 ms of work are done in 10 ms; then each works 1 ms a ms
    assert latency_ms(outcome) == [20, 20]
    # a third, 5 ms later, has the little core alone from 10 ms to its own climb at 15 ms
    outcome = run(policy, [0, 0, 5], [15, 15, 1 + 2 / 3 + 5], (1, 2))
    assert latency_ms(outcome)[2] == pytest.approx(10, abs=1e-5)


def test_utilization_is_known_for_each_pool():
    policy = on_two_pools(at_once((0, 0), (10, 1)), little=2, big=4)
    outcome = run(policy, [0, 20], [30, 1], (1, 2))
    # until the arrival at 20 ms: 10 ms on one of two little cores, 10 ms on one of four big ones
    assert outcome.utilization_by_pool == pytest.approx((10 / 20 / 2, 10 / 20 / 4))
    assert outcome.mean_threads_by_pool == pytest.approx((0.5, 0.5))
    assert outcome.utilization == pytest.approx(0.25)


def one_ladder(rng: random.Random) -> RandomServer:
    return RandomServer([random_ladder(rng)], None, False)


@pytest.mark.parametrize("requests_of", [random_requests, requests_at_once])
@pytest.mark.parametrize("server_of", [one_ladder, random_server, relieved_server])
@pytest.mark.parametrize("block", blocks(in_every_run=3, when_fuzzing=60))
def test_the_engine_does_what_the_plain_replay_does(block, server_of, requests_of):
    rng = random.Random(block)
    for _ in range(30):
        server = server_of(rng)
        assert_alike(*both(server, requests_of(rng, server)), server)
