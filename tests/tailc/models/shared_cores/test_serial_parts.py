"""Requests with a serial beginning and end: by hand, against the plain replay, and alone."""

import random
from fractions import Fraction

import numpy as np
import pytest

from tailc.forms.ladder.table import Ladder
from tailc.models import streams
from tailc.models.shared_cores.model import SharedCores
from tailc.models.shared_cores.outcome import SharedCoresOutcome
from tailc.models.shared_cores.serial_parts import serial_parts
from tailc.models.workload import Workload
from tailc.traces.serial import Serial
from tests.reference.replay_plain import Request, replay_plain
from tests.tailc.models.shared_cores.servers import (
    MS,
    PPM,
    RandomServer,
    at_once,
    ladder,
    random_server,
    relieved_server,
    sharing_server,
)

MOST = 999
# 10 ms at the start and 5 ms at the end: the middle of 50 ms takes 25 ms on two threads.
TIMES = Serial(10_000, 0, 5_000, 0)
SPEED = (1, 1.25)


def workload(
    work_ms: list[float], serial: Serial | None, speed: tuple[float, ...] = SPEED
) -> Workload:
    count = len(work_ms)
    return Workload(
        np.array([round(work * MS) for work in work_ms]),
        np.ones(count, np.int64),
        np.zeros(count, np.int32),
        np.array([speed], dtype=float),
        serial=serial,
    )


def run(
    policy: Ladder,
    arrivals_ms: list[float],
    load: Workload,
    cut_off_us: int | None = None,
    boosts_at_start: bool = False,
) -> SharedCoresOutcome:
    engine = SharedCores("x", (policy,), boosts_at_start=boosts_at_start).engine(
        1000, MOST, cut_off_us
    )
    arrival_ns = np.array([round(arrival * MS) for arrival in arrivals_ms])
    return engine.replay(load, np.arange(len(arrivals_ms)), arrival_ns)


def latency_ms(outcome: SharedCoresOutcome) -> list[float]:
    return [float(ns / MS) for ns in outcome.latency_ns]


def lone(*climbs: tuple[int, int], serial: Serial = TIMES) -> SharedCoresOutcome:
    """A request of 50 ms alone, with so many rungs of one thread more each."""
    return run(ladder(at_once(*climbs), rungs=2), [3], workload([50], serial))


def test_a_lone_request_takes_its_work_over_its_speed_and_fewer_threads():
    outcome = lone((0, 1))
    assert latency_ms(outcome) == [40]
    assert outcome.thread_ns.tolist() == [(10 + 2 * 25 + 5) * MS]
    # shares of the demand are the same as times
    shares = lone((0, 1), serial=Serial(0, 200_000, 0, 100_000))
    assert shares.latency_ns.tolist() == outcome.latency_ns.tolist()
    assert shares.thread_ns.tolist() == outcome.thread_ns.tolist()


def test_a_climb_in_the_beginning_comes_early_enough():
    assert latency_ms(lone((0, 0), (10, 1))) == [40]


def test_a_climb_in_the_middle_shortens_what_is_left_of_it():
    # 10 ms of the middle are done at 20 ms, 25 are left
    outcome = lone((0, 0), (20, 1))
    assert latency_ms(outcome) == pytest.approx([20 + 25 * 25 / 35 + 5], abs=1e-5)
    assert outcome.thread_ns / MS == pytest.approx([20 + 2 * 25 * 25 / 35 + 5], abs=1e-5)


def test_a_climb_in_the_end_changes_nothing():
    outcome = lone((0, 0), (45, 1))
    assert latency_ms(outcome) == [50]
    assert outcome.thread_ns.tolist() == [50 * MS]
    assert outcome.rung.tolist() == [1]


