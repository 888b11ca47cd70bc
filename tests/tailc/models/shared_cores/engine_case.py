"""Helpers of test_engine.py that other tests use too."""

import random
from fractions import Fraction

import numpy as np
import pytest

from tailc.forms.ladder.table import Ladder
from tailc.models.shared_cores.model import SharedCores
from tailc.models.shared_cores.outcome import SharedCoresOutcome
from tailc.models.workload import Workload
from tests.reference.replay_plain import Request, replay_plain
from tests.tailc.models.shared_cores.servers import (
    MS,
    PPM,
    RandomServer,
)


def run(
    policy: Ladder | list[Ladder],
    arrivals_ms: list[float],
    work_ms: list[float],
    speed: tuple[float, ...] = (1, 2, 3, 4),
    most: int = 64,
    ladder_of: list[int] | None = None,
    cut_off_us: int | None = None,
    boosts_at_start: bool = False,
) -> SharedCoresOutcome:
    ladders = policy if isinstance(policy, list) else [policy]
    count = len(work_ms)
    load = Workload(
        np.array([round(w * MS) for w in work_ms]),
        np.ones(count, np.int64),
        np.zeros(count, np.int32),
        np.array([speed[: len(ladders[0].rungs)]], dtype=float),
    )
    arrival_ns = np.array([round(a * MS) for a in arrivals_ms])
    which = None if ladder_of is None else np.array(ladder_of, np.int32)
    subject = SharedCores("x", tuple(ladders), which, boosts_at_start=boosts_at_start)
    engine = subject.engine(1000, most, cut_off_us)
    return engine.replay(load, np.arange(count), arrival_ns, 0)


def latency_ms(outcome: SharedCoresOutcome) -> list[float]:
    return [float(ns / MS) for ns in outcome.latency_ns]


def blocks(in_every_run: int, when_fuzzing: int) -> list:
    """Seeds of thirty random servers each."""
    more = range(in_every_run, when_fuzzing)
    return [*range(in_every_run), *(pytest.param(n, marks=pytest.mark.fuzz) for n in more)]


def both(server: RandomServer, requests: list[Request]) -> tuple[SharedCoresOutcome, list[Request]]:
    """What the engine and the plain replay make of the same requests."""
    count = len(requests)
    load = Workload(
        np.array([r.work_ns for r in requests]),
        np.ones(count, np.int64),
        np.arange(count, dtype=np.int32),
        np.array([[float(s) for s in r.speed] for r in requests]),
    )
    ladders, *limits = server
    cut_off_us, boosts_at_start = limits
    arrival_ns = np.array([r.arrival_ns for r in requests])
    ladder_of = np.array([r.ladder for r in requests], np.int32)
    subject = SharedCores("x", tuple(ladders), ladder_of, boosts_at_start=boosts_at_start)
    engine = subject.engine(1, 999, cut_off_us)
    fast = engine.replay(load, np.arange(count), arrival_ns, 0)
    slow = replay_plain(ladders, requests, cut_off_us=cut_off_us, boosts_at_start=boosts_at_start)
    return fast, slow


def assert_alike(fast: SharedCoresOutcome, slow: list[Request], server: RandomServer) -> None:
    """The same, but for binary rounding where the plain replay is exact: an instant may move by
    1 ns, and what follows from it.
    """
    refused = np.flatnonzero(fast.is_refused).tolist()
    assert refused == [r.number for r in slow if r.is_refused], server
    assert not fast.latency_ns[refused].any()
    latency_ns = [0 if r.is_refused else r.exit_ns - r.arrival_ns for r in slow]
    wait_ns = [0 if r.is_refused else r.start_ns - r.arrival_ns for r in slow]
    assert np.abs(fast.latency_ns - latency_ns).max() <= 3, server
    assert np.abs(fast.wait_ns - wait_ns).max() <= 3, server
    if fast.losses is not None:
        lost_ns = [float(r.work_ns if r.is_refused else r.lost) for r in slow]
        assert np.allclose(fast.losses.lost_ns, lost_ns, rtol=0, atol=20), server
    assert fast.rung.tolist() == [r.rung for r in slow], server
    assert fast.is_cut.tolist() == [r.is_cut for r in slow], server
    assert np.allclose(fast.thread_ns, [r.thread_ppm_ns / PPM for r in slow], atol=20), server


def random_requests(rng: random.Random, server: RandomServer) -> list[Request]:
    rungs = len(server.ladders[0].rungs)
    count = rng.randint(1, 25)
    arrivals = sorted(rng.randint(0, 300 * MS) for _ in range(count))
    return [
        Request(
            number,
            arrival_ns,
            rng.randint(1, 60 * MS),
            sorted(Fraction(rng.randint(500, 4000), 1000) for _ in range(rungs)),
            rng.randrange(len(server.ladders)),
        )
        for number, arrival_ns in enumerate(arrivals)
    ]


def requests_at_once(rng: random.Random, server: RandomServer) -> list[Request]:
    """Times in whole milliseconds and speeds that are powers of two: instants coincide."""
    rungs = len(server.ladders[0].rungs)
    arrivals = sorted(rng.randint(0, 40) * MS for _ in range(rng.randint(1, 20)))
    return [
        Request(
            number,
            arrival_ns,
            rng.randint(1, 30) * MS,
            [Fraction(2**i) for i in range(rungs)],
            rng.randrange(len(server.ladders)),
        )
        for number, arrival_ns in enumerate(arrivals)
    ]
