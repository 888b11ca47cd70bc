"""How long plans of malleable jobs take: one column per schedule beside time-indexed programs.

    python -m bench.green_parallel [--quick]

Days as in `bench.parallel_jobs`. Every plan passes the exact checks. The gap of columns is proved
by their own bound, in whole numbers; that of a time-indexed program is the solver's word, and the
last column measures its plan by the bound of columns. Solvers run in a child that has
answered before, on one core; time-indexed ones are ended by nodes, and after a minute in any case.
`CPU` is that of this process and the child; a gap within the CPU time that is wanted is met.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from contextlib import ExitStack

from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.linear import BackendLimits
from tailc_solvers.green.parallel.columns import ColumnsEffort, solve_columns
from tailc_solvers.green.parallel.indexed_plan import solve_indexed
from tailc_solvers.green.parallel.problem import ParallelProblem
from tailc_solvers.green.parallel.solution import ParallelSolution

from bench.parallel_jobs import day_of
from bench.timing import cpu_seconds, show

AIMS = {12: (0.005, 0.5), 26: (0.01, 5.0), 113: (0.02, 60.0)}
"""By jobs: relative gap, and seconds within which it is wanted."""

ASKED = {12: (Backend.HIGHS, Backend.SCIP, Backend.CP_SAT), 26: (Backend.HIGHS,), 113: ()}
WALL_S = 60.0
INDEXED_NODES = {Backend.HIGHS: 100, Backend.SCIP: 2_000, Backend.CP_SAT: 100_000}
"""For 12 jobs; for more, fewer in proportion to the square."""

SEEDS = (0, 1, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one day of each, columns only")
    is_quick = parser.parse_args().quick
    with ExitStack() as children:
        solvers = {b: children.enter_context(Solver(b)) for b in ASKED[12]}
        solve_columns(day_of(12, 99), solvers[Backend.HIGHS], effort=ColumnsEffort(nodes=2))
        rows = []
        for jobs in AIMS:
            for seed in SEEDS[:1] if is_quick else SEEDS:
                asked = () if is_quick or seed else ASKED[jobs]
                rows += _day(jobs, seed, {b: solvers[b] for b in asked}, solvers[Backend.HIGHS])
    header = ["jobs, method", "time, s", "CPU, s", "columns = 1", "cost, $", "own gap, %"]
    header += ["gap by columns' bound, %"]
    show(header, rows)


def _day(jobs: int, seed: int, asked: dict[Backend, Solver], solver: Solver) -> list[list[str]]:
    problem = day_of(jobs, seed)
    aim, within_s = AIMS[jobs]
    effort = ColumnsEffort(aim=aim)
    took, cpu, own = _timed(lambda: solve_columns(problem, solver, effort=effort).solution)
    assert own.bounds.proved is not None, "these days have plans"
    reached = own.gap is not None and own.gap <= aim and cpu <= within_s
    word = "met" if reached else f"missed: {100 * aim:g} % in {within_s:g} s"
    rows = [_row(f"{jobs}, columns, {word}", took, cpu, took, own, float(own.bounds.proved))]
    for backend, child in asked.items():
        seconds, cpu, found = _timed(lambda c=child, b=backend: _indexed(problem, c, b))
        rows.append(_row(f"{jobs}, {backend}", seconds, cpu, took, found, float(own.bounds.proved)))
    return rows


def _indexed(problem: ParallelProblem, solver: Solver, backend: Backend) -> ParallelSolution:
    nodes = INDEXED_NODES[backend] * 12**2 // len(problem.jobs) ** 2
    return solve_indexed(problem, solver, BackendLimits(wall_s=WALL_S, nodes=nodes))


def _timed(work: Callable[[], ParallelSolution]) -> tuple[float, float, ParallelSolution]:
    begun, cpu = time.perf_counter(), cpu_seconds()
    found = work()
    return time.perf_counter() - begun, cpu_seconds() - cpu, found


def _row(
    name: str, seconds: float, cpu_s: float, columns_s: float, found: ParallelSolution, bound: float
) -> list[str]:
    times = [f"{seconds:.2f}", f"{cpu_s:.2f}", f"{seconds / columns_s:.1f}"]
    if found.best is None:
        return [name, *times, str(found.outcome or found.ending), "", ""]
    cost = float(found.best.ledger.cost)
    low = found.bounds.claimed if found.bounds.proved is None else float(found.bounds.proved)
    own = "" if low is None else f"{100 * (cost - low) / cost:.2f}"
    return [name, *times, f"{cost / 1e6:.4f}", own, f"{100 * (cost - bound) / cost:.2f}"]


if __name__ == "__main__":
    main()
