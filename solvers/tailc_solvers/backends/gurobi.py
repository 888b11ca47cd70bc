"""Gurobi through gurobipy, whose wheel carries a licence for small programs. In a child only."""

from __future__ import annotations

import gurobipy
import numpy as np
from gurobipy import GRB
from scipy import sparse

from tailc_solvers.backends.linear import (
    BackendLimits,
    Duals,
    LinearProgram,
    SolverAnswer,
    SolverOutcome,
    SolverPoint,
)

TOLERANCE = 1e-9
"""Tolerance of feasibility, optimality and gap: the smallest that Gurobi accepts."""

_OUTCOMES = {
    GRB.OPTIMAL: SolverOutcome.OPTIMAL,
    GRB.INFEASIBLE: SolverOutcome.INFEASIBLE,
    GRB.UNBOUNDED: SolverOutcome.UNBOUNDED,
    GRB.NODE_LIMIT: SolverOutcome.LIMIT,
}


def solve(program: LinearProgram, limits: BackendLimits) -> SolverAnswer:
    """Solve a program by simplex or branch and bound; TOO_LARGE above the licence's size limit."""
    with gurobipy.Env(params=_params(limits)) as env, gurobipy.Model(env=env) as model:
        try:
            return _solve_model(program, model)
        except gurobipy.GurobiError as error:
            if error.errno == GRB.Error.SIZE_LIMIT_EXCEEDED:
                return SolverAnswer(SolverOutcome.TOO_LARGE, solver=_name(), message=str(error))
            raise


def _solve_model(program: LinearProgram, model: gurobipy.Model) -> SolverAnswer:
    x = model.addMVar(
        program.n_variables,
        lb=program.lower,
        ub=program.upper,
        obj=program.cost,
        vtype=np.where(program.integer, GRB.INTEGER, GRB.CONTINUOUS),
    )
    model.ObjCon = program.offset
    rows = _add_rows(program, model, x)
    model.optimize()
    outcome = _OUTCOMES.get(model.Status, SolverOutcome.REFUSED)
    if outcome is SolverOutcome.LIMIT and model.SolCount > 0:
        outcome = SolverOutcome.FEASIBLE
    if not outcome.has_point:
        return SolverAnswer(outcome, solver=_name(), message=f"status {model.Status}")
    return SolverAnswer(
        outcome,
        SolverPoint(np.array(x.X, dtype=np.float64), model.ObjVal),
        bound=model.ObjBound if model.IsMIP else None,
        duals=None if model.IsMIP else Duals(_dual(program, rows)),
        solver=_name(),
    )


def _add_rows(program: LinearProgram, model: gurobipy.Model, x: gurobipy.MVar):
    """Add equations, upper and lower bounds of rows; return their indices and constraints."""
    A = sparse.csr_matrix(
        (program.value, (program.row, program.column)), shape=(program.n_rows, program.n_variables)
    )
    is_equal = program.row_lower == program.row_upper
    parts = [
        (np.flatnonzero(is_equal), "=", program.row_upper),
        (np.flatnonzero(~is_equal & np.isfinite(program.row_upper)), "<", program.row_upper),
        (np.flatnonzero(~is_equal & np.isfinite(program.row_lower)), ">", program.row_lower),
    ]
    return [
        (at, model.addMConstr(A[at], x, sense, bound[at])) for at, sense, bound in parts if at.size
    ]


def _dual(program: LinearProgram, rows) -> np.ndarray:
    dual = np.zeros(program.n_rows)
    for at, constraint in rows:
        dual[at] += constraint.Pi
    return dual


def _params(limits: BackendLimits) -> dict[str, float]:
    return {
        "OutputFlag": 0,
        "Threads": 1,
        "Seed": limits.seed,
        "NodeLimit": float(limits.nodes),
        "FeasibilityTol": TOLERANCE,
        "OptimalityTol": TOLERANCE,
        "IntFeasTol": TOLERANCE,
        "MIPGap": TOLERANCE,
        "MIPGapAbs": TOLERANCE,
    }


def _name() -> str:
    return "gurobi " + ".".join(str(part) for part in gurobipy.gurobi.version())
