"""HiGHS through highspy, in its own child process: it cannot share one with OR-Tools.

Column generation solves the last program again with more variables and other upper bounds, from the
last basis. HiGHS then keeps its state, above all the factorization: sending a small program with
its basis again takes as long as solving it.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field, replace

import highspy
import numpy as np
from numpy.typing import NDArray

from tailc_solvers.backends.linear import (
    BackendLimits,
    Basis,
    BasisStatus,
    Duals,
    LinearProgram,
    SolverAnswer,
    SolverOutcome,
    SolverPoint,
    Vector,
)
from tailc_solvers.course import SearchProgress

Places = NDArray[np.int64]

TOLERANCE = 1e-9
"""Tolerance of feasibility, and of the absolute and the relative gap."""

WORTH_TELLING = 0.01
"""Rise of the bound that a search course records: share of the gap, or of the bound without one."""

PRIMAL_OR_DUAL = 0
"""HiGHS chooses: a third less time than the dual simplex alone when columns were added."""

_STATUSES = highspy.HighsModelStatus
_OUTCOMES = {
    _STATUSES.kOptimal: SolverOutcome.OPTIMAL,
    _STATUSES.kInfeasible: SolverOutcome.INFEASIBLE,
    _STATUSES.kUnbounded: SolverOutcome.UNBOUNDED,
    _STATUSES.kSolutionLimit: SolverOutcome.LIMIT,
}
_PLACES = {
    int(BasisStatus.AT_LOWER): highspy.HighsBasisStatus.kLower,
    int(BasisStatus.BASIC): highspy.HighsBasisStatus.kBasic,
    int(BasisStatus.AT_UPPER): highspy.HighsBasisStatus.kUpper,
    int(BasisStatus.FREE): highspy.HighsBasisStatus.kZero,
}
_CODES = {status.value: place for place, status in _PLACES.items()}
"""Outcomes by the number of a status: a look-up by the status takes twenty times as long."""


@dataclass(frozen=True, eq=False)
class _Last:
    """The last linear program with its final basis and the state of HiGHS."""

    highs: highspy.Highs
    program: LinearProgram
    basis: Basis
    seed: int


_last: _Last | None = None


@dataclass
class _Watch:
    """Record the progress of branch and bound, by the number of HiGHS callbacks.

    HiGHS calls back after each piece of work, so the same program gives the same convergence trace.
    The number of nodes is too small for that, because HiGHS does most of its work at the root.
    """

    checks: int = 0
    course: list[SearchProgress] = field(default_factory=list)

    def __call__(
        self, _kind: object, _message: str, out: highspy.cb.HighsCallbackOutput, *_rest: object
    ) -> None:
        """Record an improvement of the bound or of the best point."""
        self.checks += 1
        now = SearchProgress(self.checks, float(out.mip_dual_bound), float(out.mip_primal_bound))
        before = self.course[-1] if self.course else SearchProgress(0, -math.inf, math.inf)
        if _is_further(before, now):
            self.course.append(now)


def _is_further(before: SearchProgress, now: SearchProgress) -> bool:
    """Whether a better point is known, or the bound has improved by a noticeable share."""
    if now.found < before.found or before.bound == -math.inf:
        return now[1:] != before[1:]
    reach = abs(now.found - before.bound) if math.isfinite(now.found) else abs(before.bound)
    return now.bound - before.bound > WORTH_TELLING * reach


def solve(program: LinearProgram, limits: BackendLimits) -> SolverAnswer:
    """Solve a program by simplex, or by branch and bound if it has integer variables.

    Simplex begins at the program's start basis if it has one.
    """
    global _last  # noqa: PLW0603 (a child answers one question after another)
    last, _last = _last, None
    if last is not None and _goes_on(program, last, limits.seed):
        highs = _extend_model(last, program)
    else:
        highs = _new_model(program, limits)
    answer = _answer(highs, program)
    duals = answer.duals
    if answer.outcome is SolverOutcome.OPTIMAL and duals is not None and duals.basis is not None:
        _last = _Last(highs, program, duals.basis, limits.seed)
    return answer


def _new_model(program: LinearProgram, limits: BackendLimits) -> highspy.Highs:
    """A new HiGHS model with only this program."""
    highs = highspy.Highs()
    highs.passOptions(_options(limits.nodes, limits.seed))
    _pass_model(highs, program)
    if program.start is not None:
        highs.setBasis(_basis(program.start))
    return highs


def _answer(highs: highspy.Highs, program: LinearProgram) -> SolverAnswer:
    watch = _Watch()
    if program.integer.any():
        highs.setCallback(watch, None)
        highs.startCallback(highspy.cb.HighsCallbackType.kCallbackMipInterrupt)
    if highs.run() == highspy.HighsStatus.kError and program.start is not None:
        highs.clearSolver()
        highs.run()
    status = highs.getModelStatus()
    outcome = _outcome(program, status, highs.getInfo().primal_solution_status)
    name = f"highs {highs.version()}"
    if not outcome.has_point:
        return SolverAnswer(outcome, solver=name, message=highs.modelStatusToString(status))
    return replace(_read_answer(program, highs, outcome, name), course=tuple(watch.course))


def _goes_on(program: LinearProgram, last: _Last, seed: int) -> bool:
    """Whether the program continues the last one from its basis, possibly with other limits."""
    old, start = last.program, program.start
    n, e = old.n_variables, old.value.size
    if start is None or program.n_rows != old.n_rows or seed != last.seed:
        return False
    pairs = [
        *((program.row_lower, old.row_lower), (program.row_upper, old.row_upper)),
        *((program.cost[:n], old.cost), (program.lower[:n], old.lower)),
        *((program.row[:e], old.row), (program.column[:e], old.column)),
        *((program.value[:e], old.value), (start.rows, last.basis.rows)),
        (start.variables[:n], last.basis.variables),
    ]
    is_same = program.offset == old.offset and all(np.array_equal(a, b) for a, b in pairs)
    is_new = bool((program.column[e:] >= n).all() and _ascend(program.column[e:]))
    is_at_zero = bool((start.variables[n:] == BasisStatus.AT_LOWER).all())
    return is_same and is_new and is_at_zero and not program.integer.any()


def _extend_model(last: _Last, program: LinearProgram) -> highspy.Highs:
    """The last HiGHS model with the upper bounds and the additional variables of this program."""
    highs, old = last.highs, last.program
    n, e = old.n_variables, old.value.size
    changed = np.flatnonzero(program.upper[:n] != old.upper).astype(np.int32)
    if changed.size:
        bounds = program.lower[changed], program.upper[changed]
        _require_taken(highs.changeColsBounds(changed.size, changed, *bounds))
    if program.n_variables > n:
        starts = np.searchsorted(program.column[e:], np.arange(n, program.n_variables))
        status = highs.addCols(
            *(program.n_variables - n, program.cost[n:], program.lower[n:], program.upper[n:]),
            *(program.value.size - e, starts.astype(np.int32)),
            *(program.row[e:].astype(np.int32), program.value[e:]),
        )
        _require_taken(status)
    return highs


def _read_answer(
    program: LinearProgram, highs: highspy.Highs, outcome: SolverOutcome, name: str
) -> SolverAnswer:
    solution, info = highs.getSolution(), highs.getInfo()
    is_linear = not program.integer.any()
    bound = info.objective_function_value if is_linear else info.mip_dual_bound
    is_proved = math.isfinite(bound) and (outcome is SolverOutcome.OPTIMAL or not is_linear)
    x = np.array(solution.col_value, dtype=np.float64)
    return SolverAnswer(
        outcome,
        SolverPoint(x, info.objective_function_value),
        bound=bound if is_proved else None,
        duals=_duals(program, highs, x) if is_linear else None,
        solver=name,
    )


def _duals(program: LinearProgram, highs: highspy.Highs, x: Vector) -> Duals:
    rows = np.array(highs.getSolution().row_dual, dtype=np.float64)
    return Duals(rows, _corner(program, highs, x))


@functools.cache
def _options(nodes: int, seed: int) -> highspy.HighsOptions:
    options = highspy.HighsOptions()
    options.output_flag = False
    options.threads = 1
    options.simplex_strategy = PRIMAL_OR_DUAL
    options.random_seed = seed
    options.mip_max_nodes = nodes
    options.mip_rel_gap = options.mip_abs_gap = TOLERANCE
    options.primal_feasibility_tolerance = options.dual_feasibility_tolerance = TOLERANCE
    options.mip_feasibility_tolerance = TOLERANCE
    return options


def _pass_model(highs: highspy.Highs, program: LinearProgram) -> None:
    column, row, value = program.column, program.row, program.value
    if not _ascend(column):
        order = np.argsort(column, kind="stable")
        column, row, value = column[order], row[order], value[order]
    starts = np.searchsorted(column, np.arange(program.n_variables))
    status = highs.passModel(
        *(program.n_variables, program.n_rows, program.value.size),
        *(int(highspy.MatrixFormat.kColwise), int(highspy.ObjSense.kMinimize), program.offset),
        *(program.cost, program.lower, program.upper, program.row_lower, program.row_upper),
        *(starts.astype(np.int32), row.astype(np.int32), value),
        program.integer.astype(np.int32),
    )
    _require_taken(status)


def _require_taken(status: highspy.HighsStatus) -> None:
    if status == highspy.HighsStatus.kError:
        raise ValueError("HiGHS does not take the program")


def _ascend(numbers: NDArray[np.int64]) -> bool:
    return bool((numbers[1:] >= numbers[:-1]).all())


def _basis(start: Basis) -> highspy.HighsBasis:
    basis = highspy.HighsBasis()
    basis.col_status = [_PLACES[code] for code in start.variables.tolist()]
    basis.row_status = [_PLACES[code] for code in start.rows.tolist()]
    basis.valid = True
    return basis


def _corner(program: LinearProgram, highs: highspy.Highs, x: Vector) -> Basis | None:
    """The basis as in `_read_basis`, from the indices of basic variables, which is faster.

    Reading statuses one by one takes as long as solving. Basic variables are known while there is a
    factorization. All others are at the nearest bound, and at the lower one if both are equal.
    """
    status, basic = highs.getBasicVariables()  # pyright: ignore[reportAttributeAccessIssue]
    if status != highspy.HighsStatus.kOk or not highs.getBasis().valid:
        return _read_basis(highs.getBasis())
    rows = np.array(highs.getSolution().row_value, dtype=np.float64)
    variables, rows = (
        _bounds_at(at, lower, upper)
        for at, lower, upper in (
            (x, program.lower, program.upper),
            (rows, program.row_lower, program.row_upper),
        )
    )
    variables[basic[basic >= 0]] = BasisStatus.BASIC
    rows[-1 - basic[basic < 0]] = BasisStatus.BASIC
    return Basis(variables, rows)


def _bounds_at(at: Vector, lower: Vector, upper: Vector) -> Places:
    """The bound of each nonbasic variable."""
    is_upper = np.abs(upper - at) < np.abs(at - lower)
    is_free = np.isinf(lower) & np.isinf(upper)
    return np.where(
        is_free, BasisStatus.FREE, np.where(is_upper, BasisStatus.AT_UPPER, BasisStatus.AT_LOWER)
    )


def _read_basis(basis: highspy.HighsBasis) -> Basis | None:
    """The basis; None if HiGHS has none or does not say at which bound a variable is."""
    parts = [[_CODES.get(s.value) for s in part] for part in (basis.col_status, basis.row_status)]
    if not basis.valid or any(None in part for part in parts):
        return None
    return Basis(*(np.array(part, dtype=np.int64) for part in parts))


def _outcome(
    program: LinearProgram, status: highspy.HighsModelStatus, has_point: object
) -> SolverOutcome:
    if status == _STATUSES.kUnboundedOrInfeasible:
        is_bounded = np.isfinite(program.lower).all() and np.isfinite(program.upper).all()
        return SolverOutcome.INFEASIBLE if is_bounded else SolverOutcome.REFUSED
    outcome = _OUTCOMES.get(status, SolverOutcome.REFUSED)
    if (
        outcome is SolverOutcome.LIMIT
        and has_point == highspy.SolutionStatus.kSolutionStatusFeasible
    ):
        return SolverOutcome.FEASIBLE
    return outcome
