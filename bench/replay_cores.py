"""Requests replayed a second on whole cores: the engine beside SimPy, part of `bench.replay`.

13 slow cores and 2 fast ones of twice the speed (Haque et al., MICRO 2017, section 5.3), a gamma
demand, and a controller in the loop. Both replay the same requests at the same times, and must give
them the same latencies.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bench.timing import least_seconds, seconds, show, wanted
from tailc.forms.controller import Actuator, Controller, GainRow
from tailc.models import streams
from tailc.models.core_types.model import CoreTypes
from tailc.models.outcome import Outcome
from tailc.models.workload import Workload
from tests.reference.replay_cores_simpy import replay_cores_simpy
from tests.tailc.models.core_types.servers import MS, PPM, cores, row

REQUESTS, SLOW_REQUESTS = 200_000, 4_000
MOST_IN_SYSTEM = 4096
TURNS = 9
COUNTS, SPEED, POWER, THRESHOLD_MS, MOVE_US = (13, 2), 2.0, 6.8, 109, 500
RATES_RPS = (25, 80)
LEAST_OF_SIMPY = 30
# SimPy here ends work up to 10^-6 ms late.
TOLERANCE_MS = 0.05
GAINS = (GainRow(0, 0, 2**32 // 200_000, 0),)
CONTROLLER = Controller(Actuator.CLIMB_AGES, 990_000, 200_000, 500, 2000, PPM, 0, PPM, 32, GAINS)


def on_cores() -> None:
    """Print the table."""
    rows = [_row(rate, law) for law in (None, CONTROLLER) for rate in RATES_RPS]
    show(["server", "rate", "p99", "engine", "SimPy", "engine / SimPy"], rows)


def _row(rate_rps: int, law: Controller | None) -> list[str]:
    arrival_ns = np.empty(REQUESTS, np.int64)
    streams.poisson_arrivals(streams.stream(1, rate_rps), rate_rps * 1000, arrival_ns)
    work_ns = np.rint(np.random.default_rng(1).gamma(1.6, 55, REQUESTS) * MS).astype(np.int64) + 1
    engine = _engine(arrival_ns, work_ns, law, rate_rps)
    ours = engine()
    theirs_ms: list[float] = []
    taken = seconds(lambda: theirs_ms.extend(_simpy_ms(arrival_ns, work_ns, law)))
    # Later arrivals, which only the engine knows, change the last requests.
    apart_ms = np.abs(ours.latency_ns[:SLOW_REQUESTS] / MS - theirs_ms)[: SLOW_REQUESTS // 2].max()
    assert apart_ms < TOLERANCE_MS, f"SimPy differs by {apart_ms} ms"
    per_s = REQUESTS / least_seconds({"engine": engine}, TURNS)["engine"]
    simpy_per_s = SLOW_REQUESTS / taken
    p99_ms = np.sort(ours.latency_ns)[-REQUESTS // 100] / MS
    return [
        "13 slow, 2 fast" + ", controller" * (law is not None),
        f"{rate_rps}/s",
        f"{p99_ms:.0f} ms",
        f"{per_s:,.0f}",
        f"{simpy_per_s:,.0f}",
        wanted(per_s / simpy_per_s, LEAST_OF_SIMPY, 0),
    ]


def _engine(
    arrival_ns: np.ndarray, work_ns: np.ndarray, law: Controller | None, rate_rps: int
) -> Callable[[], Outcome]:
    ladder = cores(list(COUNTS), row((0, 0), (THRESHOLD_MS, 1)), powers=(1, POWER), move_us=MOVE_US)
    load = Workload(
        work_ns, np.ones(REQUESTS, np.int64), np.zeros(REQUESTS, np.int32), np.array([[1.0, SPEED]])
    )
    subject = CoreTypes("s2f", (ladder,), steering=law)
    engine = subject.engine(rate_rps * 1000, MOST_IN_SYSTEM)
    order = np.arange(REQUESTS)
    return lambda: engine.replay(load, order, arrival_ns)


def _simpy_ms(arrival_ns: np.ndarray, work_ns: np.ndarray, law: Controller | None) -> list[float]:
    jobs = replay_cores_simpy(
        (arrival_ns[:SLOW_REQUESTS] / MS).tolist(),
        (work_ns[:SLOW_REQUESTS] / MS).tolist(),
        cores=COUNTS,
        speed=SPEED,
        power=POWER,
        threshold_ms=float(THRESHOLD_MS),
        quantum_ms=1.0,
        move_ms=MOVE_US / 1000,
        controller=law,
    )
    return [job.latency_ms for job in jobs]


if __name__ == "__main__":
    on_cores()
