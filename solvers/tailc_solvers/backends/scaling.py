"""Scale the rows, variables and costs of a program to similar size, and scale answers back.

A solver meets each row to an absolute tolerance, and HiGHS ignores coefficients below 1e-9. So a
row is divided by about its largest coefficient, if that is unusual. Divisors are powers of two, so
that no digit is lost. Scaling cannot help a row whose coefficients differ too much in size: its
small terms are within the tolerance of the large ones, so a solver may choose either value.

In plans of many servers, a row has the energy of a whole job next to variables in small units of
energy, whose coefficients would then be ignored. Such variables have large bounds. So in a program
with tiny coefficients, variables with large bounds are first expressed in larger units.

Costs are scaled only for a second try, because another scale may select another optimum: the dual
simplex of HiGHS gives up if multipliers become too large.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tailc_solvers.backends.linear import (
    Duals,
    LinearProgram,
    SolverAnswer,
    SolverPoint,
    Vector,
)
from tailc_solvers.course import SearchProgress

USUAL = 2.0**-10, 2.0**10
"""Sizes of rows that are left as they are: to these a tolerance of 1e-9 fits."""

TINIEST = 2.0**-26
"""Smallest usual ratio of a coefficient to the largest of its row, far above those ignored."""

WIDEST = 1e7
"""Ratio of the largest term of a row to its smallest one: the smallest is then still a hundred
times what a whole variable may be off, which is 1e-9."""


LARGEST_COST = 2.0**20
"""Largest cost after scaling: a tolerance of 1e-9 is then 1e-15 of it, as exact as a double."""


def row_sizes(program: LinearProgram) -> Vector:
    """Divisor of each row: a power of two; 1 for rows whose largest coefficient is usual [m]."""
    largest = np.zeros(program.n_rows)
    np.maximum.at(largest, program.row, np.abs(program.value))
    least, most = USUAL
    is_usual = (largest == 0) | ((least <= largest) & (largest <= most))
    return np.exp2(np.floor(np.log2(np.where(is_usual, 1.0, largest))))


def unit_sizes(program: LinearProgram) -> Vector:
    """Larger unit for each variable with a large bound, in a program with tiny coefficients [n].

    A power of two near the farther bound of a continuous variable; 1 for all other variables and
    programs.
    """
    ratio = np.abs(program.value) / row_sizes(program)[program.row]
    reach = np.maximum(np.abs(program.lower), np.abs(program.upper))
    is_large = (reach > USUAL[1]) & np.isfinite(reach) & ~program.integer
    if not (ratio[ratio > 0] < TINIEST).any():
        return np.ones(program.n_variables)
    return np.exp2(np.floor(np.log2(np.where(is_large, reach, 1.0))))


def scale_units(program: LinearProgram, unit: Vector) -> LinearProgram:
    """Change the unit of each variable of the program; `unit` is the size of the new unit [n]."""
    if (unit == 1).all():
        return program
    return replace(
        program,
        cost=program.cost * unit,
        lower=program.lower / unit,
        upper=program.upper / unit,
        value=program.value * unit[program.column],
    )


def unscale_units(answer: SolverAnswer, unit: Vector) -> SolverAnswer:
    """Convert an answer to a program in other units to one to the original program.

    unit: unit of each variable in that program [n].
    """
    point = answer.point
    if point is None or point.x.shape != unit.shape or (unit == 1).all():
        return answer
    return replace(answer, point=SolverPoint(point.x * unit, point.objective))


def scale_rows(program: LinearProgram, size: Vector) -> LinearProgram:
    """Divide the coefficients and bounds of each row of a program by the row's size.

    size: divisor of each row [m].
    """
    if (size == 1).all():
        return program
    return replace(
        program,
        value=program.value / size[program.row],
        row_lower=program.row_lower / size,
        row_upper=program.row_upper / size,
    )


def unscale_answer(answer: SolverAnswer, size: Vector) -> SolverAnswer:
    """Convert an answer to a program with scaled rows to an answer to the original program.

    size: divisor of each row [m].
    """
    duals = answer.duals
    if duals is None or duals.rows.shape != size.shape or (size == 1).all():
        return answer
    return replace(answer, duals=Duals(duals.rows / size, duals.basis))


def cost_size(program: LinearProgram) -> float:
    """Divisor of the costs of a program, a power of two; 1 if their size is usual."""
    largest = float(np.abs(program.cost).max())
    return 1.0 if largest <= LARGEST_COST else 2.0 ** np.ceil(np.log2(largest / LARGEST_COST))


def scale_costs(program: LinearProgram, size: float) -> LinearProgram:
    """Divide the coefficients of a program's objective by `size`."""
    return replace(program, cost=program.cost / size, offset=program.offset / size)


def unscale_costs(answer: SolverAnswer, size: float) -> SolverAnswer:
    """Convert an answer to a program with scaled costs to one to the original program.

    size: divisor of the costs.
    """
    point, duals = answer.point, answer.duals
    return replace(
        answer,
        point=None if point is None else SolverPoint(point.x, point.objective * size),
        bound=None if answer.bound is None else answer.bound * size,
        duals=None if duals is None else Duals(duals.rows * size, duals.basis),
        course=tuple(
            SearchProgress(one.effort, one.bound * size, one.found * size) for one in answer.course
        ),
    )


def too_wide(program: LinearProgram) -> str | None:
    """The reason why a row's coefficients differ too much in size for a solver, or None.

    A solver may set an integer variable off by its tolerance. The tolerance times the variable's
    coefficient must be far smaller than one step of every other integer variable in the row, and
    smaller than the range of all bounded variables.
    """
    if not program.integer.any():
        return None
    step = np.where(program.integer, 1.0, program.upper - program.lower)
    there = (program.value != 0) & (step[program.column] > 0)
    row, column = program.row[there], program.column[there]
    term, is_whole = np.abs(program.value[there]) * step[column], program.integer[column]
    smallest, largest = np.full(program.n_rows, np.inf), np.zeros(program.n_rows)
    np.minimum.at(smallest, row, term)
    np.maximum.at(largest, row[is_whole], term[is_whole])
    ratio = float((largest / smallest).max(initial=0.0))
    if ratio <= WIDEST:
        return None
    return (
        f"the terms of one row differ by a factor of {ratio:.1e}, and to the tolerance of a solver "
        f"{WIDEST:.0e} is the most"
    )
