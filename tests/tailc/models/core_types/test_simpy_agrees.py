"""The compiled replay of cores against algorithm 1 written with a general simulation library."""

import numpy as np
import pytest

from tailc.forms.controller import Actuator, Controller, GainRow
from tailc.models import streams
from tailc.models.core_types.model import CoreTypes
from tailc.models.workload import Workload
from tests.reference.replay_cores_simpy import replay_cores_simpy
from tests.tailc.models.core_types.servers import MS, PPM, cores, row

REQUESTS = 1500
# SimPy's end of work is late by up to 10^-6 ms, and so is what follows.
TOLERANCE_MS = 0.01
GAINS = (GainRow(0, 2**32 // 1_000_000, 2**32 // 2_000_000, 0),)
CONTROLLER = Controller(Actuator.CLIMB_AGES, 950_000, 120_000, 50, 200, PPM, 0, PPM, 32, GAINS)


@pytest.mark.parametrize(
    ("counts", "rate_rps", "threshold_ms", "move_us", "steering"),
    [
        ((4, 1), 15, 60, None, None),
        ((4, 1), 45, 60, 500, None),
        ((8, 2), 90, 109, 500, None),
        ((8, 2), 90, 109, 500, CONTROLLER),
        # a start on the fast core where the threshold is 0
        ((3, 2), 50, 0, None, None),
        # nobody climbs but to make room
        ((4, 2), 60, 100_000, None, None),
        # the new ones of a quantum are more than slow cores, and fast ones are free
        ((1, 8), 150, 100_000, None, None),
    ],
)
def test_two_types_answer_each_request_alike(counts, rate_rps, threshold_ms, move_us, steering):
    climbs = ((0, 0), (threshold_ms, 1)) if threshold_ms else ((0, 1),)
    policy = cores(list(counts), row(*climbs), move_us=move_us)
    arrival_ns = np.empty(REQUESTS, np.int64)
    streams.poisson_arrivals(streams.stream(4), rate_rps * 1000, arrival_ns)
    work_ns = np.rint(np.random.default_rng(2).gamma(1.4, 40, REQUESTS) * MS).astype(np.int64) + 1
    load = Workload(
        work_ns, np.ones(REQUESTS, np.int64), np.zeros(REQUESTS, np.int32), np.array([[1.0, 2.0]])
    )
    engine = CoreTypes("x", (policy,), steering=steering).engine(1000, 900)
    ours = engine.replay(load, np.arange(REQUESTS), arrival_ns, 0)
    theirs = replay_cores_simpy(
        (arrival_ns / MS).tolist(),
        (work_ns / MS).tolist(),
        cores=counts,
        speed=2.0,
        power=6.0,
        threshold_ms=float(threshold_ms),
        quantum_ms=1.0,
        move_ms=(move_us or 0) / 1000,
        controller=steering,
    )
    latency_ms = np.array([job.latency_ms for job in theirs])
    assert np.abs(ours.latency_ns / MS - latency_ms).max() < TOLERANCE_MS
    energy = np.array([job.energy for job in theirs])
    assert np.abs(ours.energy.of_request / MS - energy).max() < 10 * TOLERANCE_MS
    if steering is not None:
        assert len(set(ours.steps.output_ppm.tolist())) > 10
    # both types are in use, and some requests wait
    assert min(share for share in ours.utilization_by_pool if share) > 0.02
