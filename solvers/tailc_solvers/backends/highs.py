"""HiGHS through highspy. In a child of its own: OR-Tools cannot be imported beside it."""

from __future__ import annotations

import functools
import math

import highspy
import numpy as np
from numpy.typing import NDArray

from tailc_solvers.backends.linear import (
    Answer,
    Basis,
    Limits,
    LinearProgram,
    Outcome,
    Place,
    Vector,
)

Places = NDArray[np.int64]

TOLERANCE = 1e-9
"""Of feasibility and of the gap, absolute; of the gap relative as well."""

PRIMAL_OR_DUAL = 0
"""As fits the start: a third less time than the dual method alone where columns were added."""

_STATUSES = highspy.HighsModelStatus
_OUTCOMES = {
    _STATUSES.kOptimal: Outcome.OPTIMAL,
    _STATUSES.kInfeasible: Outcome.INFEASIBLE,
    _STATUSES.kUnbounded: Outcome.UNBOUNDED,
    _STATUSES.kSolutionLimit: Outcome.LIMIT,
}
_PLACES = {
    int(Place.AT_LOWER): highspy.HighsBasisStatus.kLower,
    int(Place.BASIC): highspy.HighsBasisStatus.kBasic,
    int(Place.AT_UPPER): highspy.HighsBasisStatus.kUpper,
    int(Place.FREE): highspy.HighsBasisStatus.kZero,
}
_CODES = {status.value: place for place, status in _PLACES.items()}
"""By their numbers: to look a status itself up takes twenty times as long."""


def solve(program: LinearProgram, limits: Limits) -> Answer:
    """Simplex, from the program's start where it has one, and branch and bound."""
    highs = highspy.Highs()
    highs.passOptions(_options(limits.nodes, limits.seed))
    _pass_model(highs, program)
    if program.start is not None:
        highs.setBasis(_basis(program.start))
    if highs.run() == highspy.HighsStatus.kError and program.start is not None:
        highs.clearSolver()
        highs.run()
    status = highs.getModelStatus()
    outcome = _outcome(program, status, highs.getInfo().primal_solution_status)
    name = f"highs {highs.version()}"
    if not outcome.has_point:
        return Answer(outcome, solver=name, message=highs.modelStatusToString(status))
    return _found(program, highs, outcome, name)


def _found(program: LinearProgram, highs: highspy.Highs, outcome: Outcome, name: str) -> Answer:
    solution, info = highs.getSolution(), highs.getInfo()
    is_linear = not program.integer.any()
    bound = info.objective_function_value if is_linear else info.mip_dual_bound
    is_proved = math.isfinite(bound) and (outcome is Outcome.OPTIMAL or not is_linear)
    x = np.array(solution.col_value, dtype=np.float64)
    return Answer(
        outcome,
        x=x,
        objective=info.objective_function_value,
        bound=bound if is_proved else None,
        dual=np.array(solution.row_dual, dtype=np.float64) if is_linear else None,
        solver=name,
        basis=_corner(program, highs, x) if is_linear else None,
    )


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
    if (column[1:] < column[:-1]).any():
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
    if status == highspy.HighsStatus.kError:
        raise ValueError("HiGHS does not take the program")


def _basis(start: Basis) -> highspy.HighsBasis:
    basis = highspy.HighsBasis()
    basis.col_status = [_PLACES[code] for code in start.variables.tolist()]
    basis.row_status = [_PLACES[code] for code in start.rows.tolist()]
    basis.valid = True
    return basis


def _corner(program: LinearProgram, highs: highspy.Highs, x: Vector) -> Basis | None:
    """As `_told`, from the numbers of what is basic: statuses one by one take as long as a solve.

    What is basic is known while there is a factor of it. All else is at the bound that it is close
    to, and at the lower one of two that are equal.
    """
    status, basic = highs.getBasicVariables()  # pyright: ignore[reportAttributeAccessIssue]
    if status != highspy.HighsStatus.kOk or not highs.getBasis().valid:
        return _told(highs.getBasis())
    rows = np.array(highs.getSolution().row_value, dtype=np.float64)
    variables, rows = (
        _bounds_at(at, lower, upper)
        for at, lower, upper in (
            (x, program.lower, program.upper),
            (rows, program.row_lower, program.row_upper),
        )
    )
    variables[basic[basic >= 0]] = Place.BASIC
    rows[-1 - basic[basic < 0]] = Place.BASIC
    return Basis(variables, rows)


def _bounds_at(at: Vector, lower: Vector, upper: Vector) -> Places:
    """At which bound something is that is not basic."""
    is_upper = np.abs(upper - at) < np.abs(at - lower)
    is_free = np.isinf(lower) & np.isinf(upper)
    return np.where(is_free, Place.FREE, np.where(is_upper, Place.AT_UPPER, Place.AT_LOWER))


def _told(basis: highspy.HighsBasis) -> Basis | None:
    """The corner; None where HiGHS has none, or leaves open at which bound something is."""
    parts = [[_CODES.get(s.value) for s in part] for part in (basis.col_status, basis.row_status)]
    if not basis.valid or any(None in part for part in parts):
        return None
    return Basis(*(np.array(part, dtype=np.int64) for part in parts))


def _outcome(
    program: LinearProgram, status: highspy.HighsModelStatus, has_point: object
) -> Outcome:
    if status == _STATUSES.kUnboundedOrInfeasible:
        is_bounded = np.isfinite(program.lower).all() and np.isfinite(program.upper).all()
        return Outcome.INFEASIBLE if is_bounded else Outcome.REFUSED
    outcome = _OUTCOMES.get(status, Outcome.REFUSED)
    if outcome is Outcome.LIMIT and has_point == highspy.SolutionStatus.kSolutionStatusFeasible:
        return Outcome.FEASIBLE
    return outcome