def test_serial_parts_leave_a_core_to_others():
    # two cores; in the beginnings and ends both run in full, in the middles each thread has half
    policy = ladder(at_once((0, 1)), rungs=2, cores=2)
    outcome = run(policy, [0, 0], workload([50, 50], TIMES))
    assert latency_ms(outcome) == [10 + 2 * 25 + 5] * 2
    without = run(policy, [0, 0], workload([50, 50], None))
    assert latency_ms(without) == [2 * 40] * 2


def test_a_boosted_request_keeps_its_priority_in_the_end_and_uses_one_thread():
    # the first is boosted at its climb at 20 ms; the second has what is left of two cores
    policy = ladder(at_once((0, 0), (20, 1)), rungs=2, cores=2, boost=3)
    outcome = run(policy, [0, 19], workload([50, 50], TIMES))
    middle_ms = 25 * 25 / 35
    assert latency_ms(outcome)[0] == pytest.approx(20 + middle_ms + 5, abs=1e-5)
    # it has done 1 ms at 20 ms, and stops until the first is in its end, with one thread
    assert outcome.rung.tolist() == [1, 1]
    assert latency_ms(outcome)[1] > 50


def test_a_request_cut_off_loses_the_parts_that_have_not_begun():
    policy = ladder(at_once((0, 1)), rungs=2)
    outcome = run(policy, [0], workload([50], TIMES), cut_off_us=20_000)
    assert latency_ms(outcome) == [20]
    assert outcome.is_cut.tolist() == [True]


def test_with_one_thread_nothing_changes():
    # closed forms of one thread a request (M/G/1 and others) hold with serial parts too
    count = 3_000
    work_ms = np.random.default_rng(1).gamma(1.6, 10, count).tolist()
    arrival_ns = np.empty(count, np.int64)
    streams.poisson_arrivals(streams.stream(1), 100_000, arrival_ns)
    policy = ladder(at_once((0, 0)), rungs=2, cores=2)
    engine = SharedCores("x", (policy,)).engine(1000, MOST)
    order = np.arange(count)
    plain, parts = (
        engine.replay(workload(work_ms, serial), order, arrival_ns) for serial in (None, TIMES)
    )
    assert plain.arrived == count
    # each end of a part may be rounded up by a nanosecond, and delays those behind it
    assert np.abs(plain.latency_ns - parts.latency_ns).max() <= 1_000
    assert plain.utilization == pytest.approx(parts.utilization)


def test_parts_are_at_most_what_the_speed_ups_allow():
    threads_ppm = np.array([1, 2, 4]) * PPM
    work_ns = np.array([60, 60, 60, 60, 4], np.int64) * MS
    speed = np.array([[1, 1.5, 2], [1, 2, 3], [1, 1, 1], [1, 1.5, 4], [1, 1.5, 2]])
    start_ns, end_ns = serial_parts(Serial(10_000, 0, 0, 500_000), work_ns, speed, threads_ppm)
    # by Amdahl's law at most 20 ms on two threads, 20 ms on four; none where they are linear
    assert ((start_ns + end_ns) / MS).tolist() == pytest.approx([20, 0, 40, 0, 4 / 3], abs=1e-5)
    assert start_ns[0] * 3 == pytest.approx(end_ns[0], abs=3)
    # a request slower on more threads may be serial from one end to the other
    slow = serial_parts(Serial(80_000, 0, 0, 0), work_ns[2:3], speed[2:3], threads_ppm)
    assert slow.start_ns.tolist() == work_ns[2:3].tolist()


def test_the_whole_request_is_as_fast_as_its_speed_ups_say():
    rng = random.Random(2)
    for _ in range(50):
        speed = (1, *sorted(rng.uniform(1, 3) for _ in range(3)))
        serial = Serial(rng.randint(0, 9_000), rng.randint(1, 400_000), rng.randint(0, 9_000), 0)
        rung = rng.randrange(4)
        load = workload([rng.uniform(5, 90)], serial, speed)
        outcome = run(ladder(at_once((0, rung))), [0], load)
        parts = serial_parts(serial, load.work_ns, load.speed, (np.arange(4) + 1) * PPM)
        alone_ns = int(load.work_ns[0]) / speed[rung]
        if parts.start_ns[0] + parts.end_ns[0] < load.work_ns[0]:
            assert outcome.latency_ns[0] == pytest.approx(alone_ns, abs=3)
        middle_ns = alone_ns - parts.start_ns[0] - parts.end_ns[0]
        threads_ns = (rung + 1) * middle_ns + parts.start_ns[0] + parts.end_ns[0]
        assert outcome.thread_ns[0] == pytest.approx(threads_ns, abs=12)


