"""How long the ladder solvers take, next to one another in one run.

    python -m bench.ladder_solvers [--quick]

Workload: gamma demand (shape 1.625, scale 144 ms), 10,000 requests, s = 1, 1.9, 2.65, 3.2, 30
loads, budget 24, p99. Every figure is the median of several calls after a first one that compiles;
the machine may be shared, so read the ratios to the dual of the same run before the times. `cpu`
is the time of all threads together.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from tailc_solvers.intervals.grid import search_grid
from tailc_solvers.ladder.dual import solve_ladder
from tailc_solvers.ladder.kernels import DemandSteps
from tailc_solvers.ladder.rows import hull_of, least_tails, sorted_steps, sorted_weights
from tailc_solvers.sample import WeightedSample

from bench.published_server import SPEEDS as PUBLISHED_SPEEDS
from bench.published_server import demand_ms
from bench.timing import show

REQUESTS, SEED = 10_000, 1
SPEEDS = np.array(PUBLISHED_SPEEDS)
COSTS = np.array([1.0, 2.0, 3.0, 4.0])
LOADS = np.arange(1.0, 31.0)
BUDGET = 24.0
# The 99th percentile of the 10,000.
RANK = 9_900
CURVE_SPREAD = (0.7, 1.3)
"""Gains over one rung are scaled by a factor drawn from this range, for each class or request."""


@dataclass(frozen=True)
class Timing:
    """Median and least wall time, and median processor time, in ms."""

    median_ms: float
    least_ms: float
    cpu_ms: float


def measure(call: Callable[[], object], repeats: int) -> Timing:
    call()
    wall, cpu = [], []
    for _ in range(repeats):
        wall_start, cpu_start = time.perf_counter(), time.process_time()
        call()
        cpu.append(1e3 * (time.process_time() - cpu_start))
        wall.append(1e3 * (time.perf_counter() - wall_start))
    return Timing(statistics.median(wall), min(wall), statistics.median(cpu))


def spread_curves(curves: int) -> np.ndarray:
    factor = np.random.default_rng(SEED + 1).uniform(*CURVE_SPREAD, (curves, 1))
    return 1.0 + (SPEEDS - 1.0) * factor


def dual_kernel(sample: WeightedSample, speeds: np.ndarray, costs: np.ndarray) -> None:
    """Sort, prefix sums and all loads: no arrays of the solution."""
    least_tails(steps(sample), hull_of(speeds, costs), LOADS / BUDGET)


def steps(sample: WeightedSample) -> DemandSteps:
    return sorted_steps(*sorted_weights(sample), RANK)


def grid(sample: WeightedSample, step_ms: float, longest_ms: float, **more: object) -> object:
    return search_grid(
        sample,
        COSTS,
        LOADS,
        BUDGET,
        rank=RANK,
        step_ms=step_ms,
        longest_ms=longest_ms,
        **more,
    )


def cases() -> dict[str, tuple[Callable[[], object], float | None]]:
    """What is timed, and the target in ms where there is one."""
    sample = WeightedSample.common(demand_ms(REQUESTS), SPEEDS)
    classes = WeightedSample.classes(demand_ms(REQUESTS), spread_curves(8), np.arange(REQUESTS) % 8)
    individual = WeightedSample.individual(demand_ms(REQUESTS), spread_curves(REQUESTS))
    solve = partial(solve_ladder, sample, COSTS, LOADS, BUDGET, rank=RANK)
    by_cost = {"objective": "cost", "target_ms": 500.0}
    return {
        "dual, sort and sums included": (partial(dual_kernel, sample, SPEEDS, COSTS), 1.0),
        "dual, whole solution": (solve, None),
        "dual by cost, whole solution": (partial(solve, **by_cost), None),
        "grid, step 5, y 440": (partial(grid, sample, 5, 440), 15.0),
        "grid, step 5, y 1000": (partial(grid, sample, 5, 1000), 60.0),
        "grid, step 1, y 440": (partial(grid, sample, 1, 440), None),
        "grid by cost, step 5, y 440": (partial(grid, sample, 5, 440, **by_cost), None),
        "grid, 8 classes": (partial(grid, classes, 5, 440), 300.0),
        "grid, 10,000 curves": (partial(grid, individual, 5, 440), 500.0),
    }


def growth(*, is_quick: bool) -> dict[str, Callable[[], object]]:
    """The dual alone, with more rungs and with more requests."""
    largest = 10**6 if is_quick else 10**7
    found: dict[str, Callable[[], object]] = {}
    for n in (2, 8, 16, 64):
        speeds, costs = np.arange(1.0, n + 1) ** 0.8, np.arange(1.0, n + 1)
        sample = WeightedSample.common(demand_ms(REQUESTS), speeds)
        found[f"dual, {n} rungs"] = partial(dual_kernel, sample, speeds, costs)
    for requests in (10**5, 10**6, 10**7):
        if requests <= largest:
            sample = WeightedSample.common(demand_ms(requests), SPEEDS)
            found[f"dual, {requests:,} requests"] = partial(dual_kernel, sample, SPEEDS, COSTS)
            ready, hull = steps(sample), hull_of(SPEEDS, COSTS)
            found[f"rows only, {requests:,} requests"] = partial(
                least_tails, ready, hull, LOADS / BUDGET
            )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repeats, at most 10^6 requests")
    is_quick = parser.parse_args().quick
    repeats = 5 if is_quick else 11
    timings = {name: (measure(call, repeats), target) for name, (call, target) in cases().items()}
    timings |= {name: (measure(call, 3), None) for name, call in growth(is_quick=is_quick).items()}
    reference = next(iter(timings.values()))[0].median_ms
    show(
        ["case", "median ms", "least ms", "cpu ms", "dual = 1", "goal"],
        [_line(name, *timing, reference) for name, timing in timings.items()],
    )


def _line(name: str, timing: Timing, target: float | None, reference: float) -> list[str]:
    aim = ""
    if target is not None:
        aim = f"{target:g} ms, {'met' if timing.median_ms <= target else 'missed'}"
    figures = (timing.median_ms, timing.least_ms, timing.cpu_ms)
    return [name, *(f"{ms:.3f}" for ms in figures), f"{timing.median_ms / reference:.1f}", aim]


if __name__ == "__main__":
    main()
