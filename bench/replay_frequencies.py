"""Requests replayed a second on a core with a clock: the engine beside SimPy.

Part of `bench.replay`. 14 frequencies from 0.8 to 3.4 GHz (Bartolini, 2015, table 3.2), 8 rows of
16 positions, a gamma demand of 1 ms at 2.4 GHz of which 30 % is memory time, and a bound of 4 ms.
Both replay the same requests at the same times, and must give them the same latencies.
"""

from __future__ import annotations

import numpy as np

from bench.timing import least_seconds, seconds, show, wanted
from tailc.forms.tail_table import Level, Sleep, TailRow, TailTable
from tailc.models import streams
from tailc.models.core_queues.clocks import Clocks
from tailc.models.core_queues.model import CoreQueues
from tailc.traces.profile import DemandProfile, Measure
from tests.reference.replay_frequencies_simpy import replay_frequencies_simpy

REQUESTS, SLOW_REQUESTS = 300_000, 10_000
MOST_IN_SYSTEM = 4096
TURNS = 9
MS, MEAN_MS, MEMORY_SHARE, BOUND_US = 1_000_000, 1.0, 0.3, 4_000
REFERENCE_KHZ, FIRST_KHZ, STEP_KHZ, LEVELS = 2_400_000, 800_000, 200_000, 14
KHZ_PER_GHZ = 1_000_000
POSITIONS, ROWS, SHAPE = 16, 8, 4
TAIL_PPM = 950_000
DRAWS = 100_000
SHARES = (0.3, 0.6, 0.8)
LEAST_PER_S, LEAST_OF_SIMPY = 2e6, 30
# Sums of floats in SimPy.
TOLERANCE_MS = 1e-3


def on_clocks() -> None:
    """Print the table."""
    header = ["core", "load", "p95", "engine", "SimPy", "engine / SimPy", "engine / 2 M"]
    show(header, [_row(share) for share in SHARES])


def _row(share: float) -> list[str]:
    profile = _profile()
    subject = CoreQueues("clocks", Clocks(_table(profile), REFERENCE_KHZ))
    load = subject.workload(profile)
    rate_mrps = round(share / MEAN_MS * MS)
    arrival_ns = np.empty(REQUESTS, np.int64)
    streams.poisson_arrivals(streams.stream(1, rate_mrps), rate_mrps, arrival_ns)
    replaying, order = subject.engine(rate_mrps, MOST_IN_SYSTEM), np.arange(REQUESTS)

    def engine() -> np.ndarray:
        return replaying.replay(load, order, arrival_ns).latency_ns

    latency_ns = engine()
    simpy_per_s = _simpy_per_s(profile, arrival_ns, _table(profile), latency_ns)
    per_s = REQUESTS / least_seconds({"engine": engine}, TURNS)["engine"]
    return [
        "14 frequencies",
        f"{share:.0%}",
        f"{np.quantile(latency_ns, 0.95) / MS:.2f} ms",
        f"{per_s:,.0f}",
        f"{simpy_per_s:,.0f}",
        wanted(per_s / simpy_per_s, LEAST_OF_SIMPY, 0),
        wanted(per_s / LEAST_PER_S, 1),
    ]


def _profile() -> DemandProfile:
    demand_ms = np.random.default_rng(1).gamma(SHAPE, MEAN_MS / SHAPE, REQUESTS)
    return DemandProfile(
        demand_ms,
        np.ones(REQUESTS, np.int64),
        np.ones((1, 1)),
        np.zeros(REQUESTS, np.int32),
        (),
        Measure.DEMAND_BUSY,
        "2.4 GHz",
        demand_ms * MEMORY_SHARE,
    )


def _table(profile: DemandProfile) -> TailTable:
    memory_ns = profile.demand_ms * MEMORY_SHARE * MS
    cycles = (profile.demand_ms * MS - memory_ns) * (REFERENCE_KHZ / KHZ_PER_GHZ)
    levels = [FIRST_KHZ + number * STEP_KHZ for number in range(LEVELS)]
    return TailTable(
        TAIL_PPM,
        BOUND_US,
        tuple(Level(khz, round(khz / 1_000)) for khz in levels),
        _rows(cycles),
        _rows(memory_ns),
        Sleep(0, 0),
        cores=1,
    )


def _rows(whole: np.ndarray) -> tuple[TailRow, ...]:
    """Tails of sums, drawn at random: what is left of the first, and so many more."""
    rng = np.random.default_rng(2)
    more = rng.choice(whole, (POSITIONS - 1, DRAWS))
    found = []
    for row in range(ROWS):
        begins = np.quantile(whole, row / ROWS) if row else 0.0
        left = rng.choice(whole[whole > begins] - begins, DRAWS)
        sums = np.vstack([left, left + np.cumsum(more, axis=0)])
        tails = np.maximum.accumulate(np.quantile(sums, TAIL_PPM / 1e6, axis=1))
        found.append(TailRow(int(begins), tuple(int(tail) for tail in tails)))
    return tuple(found)


def _simpy_per_s(
    profile: DemandProfile, arrival_ns: np.ndarray, table: TailTable, latency_ns: np.ndarray
) -> float:
    assert profile.memory_ms is not None
    memory_ms = profile.memory_ms[:SLOW_REQUESTS]
    compute_ms = (profile.demand_ms[:SLOW_REQUESTS] - memory_ms) * REFERENCE_KHZ / KHZ_PER_GHZ
    found: list[float] = []

    def simpy() -> None:
        arrivals_ms = (arrival_ns[:SLOW_REQUESTS] / MS).tolist()
        jobs = replay_frequencies_simpy(arrivals_ms, compute_ms.tolist(), memory_ms.tolist(), table)
        found.extend(job.latency_ms for job in jobs)

    taken = seconds(simpy)
    # Later arrivals, which only the engine knows, change the last requests.
    half = SLOW_REQUESTS // 2
    apart_ms = np.abs(latency_ns[:half] / MS - found[:half]).max()
    assert apart_ms < TOLERANCE_MS, f"SimPy differs by {apart_ms} ms"
    return SLOW_REQUESTS / taken


if __name__ == "__main__":
    on_clocks()
