"""Pack all possible runs of several jobs in arrays; one kernel call then searches all of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from tailc_solvers.green.parallel.parts import RunBatch, Whole
from tailc_solvers.green.parallel.problem import ParallelProblem
from tailc_solvers.green.parallel.runs import JobRun, grid_of, waiting_each
from tailc_solvers.green.parallel.states import States, WorkGrid


class _Kinds:
    """Levels of each job and shape."""

    def __init__(self, problem: ParallelProblem, runs: Sequence[JobRun]) -> None:
        kinds = dict.fromkeys((run.job, run.shape) for run in runs)
        self.number = {kind: number for number, kind in enumerate(kinds)}
        jobs = problem.jobs
        self._problem = problem
        self._presents = [jobs[job].present for job, _ in kinds]
        self._shapes = [jobs[job].shapes[shape] for job, shape in kinds]

    def arrays(self) -> dict[str, Whole]:
        """The arrays, by their names in Batch."""
        moves, shapes = self._problem.moves_mj, self._shapes
        levels = [shape.servers.size for shape in shapes]
        servers = _join([shape.servers for shape in shapes])
        first = [moves[n, shape.servers] for n, shape in zip(self._presents, shapes, strict=True)]
        return {
            "level": _begins(levels),
            "square": _begins([count * count for count in levels]),
            "servers": servers,
            "power_mw": self._problem.power_mw[servers],
            "first_mj": _join(first),
            "end_mj": moves[servers, 0],
            "speed_ppt": _join([shape.speed_ppt for shape in shapes]),
            "moves_mj": _join([moves[np.ix_(s.servers, s.servers)].ravel() for s in shapes]),
        }


class _Grids:
    """States of each grid, shared by runs of one job that do the same work."""

    def __init__(self, most_cells: int) -> None:
        self._most_cells = most_cells
        self._known: dict[tuple[int, int, bytes], tuple[int, int]] = {}
        self._states: list[States] = []

    def numbers(self, run: JobRun) -> tuple[int, int]:
        """Numbers of a run's grid with work rounded down, and up; -1 if nothing is rounded."""
        key = run.job, run.shape, run.work.tobytes()
        if key not in self._known:
            grid = grid_of(run, self._most_cells)
            self._known[key] = self._add(grid.states_down()), self._up(grid)
        return self._known[key]

    def arrays(self) -> dict[str, Whole]:
        """The arrays, by their names in Batch."""
        after = [states.after.ravel() for states in self._states]
        return {
            "states": _begins([states.first.size for states in self._states]),
            "place": _begins([part.size for part in after]),
            "number": _join([states.first for states in self._states]),
            "idle": _join([states.idle for states in self._states]),
            "after": _join(after),
            "value": np.empty(max((part.size for part in after), default=0), dtype=np.int64),
        }

    def _add(self, states: States) -> int:
        self._states.append(states)
        return len(self._states) - 1

    def _up(self, grid: WorkGrid) -> int:
        return -1 if grid.is_exact else self._add(grid.states_up())


def batch_of(
    problem: ParallelProblem, runs: Sequence[Sequence[JobRun]], most_cells: int
) -> RunBatch:
    """Pack the possible runs of each job in arrays for the search of cheap schedules.

    runs: for each job, its choices of shape and start epoch. most_cells: largest number of units in
    which the work of one run is counted.
    """
    flat = [run for of_job in runs for run in of_job]
    kinds, grids = _Kinds(problem, flat), _Grids(most_cells)
    at = np.array([grids.numbers(run) for run in flat], dtype=np.int64).reshape(-1, 2)
    sizes = [run.work.shape for run in flat]
    jobs = [problem.jobs[run.job] for run in flat]
    return RunBatch(
        first=_begins([len(of_job) for of_job in runs]),
        kind=_whole([kinds.number[run.job, run.shape] for run in flat]),
        shape=_whole([run.shape for run in flat]),
        start=_whole([run.start for run in flat]),
        epochs=_whole([epochs for epochs, _ in sizes]),
        deadline_ms=_whole([job.deadline_ms for job in jobs]),
        work_left=_whole([job.work_left for job in jobs]),
        down=np.ascontiguousarray(at[:, 0]),
        up=np.ascontiguousarray(at[:, 1]),
        length_s=problem.length_s,
        waiting=waiting_each(problem),
        room=np.empty(max((L + K * L * (L + 1) for K, L in sizes), default=0), dtype=np.int64),
        **kinds.arrays(),
        **grids.arrays(),
    )


def _whole(values: Sequence[int]) -> Whole:
    return np.array(values, dtype=np.int64)


def _begins(sizes: Sequence[int]) -> Whole:
    """Start of each part, and end of the last."""
    return _whole([*accumulate(sizes, initial=0)])


def _join(parts: Sequence[Whole]) -> Whole:
    return np.concatenate([_whole([]), *parts])
