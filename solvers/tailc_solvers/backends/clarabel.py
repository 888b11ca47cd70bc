"""Clarabel: interior point for linear and other convex programs. Imported in a child only.

    minimise  q x   subject to  M x + s = b,  s in cones

Equations are the zero cone; every other finite bound, of a row or of a variable, is one row of the
nonnegative cone.
"""
# The library is compiled and has no type information.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import clarabel
import numpy as np
from scipy import sparse

from tailc_solvers.backends.linear import (
    BackendLimits,
    Duals,
    LinearProgram,
    SolverAnswer,
    SolverOutcome,
    SolverPoint,
)

MOST_ITERATIONS = 500
TOLERANCE = 1e-9
"""Tolerance of feasibility, and of the absolute and the relative gap."""

_OUTCOMES = {
    clarabel.SolverStatus.Solved: SolverOutcome.OPTIMAL,
    clarabel.SolverStatus.PrimalInfeasible: SolverOutcome.INFEASIBLE,
    clarabel.SolverStatus.DualInfeasible: SolverOutcome.UNBOUNDED,
    clarabel.SolverStatus.AlmostSolved: SolverOutcome.FEASIBLE,
    clarabel.SolverStatus.MaxIterations: SolverOutcome.LIMIT,
}


def solve(program: LinearProgram, limits: BackendLimits) -> SolverAnswer:
    """Solve a linear program by the interior-point method; REFUSED if it has integer variables."""
    del limits  # Iterations are limited and nothing is random; the wall limit only aborts.
    if program.integer.any():
        return SolverAnswer(SolverOutcome.REFUSED, message="Clarabel takes no whole variables")
    A = sparse.csc_matrix(
        (program.value, (program.row, program.column)), shape=(program.n_rows, program.n_variables)
    )
    unit = sparse.identity(program.n_variables, format="csc")
    is_equal = program.row_lower == program.row_upper
    parts = [
        (A, np.flatnonzero(is_equal), 1.0, program.row_upper),
        (A, np.flatnonzero(~is_equal & np.isfinite(program.row_upper)), 1.0, program.row_upper),
        (A, np.flatnonzero(~is_equal & np.isfinite(program.row_lower)), -1.0, program.row_lower),
        (unit, np.flatnonzero(np.isfinite(program.upper)), 1.0, program.upper),
        (unit, np.flatnonzero(np.isfinite(program.lower)), -1.0, program.lower),
    ]
    M = sparse.vstack([sign * matrix.tocsr()[at] for matrix, at, sign, _ in parts]).tocsc()
    b = np.concatenate([sign * bound[at] for _, at, sign, bound in parts])
    equations = int(is_equal.sum())
    cones = [clarabel.ZeroConeT(equations), clarabel.NonnegativeConeT(b.size - equations)]
    P = sparse.csc_matrix((program.n_variables, program.n_variables))
    found = clarabel.DefaultSolver(P, program.cost, M, b, cones, _settings()).solve()
    return _answer(program, found, [(at, sign) for matrix, at, sign, _ in parts if matrix is A])


def _settings() -> clarabel.DefaultSettings:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.max_iter = MOST_ITERATIONS
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TOLERANCE
    return settings


def _answer(
    program: LinearProgram,
    found: clarabel.DefaultSolution,
    row_parts: list[tuple[np.ndarray, float]],
) -> SolverAnswer:
    outcome = _OUTCOMES.get(found.status, SolverOutcome.REFUSED)
    name = f"clarabel {clarabel.__version__}"
    if not outcome.has_point:
        return SolverAnswer(outcome, solver=name, message=str(found.status))
    dual = np.zeros(program.n_rows)
    z = np.array(found.z)
    start = 0
    for at, sign in row_parts:
        dual[at] -= sign * z[start : start + at.size]
        start += at.size
    return SolverAnswer(
        outcome,
        SolverPoint(np.array(found.x), found.obj_val + program.offset),
        bound=found.obj_val_dual + program.offset,
        duals=Duals(dual),
        solver=name,
    )
