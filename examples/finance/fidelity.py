"""What became of requests, measured or replayed, and figures of it with intervals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CORES = 2
# Power while a request is on the slow and on the fast core, as the spec says.
POWER = (1.0, 6.8)
# Intervals are of blocks of time drawn with replacement: neighbours share the load that they meet.
BLOCK_US = 1e6
REPLICATES = 1_000
LOW, HIGH = 0.025, 0.975
FIGURES = ("p50_ms", "p99_ms", "mean_ms", "utilization")
US_PER_MS = 1e3

Numbers = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Step:
    """A step of the controller: its time, what it was told, and its output from then on."""

    at_s: float
    measured_us: int
    rate_mrps: int
    output_ppm: int


@dataclass(frozen=True, eq=False)
class Served:
    """Requests in the order in which they came, all arrays of one length.

    held_ms: how long a request had a core, moves included. busy_ms: of the slow and the fast core.
    steps: of the controller, if there is one.
    """

    arrival_us: Numbers
    latency_ms: Numbers
    held_ms: Numbers
    cpu_ms: Numbers
    on_fast: NDArray[np.bool_]
    busy_ms: tuple[float, float]
    steps: tuple[Step, ...] = ()

    @property
    def span_ms(self) -> float:
        """Until the last request had left."""
        return float((self.arrival_us / US_PER_MS + self.latency_ms).max())


def quantile(values: Numbers, at: float) -> float:
    """The least value that so large a part is not above."""
    return float(np.quantile(values, at, method="inverted_cdf"))


def figures(served: Served, rows: Rows) -> dict[str, float]:
    """What is told with intervals, of some requests that came in as much time as all."""
    ms = served.latency_ms[rows]
    utilization = float(served.held_ms[rows].sum()) / (CORES * served.span_ms)
    found = (quantile(ms, 0.5), quantile(ms, 0.99), float(ms.mean()), utilization)
    return dict(zip(FIGURES, found, strict=True))


def summary(served: Served) -> dict[str, object]:
    """Figures of a run, and of some their 95 % intervals; times in ms, the rest shares.

    Energy is in ms of the slow core's power.
    """
    everyone = np.arange(len(served.latency_ms))
    energy = sum(power * ms for power, ms in zip(POWER, served.busy_ms, strict=True))
    found = figures(served, everyone) | {
        "p95_ms": quantile(served.latency_ms, 0.95),
        "cpu_ms": served.cpu_ms.mean(),
        "slow_busy": served.busy_ms[0] / served.span_ms,
        "fast_busy": served.busy_ms[1] / served.span_ms,
        "ended_on_fast": served.on_fast.mean(),
        "energy_slow_core_ms": energy / len(everyone),
    }
    rounded = {name: round(float(value), 4) for name, value in found.items()}
    return {**rounded, "intervals": intervals(served)}


def intervals(served: Served) -> dict[str, list[float]]:
    """Of each of `FIGURES` the least and the most that it may be."""
    drawn = [figures(served, rows) for rows in redrawn(served)]
    return {
        name: np.quantile([one[name] for one in drawn], (LOW, HIGH)).round(4).tolist()
        for name in FIGURES
    }


def redrawn(served: Served) -> Iterable[Rows]:
    """The rows of as many blocks of time as there were, drawn again and again."""
    block = (served.arrival_us / BLOCK_US).astype(int)
    rows_of = [np.flatnonzero(block == at) for at in range(block.max() + 1)]
    rng = np.random.default_rng(1)
    for _ in range(REPLICATES):
        yield np.concatenate([rows_of[at] for at in rng.integers(0, len(rows_of), len(rows_of))])


def latencies(served: Served, chosen: NDArray[np.bool_]) -> dict[str, float]:
    """Latencies of some of the requests."""
    found = figures(served, np.flatnonzero(chosen))
    return {name: round(found[name], 4) for name in FIGURES[:3]}
