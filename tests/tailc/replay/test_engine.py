"""The compiled replay against the plain one, exactly, and against hand calculation."""

import random
from fractions import Fraction

import numpy as np
import pytest

from tailc.forms.ladder.table import ON_EXIT, Admission, Climb, Ladder, Row
from tailc.replay.lowered import lower
from tailc.replay.outcome import Outcome, replay
from tailc.replay.workload import Workload
from tests.reference.replay_plain import Request, replay_plain
from tests.tailc.replay.servers import MS, PPM, at_once, ladder, random_ladder


def run(
    policy: Ladder,
    arrivals_ms: list[float],
    work_ms: list[float],
    speed: tuple[float, ...] = (1, 2, 3, 4),
    most: int = 64,
) -> Outcome:
    count = len(work_ms)
    load = Workload(
        np.array([round(w * MS) for w in work_ms]),
        np.ones(count, np.int64),
        np.zeros(count, np.int32),
        np.array([speed[: len(policy.rungs)]], dtype=float),
    )
    arrival_ns = np.array([round(a * MS) for a in arrivals_ms])
    return replay(load, np.arange(count), arrival_ns, lower((policy,), 1000, most), most)


def latency_ms(outcome: Outcome) -> list[float]:
    return [float(ns / MS) for ns in outcome.latency_ns]


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
    policy = ladder(Row(0, None, Admission.after(8000), (Climb(0, 0),)))
    outcome = run(policy, [1], [10])
    assert (outcome.wait_ns[0], outcome.latency_ns[0]) == (8 * MS, 18 * MS)


def test_a_waiter_reads_the_row_of_the_current_load():
    # two in the system: wait 100 ms; one in the system: at once
    policy = ladder(at_once((0, 0), last=1), Row(2, None, Admission.after(100_000), (Climb(0, 0),)))
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
        Row(2, 2, Admission.after(500_000), (Climb(0, 0),)),
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


def blocks(in_every_run: int, when_fuzzing: int) -> list:
    """Seeds of thirty random servers each."""
    more = range(in_every_run, when_fuzzing)
    return [*range(in_every_run), *(pytest.param(n, marks=pytest.mark.fuzz) for n in more)]


def both(policy: Ladder, arrival_ns: list[int], work_ns: list[int], speeds: list[list[Fraction]]):
    """Latencies [ns], final rungs, starts by the engine and by the plain replay."""
    count = len(work_ns)
    load = Workload(
        np.array(work_ns),
        np.ones(count, np.int64),
        np.arange(count, dtype=np.int32),
        np.array([[float(s) for s in curve] for curve in speeds]),
    )
    order = np.arange(count)
    fast = replay(load, order, np.array(arrival_ns), lower((policy,), 1, 999), 999)
    slow = replay_plain(
        policy,
        0,
        [
            Request(i, a, w, s)
            for i, (a, w, s) in enumerate(zip(arrival_ns, work_ns, speeds, strict=True))
        ],
    )
    return fast, slow


@pytest.mark.parametrize("block", blocks(in_every_run=10, when_fuzzing=100))
def test_the_engine_does_what_the_plain_replay_does(block):
    rng = random.Random(block)
    for _ in range(30):
        policy = random_ladder(rng)
        count = rng.randint(1, 25)
        arrivals = sorted(rng.randint(0, 300 * MS) for _ in range(count))
        work = [rng.randint(1, 60 * MS) for _ in range(count)]
        speeds = [
            sorted(Fraction(rng.randint(500, 4000), 1000) for _ in policy.rungs)
            for _ in range(count)
        ]
        fast, slow = both(policy, arrivals, work, speeds)
        # The engine rounds in binary where the plain replay is exact: an instant may move by 1 ns,
        # and what follows from it.
        exits = [r.exit_ns - r.arrival_ns for r in slow]
        assert np.abs(fast.latency_ns - exits).max() <= 3, policy
        assert np.abs(fast.wait_ns - [r.start_ns - r.arrival_ns for r in slow]).max() <= 3
        assert fast.rung.tolist() == [r.rung for r in slow]
        assert np.allclose(fast.thread_ns, [r.thread_ppm_ns / PPM for r in slow], atol=20)


@pytest.mark.parametrize("block", blocks(in_every_run=5, when_fuzzing=100))
def test_they_agree_when_everything_happens_at_once(block):
    """Times in whole milliseconds and speeds that are powers of two: instants coincide."""
    rng = random.Random(1000 + block)
    for _ in range(30):
        policy = random_ladder(rng)
        count = rng.randint(1, 20)
        arrivals = sorted(rng.randint(0, 40) * MS for _ in range(count))
        work = [rng.randint(1, 30) * MS for _ in range(count)]
        speeds = [[Fraction(2**i) for i in range(len(policy.rungs))] for _ in range(count)]
        fast, slow = both(policy, arrivals, work, speeds)
        exits = [r.exit_ns - r.arrival_ns for r in slow]
        assert np.abs(fast.latency_ns - exits).max() <= 3, policy
