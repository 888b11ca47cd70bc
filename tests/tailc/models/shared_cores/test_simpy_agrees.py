"""The compiled replay against one written with a general simulation library."""

import dataclasses

import numpy as np
import pytest

from tailc.forms.ladder.table import ON_EXIT, Admission, Climb, Ladder, Row, Rule
from tailc.models import streams
from tailc.models.outcome import Outcome
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import Workload
from tests.reference.replay_simpy import Job, Server, run_simpy
from tests.tailc.models.shared_cores.servers import at_once, ladder, without

SPEED = [1.0, 1.9, 2.65]
REQUESTS = 800


def busy_server() -> Ladder:
    """Climbs, delays, waits for an exit, boosting, and more threads than cores."""
    climbs = (Climb(0, 0), Climb(30_000, 1), Climb(90_000, 2))
    policy = ladder(
        at_once((0, 2), last=2),
        Row(3, 6, Admission.after_delay(7_000), climbs),
        Row(7, None, ON_EXIT, climbs),
        cores=5,
        rungs=3,
        boost=5,
    )
    return dataclasses.replace(policy, quantum_us=4_000)


def both(
    ladders: list[Ladder], cut_off_ms: int | None = None, boosts_at_start: bool = False
) -> tuple[Outcome, Server, list[Job]]:
    """The same requests by the engine and by SimPy; requests climb the ladders in turn."""
    arrival_ns = np.empty(REQUESTS, np.int64)
    streams.poisson_arrivals(streams.stream(1), 40_000, arrival_ns)
    work_ms = np.random.default_rng(1).gamma(1.6, 50, REQUESTS)
    ladder_of = np.arange(REQUESTS, dtype=np.int32) % len(ladders)
    load = Workload(
        np.rint(work_ms * 1e6).astype(np.int64),
        np.ones(REQUESTS, np.int64),
        np.zeros(REQUESTS, np.int32),
        np.array([SPEED]),
    )
    cut_off_us = None if cut_off_ms is None else cut_off_ms * 1000
    subject = SharedCores("x", tuple(ladders), ladder_of, boosts_at_start=boosts_at_start)
    engine = subject.engine(1, 900, cut_off_us)
    fast = engine.replay(load, np.arange(REQUESTS), arrival_ns, 0)
    jobs = [
        Job(float(a), float(w), SPEED, int(n))
        for a, w, n in zip(arrival_ns / 1e6, work_ms, ladder_of, strict=True)
    ]
    server = run_simpy(
        ladders, jobs, cut_off_ms=cut_off_ms or float("inf"), boosts_at_start=boosts_at_start
    )
    return fast, server, jobs


def assert_alike(fast: Outcome, jobs: list[Job]) -> None:
    # SimPy's end of work is late by up to 10^-6 ms and delays are whole microseconds there
    latency_ms = np.array([job.latency_ms for job in jobs])
    assert np.abs(fast.latency_ns / 1e6 - latency_ms).max() < 0.02
    thread_ms = np.array([job.thread_ms for job in jobs])
    assert np.abs(fast.thread_ns / 1e6 - thread_ms).max() < 0.1
    assert fast.rung.tolist() == [job.rung for job in jobs]
    assert fast.is_cut.tolist() == [job.is_cut for job in jobs]


def test_a_busy_server_answers_each_request_alike():
    fast, server, jobs = both([busy_server()])
    assert_alike(fast, jobs)
    assert fast.utilization > 0.6
    assert fast.wait_ns.max() > 50e6
    # over the whole replay, as SimPy books it
    sums = fast.integrals.sum(axis=0)
    assert sums[0] / 1e6 == pytest.approx(server.booked_ms, rel=1e-6)
    assert sums[1] / 1e6 == pytest.approx(server.in_system_ms, rel=1e-4)
    assert sums[2] / 1e12 == pytest.approx(server.threads_ms, rel=1e-4)
    assert sums[3] / 1e12 == pytest.approx(server.busy_ms, rel=1e-4)


def test_a_server_of_two_ladders_answers_each_request_alike():
    other = dataclasses.replace(
        busy_server(),
        rows=(
            at_once((0, 1), (40, 2), last=4),
            Row(5, None, Admission.after_delay(12_000), (Climb(0, 0), Climb(60_000, 1))),
        ),
    )
    fast, _, jobs = both([busy_server(), other])
    assert_alike(fast, jobs)


def test_rows_kept_a_cut_off_and_boosting_at_the_start_agree():
    policy = without(busy_server(), Rule.REREAD_ROW)
    fast, _, jobs = both([policy], cut_off_ms=70, boosts_at_start=True)
    assert_alike(fast, jobs)
    assert 0.05 < fast.is_cut[fast.measured].mean() < 0.95
