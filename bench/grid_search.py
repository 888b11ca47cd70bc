"""Interval tables: the paper's search as printed, compiled, and ours, in one run.

    python -m bench.grid_search

First a size at which the printed search ends in some seconds; all must give the same table, else
this ends with an error. Then the published size (10,000 requests, steps of 5 ms up to 440 ms,
30 loads): ours and the dual are measured; the printed search would take months, so it is
extrapolated from random schedules of that size, each evaluated on all 10,000 requests.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.intervals.grid import GridSolution, search_grid
from tailc_solvers.ladder.dual import solve_ladder
from tailc_solvers.sample import WeightedSample

from bench import published_server as published
from bench.timing import median_seconds, seconds, show
from tests.reference import brute_force as compiled
from tests.reference import literal_search as literal

SPEEDS = np.array(published.SPEEDS)
DEGREES = np.arange(1.0, len(SPEEDS) + 1)
TARGET_P = 24.0
LOADS = 30
BETA = 0.99
SEED = 7


@dataclass(frozen=True, eq=False)
class Size:
    """A search: how many requests, and which grid."""

    demand_ms: NDArray[np.float64]
    step_ms: float
    steps: int

    @property
    def rank(self) -> int:
        return math.ceil(BETA * len(self.demand_ms))

    @property
    def cube(self) -> int:
        """Schedules times loads, nothing left out."""
        return LOADS * (self.steps + 1) ** len(SPEEDS)

    @property
    def sample(self) -> WeightedSample:
        return WeightedSample.common(self.demand_ms, SPEEDS)

    def grid(self) -> GridSolution:
        return search_grid(
            self.sample,
            DEGREES,
            np.arange(1.0, LOADS + 1),
            TARGET_P,
            rank=self.rank,
            step_ms=self.step_ms,
            longest_ms=self.step_ms * self.steps,
        )

    def dual(self) -> object:
        return solve_ladder(
            self.sample, DEGREES, np.arange(1.0, LOADS + 1), TARGET_P, rank=self.rank
        )

    def brute_force(self) -> tuple[NDArray[np.float64], ...]:
        return compiled.brute_force(
            self.demand_ms, SPEEDS, TARGET_P, LOADS, self.steps, self.step_ms, self.rank
        )

    def literal(self) -> list[literal.Entry]:
        return literal.interval_table(
            self.demand_ms.tolist(),
            published.SPEEDS,
            TARGET_P,
            LOADS,
            self.step_ms * self.steps,
            self.step_ms,
            BETA,
        )


def small() -> Size:
    """The grid reaches the longest demand, so that its last interval is as good as never."""
    demand_ms = published.demand_ms(60)
    return Size(demand_ms, math.ceil(demand_ms.max() / 8), 8)


FULL = Size(published.demand_ms(10_000), 5.0, 88)


def main() -> None:
    size = small()
    printed: list[literal.Entry] = []
    took = {"the paper's search, literal Python": seconds(lambda: printed.extend(size.literal()))}
    size.brute_force()
    took["the same, compiled, pruned as in the paper"] = seconds(size.brute_force)
    took |= median_seconds({"exact grid search": size.grid, "dual": size.dual}, 21)
    same_tables(size, printed)
    at_full = {
        "the paper's search, literal Python": literal_extrapolated(FULL),
        "the same, compiled, pruned as in the paper": compiled_extrapolated(FULL),
        **median_seconds({"exact grid search": FULL.grid, "dual": FULL.dual}, 11),
    }
    print(f"60 requests, {size.cube:,} schedules: all tables are the same\n")
    binned_s = took["the paper's search, literal Python"] / size.cube * FULL.cube
    show(
        ["method", "60 requests", "grid search = 1", "10,000 requests", "dual = 1"],
        [line(name, took, at_full) for name in took],
    )
    print(f"With 60 bins for 10,000 requests the literal search would take {duration(binned_s)}.\n")


def line(name: str, took: dict[str, float], at_full: dict[str, float]) -> list[str]:
    is_extrapolated = name not in ("exact grid search", "dual")
    return [
        name,
        duration(took[name]),
        ratio(took[name] / took["exact grid search"]),
        duration(at_full[name]) + (" (extrapolated)" if is_extrapolated else ""),
        ratio(at_full[name] / at_full["dual"]),
    ]


def ratio(value: float) -> str:
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}" if value < 1e6 else f"{value:.0e}"


def duration(seconds_taken: float) -> str:
    if seconds_taken > 2 * 3600:
        return f"{seconds_taken / 3600:,.0f} h"
    return f"{seconds_taken:.1f} s" if seconds_taken >= 1 else f"{seconds_taken * 1e3:.2f} ms"


def same_tables(size: Size, printed: list[literal.Entry]) -> None:
    """Tails, means and what requests meet of each schedule; the dual is never above."""
    ours = size.grid()
    forced, tails_ms, means_ms = size.brute_force()
    np.testing.assert_allclose(tails_ms, [entry.tail_ms for entry in printed], rtol=1e-12)
    np.testing.assert_allclose(means_ms, [entry.mean_ms for entry in printed], rtol=1e-12)
    np.testing.assert_allclose(ours.tail_ms, tails_ms, rtol=1e-12)
    np.testing.assert_allclose(ours.mean_ms, means_ms, rtol=1e-12)
    longest_ms = float(size.demand_ms.max())
    for load, entry in enumerate(printed):
        if entry.schedule is None:
            assert not np.isfinite(ours.tail_ms[load])
            continue
        met = {reached(v, longest_ms) for v in (entry.schedule, forced[load], ours.v_ms[load])}
        assert len(met) == 1, f"load {load + 1}: {met}"
    assert (np.asarray(size.dual().tail_ms) <= ours.tail_ms + 1e-6).all()  # type: ignore[attr-defined]


def reached(v_ms: NDArray[np.float64] | literal.Schedule, longest_ms: float) -> tuple[float, ...]:
    """The schedule up to the interval in which even the longest request ends."""
    done_ms = 0.0
    for i in range(1, len(v_ms)):
        done_ms += SPEEDS[i - 1] * v_ms[i]
        if done_ms >= longest_ms:
            return tuple(float(v) for v in v_ms[:i])
    return tuple(float(v) for v in v_ms)


def literal_extrapolated(size: Size, count: int = 30) -> float:
    """Seconds for the whole cube, from random schedules of it at random loads."""
    rng = np.random.default_rng(SEED)
    seq_ms = size.demand_ms.tolist()
    begun = time.perf_counter()
    for _ in range(count):
        v = tuple((rng.integers(0, size.steps + 1, len(SPEEDS)) * size.step_ms).tolist())
        load = int(rng.integers(1, LOADS + 1))
        if literal.total_parallelism(seq_ms, published.SPEEDS, v, load) <= TARGET_P:
            literal.tail_ms(seq_ms, published.SPEEDS, v, BETA)
            literal.mean_ms(seq_ms, published.SPEEDS, v)
    return (time.perf_counter() - begun) / count * size.cube


def compiled_extrapolated(size: Size, count: int = 2_000) -> float:
    """Seconds, from random schedules that the paper leaves in, each up to the load it fails at."""
    rng = np.random.default_rng(SEED)
    chosen = compiled.schedules(rng, count, len(SPEEDS), size.steps) * size.step_ms
    times_ms = np.empty(len(size.demand_ms))
    compiled.evaluated(size.demand_ms, SPEEDS, chosen[0], times_ms)
    compiled.order_statistic(times_ms, size.rank)
    begun = time.perf_counter()
    looks = 0
    for v in chosen:
        total, threads = compiled.evaluated(size.demand_ms, SPEEDS, v, times_ms)
        compiled.order_statistic(times_ms, size.rank)
        looks += min(LOADS, int(TARGET_P * total / threads) + 1)
    a_look = (time.perf_counter() - begun) / count
    left_in = (size.steps + 1) * math.comb(size.steps + len(SPEEDS) - 1, len(SPEEDS) - 1)
    return a_look * left_in * looks / count


if __name__ == "__main__":
    main()