def random_requests(rng: random.Random, server: RandomServer) -> list[Request]:
    rungs = len(server.ladders[0].rungs)
    arrivals = sorted(rng.randint(0, 300 * MS) for _ in range(rng.randint(1, 25)))
    return [
        Request(
            number,
            arrival_ns,
            rng.choice([rng.randint(1, 20), rng.randint(1, 60 * MS)]),
            [
                Fraction(1),
                *sorted(Fraction(rng.randint(900, 2500), 1000) for _ in range(rungs - 1)),
            ],
            rng.randrange(len(server.ladders)),
        )
        for number, arrival_ns in enumerate(arrivals)
    ]


def random_serial(rng: random.Random) -> Serial:
    start_us, end_us = (rng.choice([0, rng.randint(1, 30_000)]) for _ in range(2))
    return Serial(start_us, rng.choice([0, 150_000]), end_us, rng.choice([1, 250_000]))


@pytest.mark.parametrize("server_of", [random_server, relieved_server, sharing_server])
@pytest.mark.parametrize("block", range(3))
def test_the_engine_does_what_the_plain_replay_does(block, server_of):
    rng = random.Random(block)
    for _ in range(30):
        server, serial = server_of(rng), random_serial(rng)
        requests = random_requests(rng, server)
        count = len(requests)
        load = Workload(
            np.array([r.work_ns for r in requests]),
            np.ones(count, np.int64),
            np.arange(count, dtype=np.int32),
            np.array([[float(s) for s in r.speed] for r in requests]),
            serial=serial,
        )
        subject = SharedCores(
            "x",
            tuple(server.ladders),
            np.array([r.ladder for r in requests], np.int32),
            boosts_at_start=server.boosts_at_start,
        )
        engine = subject.engine(1, MOST, server.cut_off_us)
        parts = serial_parts(serial, load.work_ns, load.speed, engine.arrays.threads_ppm)
        for request, start_ns, end_ns in zip(requests, *parts, strict=True):
            request.start_work_ns, request.end_work_ns = int(start_ns), int(end_ns)
        arrival_ns = np.array([r.arrival_ns for r in requests])
        fast = engine.replay(load, np.arange(count), arrival_ns)
        slow = replay_plain(
            server.ladders,
            requests,
            cut_off_us=server.cut_off_us,
            boosts_at_start=server.boosts_at_start,
        )
        assert_alike(fast, slow, server)


def assert_alike(fast: SharedCoresOutcome, slow: list[Request], server: RandomServer) -> None:
    """The same, but for rounding: an instant may move by 1 ns, and what follows from it."""
    served = [r for r in slow if not r.is_refused]
    numbers = [r.number for r in served]
    latency_ns = [r.exit_ns - r.arrival_ns for r in served]
    assert np.abs(fast.latency_ns[numbers] - latency_ns).max() <= 9, server
    assert fast.rung[numbers].tolist() == [r.rung for r in served], server
    assert fast.is_cut[numbers].tolist() == [r.is_cut for r in served], server
    threads_ns = [r.thread_ppm_ns / PPM for r in served]
    assert np.allclose(fast.thread_ns[numbers], threads_ns, atol=60), server
    if fast.losses is not None:
        lost_ns = [float(r.lost) for r in served]
        assert np.allclose(fast.losses.lost_ns[numbers], lost_ns, rtol=0, atol=60), server
