"""Search a whole grid in parts that do not depend on the number of workers.

Each part has its own incumbents, merged in a fixed order, so the result and the convergence trace
depend on nothing else.
"""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.course import SearchProgress
from tailc_solvers.intervals.engines import GridEngine, Items
from tailc_solvers.intervals.evaluate import FEASIBILITY_TOLERANCE
from tailc_solvers.intervals.kernels import (
    COST_UNITS,
    NS_PER_MS,
    Incumbents,
    LoadRows,
    Near,
    merge,
    new_best,
)

SHARES = 16
"""Shares of a batch; at most that many workers are of use."""

SEED_STEPS = 20
"""The first incumbents come from a lattice of about this many steps on each axis."""

_MOST_PAIRED_STEPS = 2_000
_MOST_BATCHES = 64


@dataclass(frozen=True)
class DurationGrid:
    """Grid of the time on a rung: 0, one step, two steps, ..., up to `longest_ms`."""

    step_ms: float
    longest_ms: float

    def __post_init__(self) -> None:
        if not (0 < self.step_ms < math.inf and 0 <= self.longest_ms < math.inf):
            raise ValueError("step_ms must be positive, longest_ms not negative, both finite")

    @property
    def steps(self) -> int:
        # A quotient such as 0.3 / 0.1 must count as whole.
        return math.floor(self.longest_ms / self.step_ms * (1 + FEASIBILITY_TOLERANCE))

    def schedules(self, n_rungs: int) -> int:
        """Number of schedules on the grid for one wait; the last rung may be any rung.

        A schedule is the number of grid steps that a request stays on each of at most `n_rungs`
        rungs.
        """
        return sum(math.comb(self.steps + fixed, fixed) for fixed in range(n_rungs))


@dataclass
class GridSearch:
    """Successive exhaustive searches of one grid, with one budget of evaluations for all.

    Attributes:
        grid: times on a rung.
        n_rungs: number of rungs.
        budget: largest number of evaluations.
        workers: number of threads.
        progress: called with the fraction that is done.
        evaluations: number of evaluations by all searches until now.
        is_complete: whether no search was cut short.
        units: factor from ms to the unit of the first sort key, in the last search.
        seen: for each batch of the last search, the number of evaluations up to its end, and the
            best first sort key of each load.
    """

    grid: DurationGrid
    n_rungs: int
    budget: int
    workers: int
    progress: Callable[[float], None]
    evaluations: int = 0
    is_complete: bool = True
    units: float = NS_PER_MS
    seen: list[tuple[int, NDArray[np.float64]]] = field(default_factory=list)

    def run(self, engine: GridEngine, rows: LoadRows) -> Incumbents:
        """Search the grid with the rest of the budget; return the best schedule of each load."""
        shape = (rows.load.size, self.n_rungs)
        best = new_best(*shape)
        self.seen.clear()
        self.units = COST_UNITS if rows.by_cost else NS_PER_MS
        stride = max(1, self.grid.steps // SEED_STEPS)
        with ThreadPoolExecutor(self.workers) as pool:

            def search(items: Items, marks: list[int], stride: int) -> None:
                if self.is_complete:
                    self._batch(engine, rows, best, pool, items, marks, stride)
                    self.seen.append((self.evaluations, best.key[:, 0].copy()))

            if len(engine.seeds) > 0:
                search(engine.seeds, [0, len(engine.seeds)], 1)
            elif stride > 1:
                self._search(search, stride, engine.batch_schedules)
            self._search(search, 1, engine.batch_schedules)
        return best

    def near(
        self, engine: GridEngine, rows: LoadRows, limit: NDArray[np.float64], room: int
    ) -> Near:
        """Find up to `room` best schedules of each load, with a limit on their first sort key.

        limit: largest first key of each load. Incomplete if the budget of evaluations ends.
        """
        best = new_best(rows.load.size, self.n_rungs, room)
        best.key[:, 0] = limit
        items = _items(self.grid.steps, self.n_rungs, 1)
        engine.search(rows, best, items, (0, len(items)), 1, self.budget)
        return best.near

    def _search(
        self,
        search: Callable[[Items, list[int], int], None],
        stride: int,
        batch_schedules: int,
    ) -> None:
        items = _items(self.grid.steps, self.n_rungs, stride)
        schedules = self.grid.schedules(self.n_rungs) // stride ** (self.n_rungs - 1)
        n_batches = min(max(schedules // batch_schedules, 1), _MOST_BATCHES)
        marks = _marks(items, self.grid.steps, self.n_rungs, n_batches * SHARES)
        for batch in range(0, len(marks) - 1, SHARES):
            search(items, marks[batch : batch + SHARES + 1], stride)
            self.progress(marks[min(batch + SHARES, len(marks) - 1)] / len(items))

    def _batch(
        self,
        engine: GridEngine,
        rows: LoadRows,
        best: Incumbents,
        pool: ThreadPoolExecutor,
        items: Items,
        marks: list[int],
        stride: int,
    ) -> None:
        """Search between the marks in parallel, or in sequence if the budget may not suffice."""
        shares = list(pairwise(marks))
        cap = (self.budget - self.evaluations) // len(shares)
        copies = [best._replace(key=best.key.copy(), steps=best.steps.copy()) for _ in shares]

        def search(share: int) -> tuple[int, bool]:
            return engine.search(rows, copies[share], items, shares[share], stride, cap)

        apply = pool.map if len(shares) > 1 else map
        outcomes = list(apply(search, range(len(shares))))
        if all(is_complete for _, is_complete in outcomes):
            for copy in copies:
                merge(best, copy)
            self.evaluations += sum(seen for seen, _ in outcomes)
            return
        cap = self.budget - self.evaluations
        whole = (marks[0], marks[-1])
        seen, self.is_complete = engine.search(rows, best, items, whole, stride, cap)
        self.evaluations += seen


def course_of(search: GridSearch, is_found: NDArray[np.bool_]) -> tuple[SearchProgress, ...]:
    """Convergence trace of a grid search, over the loads for which it finds a schedule.

    is_found: these loads. The value is inf as long as one of them has no schedule.
    """
    course: list[SearchProgress] = []
    for effort, keys in search.seen:
        found = float(keys[is_found].mean()) / search.units if is_found.any() else math.inf
        if not course or found < course[-1].found:
            course.append(SearchProgress(effort, -math.inf, found))
    return tuple(course)


def _items(steps: int, n_rungs: int, stride: int) -> NDArray[np.int64]:
    """First stretches in steps, lexicographically ascending [items, 0 to 2]: the units of work."""
    axis = np.arange(0, steps + 1, stride)
    if n_rungs <= 2:
        return np.zeros((1, 0), dtype=np.int64)
    if n_rungs == 3 or axis.size > _MOST_PAIRED_STEPS:
        return axis[:, None].astype(np.int64)
    first, second = np.meshgrid(axis, axis, indexing="ij")
    return np.stack([first, second], axis=-1)[first + second <= steps].astype(np.int64)


def _marks(items: Items, steps: int, n_rungs: int, n_parts: int) -> list[int]:
    """Divide the items into parts with about the same number of schedules each."""
    free = n_rungs - 1 - items.shape[1]
    room = (steps + 1 - items.sum(axis=1)) / (steps + 1)
    size = np.cumsum(room**free)
    cuts = np.searchsorted(size, size[-1] * np.arange(1, n_parts) / n_parts) + 1
    return np.unique([0, *cuts.tolist(), len(items)]).tolist()
