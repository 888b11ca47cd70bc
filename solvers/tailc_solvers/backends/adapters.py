"""The LP and MIP solvers that can be used, and the package to install for each."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from types import TracebackType
from typing import Self

import numpy as np

from tailc_solvers.backends.child import Child
from tailc_solvers.backends.linear import BackendLimits, LinearProgram, SolverAnswer, SolverOutcome
from tailc_solvers.backends.scaling import (
    cost_size,
    row_sizes,
    scale_costs,
    scale_rows,
    scale_units,
    too_wide,
    unit_sizes,
    unscale_answer,
    unscale_costs,
    unscale_units,
)


class Backend(StrEnum):
    """A general-purpose LP or MIP solver.

    CLARABEL has no integer variables. CP_SAT has only integers: it rounds other variables to a
    grid.
    """

    HIGHS = "highs"
    SCIP = "scip"
    CP_SAT = "cp-sat"
    CLARABEL = "clarabel"
    GUROBI = "gurobi"


_FUNCTIONS = {
    Backend.HIGHS: "highs:solve",
    Backend.SCIP: "mathopt:solve_scip",
    Backend.CP_SAT: "mathopt:solve_cp_sat",
    Backend.CLARABEL: "clarabel:solve",
    Backend.GUROBI: "gurobi:solve",
}
_WHERE = {Backend.GUROBI: "tailc[gurobi]"}
"""What to install for those that do not come with tailc itself."""


class Solver:
    """A solver in a child process that answers any number of programs; use as a context manager."""

    def __init__(self, backend: Backend | str) -> None:
        self.backend = Backend(backend)
        self._child = Child(f"tailc_solvers.backends.{_FUNCTIONS[self.backend]}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._child.__exit__(kind, value, trace)

    def answer(self, program: LinearProgram, limits: BackendLimits | None = None) -> SolverAnswer:
        """Scale a program, send it to the solver, and return its unchecked answer.

        A program that the solver gives up on is sent again with smaller costs. The outcome is
        NOT_INSTALLED, with what to install, if the library is missing, and REFUSED if the
        coefficients differ too much in size.
        """
        if (why := too_wide(program)) is not None:
            return SolverAnswer(SolverOutcome.REFUSED, message=why)
        # CP-SAT has a grid of its own for variables that are not whole.
        is_cp_sat = self.backend is Backend.CP_SAT
        unit = np.ones(program.n_variables) if is_cp_sat else unit_sizes(program)
        in_units = scale_units(program, unit)
        size = row_sizes(in_units)
        scaled, limits = scale_rows(in_units, size), limits or BackendLimits()
        answer = self._child.answer(scaled, limits)
        if answer.outcome is SolverOutcome.REFUSED and (cost := cost_size(scaled)) > 1:
            answer = unscale_costs(self._child.answer(scale_costs(scaled, cost), limits), cost)
        if answer.outcome is SolverOutcome.NOT_INSTALLED:
            what = _WHERE.get(self.backend, "tailc")
            return replace(answer, message=f"{answer.message}: pip install '{what}'")
        return unscale_units(unscale_answer(answer, size), unit)
