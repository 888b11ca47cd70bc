"""SCIP and CP-SAT through OR-Tools MathOpt. Imported only in a child, which limits wall time."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import ortools
from ortools.math_opt import model_pb2
from ortools.math_opt.python import mathopt

from tailc_solvers.backends.linear import (
    GRID_STEPS,
    MOST_GRID_STEPS,
    BackendLimits,
    Duals,
    LinearProgram,
    SolverAnswer,
    SolverOutcome,
    SolverPoint,
    Vector,
    grid_steps,
)

TOLERANCE = 1e-9
"""Tolerance of feasibility and gap (absolute), set in every solver that has the parameter."""

CP_SAT_TIME_PER_NODE = 1e-4
"""Deterministic time of CP-SAT (1 is about a second) per node of a limit for other solvers."""

CP_SAT_PRECISION = 5e-7
"""By how much rounding to whole coefficients may change a row; its default is the tolerance of our
check, 1e-6."""

CP_SAT_LARGEST = 1e9
"""Largest bound of an integer variable: usual sums of such variables stay within 53 bits."""

_OUTCOMES = {
    mathopt.TerminationReason.OPTIMAL: SolverOutcome.OPTIMAL,
    mathopt.TerminationReason.FEASIBLE: SolverOutcome.FEASIBLE,
    mathopt.TerminationReason.INFEASIBLE: SolverOutcome.INFEASIBLE,
    mathopt.TerminationReason.UNBOUNDED: SolverOutcome.UNBOUNDED,
    mathopt.TerminationReason.NO_SOLUTION_FOUND: SolverOutcome.LIMIT,
}


def solve_scip(program: LinearProgram, limits: BackendLimits) -> SolverAnswer:
    """Solve a program with SCIP, by branch, cut and price."""
    params = _params()
    params.threads = 1
    params.random_seed = limits.seed
    params.node_limit = limits.nodes
    params.gscip.real_params["numerics/feastol"] = TOLERANCE
    return _solve(program, mathopt.SolverType.GSCIP, params)


def solve_cp_sat(program: LinearProgram, limits: BackendLimits) -> SolverAnswer:
    """Solve a program with CP-SAT: constraint programming over integers.

    Continuous variables are rounded to a grid, so the answer is GRID_OPTIMAL, without a bound.
    CP-SAT represents about ten million steps from 0 to a bound and truncates larger values, so a
    variable with a larger bound is divided by the size of its step.
    """
    params = _params()
    params.threads = 1
    params.random_seed = limits.seed
    params.cp_sat.max_deterministic_time = limits.nodes * CP_SAT_TIME_PER_NODE
    params.cp_sat.mip_var_scaling = float(GRID_STEPS)
    params.cp_sat.mip_wanted_precision = CP_SAT_PRECISION
    if (why := _beyond(program)) is not None:
        return SolverAnswer(SolverOutcome.REFUSED, solver="cp_sat", message=why)
    params.cp_sat.mip_max_bound = max(MOST_GRID_STEPS, _largest_whole(program))
    size = np.maximum(grid_steps(program) * GRID_STEPS, 1.0)
    answer = _solve(_divided(program, size), mathopt.SolverType.CP_SAT, params)
    if answer.point is not None:
        answer = replace(answer, point=replace(answer.point, x=answer.point.x * size))
    return answer if program.integer.all() else _of_grid(answer)


def _beyond(program: LinearProgram) -> str | None:
    """Why CP-SAT would cut off values of a variable, as a sentence; None if it does not."""
    if not (np.isfinite(program.lower).all() and np.isfinite(program.upper).all()):
        return "a variable has no bound, and CP-SAT needs one for each"
    if (largest := _largest_whole(program)) <= CP_SAT_LARGEST:
        return None
    return f"a whole variable may be {largest:.3g}, and CP-SAT takes up to {CP_SAT_LARGEST:.0g}"


def _largest_whole(program: LinearProgram) -> float:
    """The largest size of a bound of a whole variable; 0 without one."""
    magnitude = np.maximum(np.abs(program.lower), np.abs(program.upper))
    return float(magnitude[program.integer].max(initial=0.0))


def _divided(program: LinearProgram, size: Vector) -> LinearProgram:
    """The program of x / size, where size is a power of two for each variable."""
    return replace(
        program,
        cost=program.cost * size,
        lower=program.lower / size,
        upper=program.upper / size,
        value=program.value * size[program.column],
    )


def _of_grid(answer: SolverAnswer) -> SolverAnswer:
    if answer.outcome is SolverOutcome.INFEASIBLE:
        return SolverAnswer(
            SolverOutcome.LIMIT, solver=answer.solver, message="no point on the grid"
        )
    if answer.outcome is SolverOutcome.OPTIMAL:
        return replace(answer, outcome=SolverOutcome.GRID_OPTIMAL, bound=None)
    return replace(answer, bound=None)


def _params() -> mathopt.SolveParameters:
    return mathopt.SolveParameters(
        enable_output=False,
        relative_gap_tolerance=TOLERANCE,
        absolute_gap_tolerance=TOLERANCE,
    )


def _solve(
    program: LinearProgram, solver: mathopt.SolverType, params: mathopt.SolveParameters
) -> SolverAnswer:
    model = mathopt.Model.from_model_proto(_proto(program))
    result = mathopt.solve(model, solver, params=params)
    name = f"{solver.name.lower()} (ortools {ortools.__version__})"
    outcome = _outcome(program, result.termination)
    if not outcome.has_point:
        return SolverAnswer(outcome, solver=name, message=result.termination.detail)
    bound = result.termination.objective_bounds.dual_bound
    duals = None
    if result.has_dual_feasible_solution():
        rows = result.dual_values(list(model.linear_constraints()))
        duals = Duals(np.array(rows, dtype=np.float64))
    x = result.variable_values(list(model.variables()))
    return SolverAnswer(
        outcome,
        SolverPoint(np.array(x, dtype=np.float64), result.objective_value()),
        bound=bound if math.isfinite(bound) else None,
        duals=duals,
        solver=name,
    )


def _outcome(program: LinearProgram, termination: mathopt.Termination) -> SolverOutcome:
    if termination.reason is mathopt.TerminationReason.INFEASIBLE_OR_UNBOUNDED:
        is_bounded = np.isfinite(program.lower).all() and np.isfinite(program.upper).all()
        return SolverOutcome.INFEASIBLE if is_bounded else SolverOutcome.REFUSED
    return _OUTCOMES.get(termination.reason, SolverOutcome.REFUSED)


def _proto(program: LinearProgram) -> model_pb2.ModelProto:
    model = model_pb2.ModelProto()
    model.variables.ids.extend(range(program.n_variables))
    model.variables.lower_bounds.extend(program.lower.tolist())
    model.variables.upper_bounds.extend(program.upper.tolist())
    model.variables.integers.extend(program.integer.tolist())
    model.linear_constraints.ids.extend(range(program.n_rows))
    model.linear_constraints.lower_bounds.extend(program.row_lower.tolist())
    model.linear_constraints.upper_bounds.extend(program.row_upper.tolist())
    order = np.lexsort((program.column, program.row))
    used = order[program.value[order] != 0.0]
    model.linear_constraint_matrix.row_ids.extend(program.row[used].tolist())
    model.linear_constraint_matrix.column_ids.extend(program.column[used].tolist())
    model.linear_constraint_matrix.coefficients.extend(program.value[used].tolist())
    costly = np.flatnonzero(program.cost)
    model.objective.linear_coefficients.ids.extend(costly.tolist())
    model.objective.linear_coefficients.values.extend(program.cost[costly].tolist())
    model.objective.offset = program.offset
    return model
