"""The compiled replay against one written with a general simulation library."""

import dataclasses

import numpy as np

from tailc.forms.ladder.table import ON_EXIT, Admission, Climb, Row
from tailc.replay import streams
from tailc.replay.lowered import lower
from tailc.replay.outcome import replay
from tailc.replay.workload import Workload
from tests.reference.replay_simpy import replay_simpy
from tests.tailc.replay.servers import at_once, ladder

SPEED = [1.0, 1.9, 2.65]


def test_a_busy_server_answers_each_request_alike():
    """Climbs, delays, waits for an exit, boosting, and more threads than cores."""
    climbs = (Climb(0, 0), Climb(30_000, 1), Climb(90_000, 2))
    policy = ladder(
        at_once((0, 2), last=2),
        Row(3, 6, Admission.after(7_000), climbs),
        Row(7, None, ON_EXIT, climbs),
        cores=5,
        rungs=3,
        boost=5,
    )
    policy = dataclasses.replace(policy, quantum_us=4_000)
    requests = 800
    arrival_ns = np.empty(requests, np.int64)
    streams.poisson_arrivals(streams.stream(1), 40_000, arrival_ns)
    work_ms = np.random.default_rng(1).gamma(1.6, 50, requests)
    load = Workload(
        np.rint(work_ms * 1e6).astype(np.int64),
        np.ones(requests, np.int64),
        np.zeros(requests, np.int32),
        np.array([SPEED]),
    )
    fast = replay(load, np.arange(requests), arrival_ns, lower((policy,), 1, 900), 900)
    slow_ms = replay_simpy(policy, (arrival_ns / 1e6).tolist(), work_ms.tolist(), SPEED)
    # SimPy's end of work is late by up to 10^-6 ms and delays are whole microseconds there
    assert np.abs(fast.latency_ns / 1e6 - slow_ms).max() < 0.02
    assert fast.utilization > 0.6
    assert fast.wait_ns.max() > 50e6
