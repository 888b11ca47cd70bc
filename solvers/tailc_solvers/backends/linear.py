"""Linear and mixed-integer programs as arrays, and answers of solvers.

minimise    c x + offset
subject to  row_lower <= A x <= row_upper,    lower <= x <= upper,    x_j integer if integer_j
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.course import SearchProgress

Vector = NDArray[np.float64]


GRID_STEPS = 1_000
"""Steps per unit of a continuous variable, for solvers that have only integers."""

MOST_GRID_STEPS = 10_000_000
"""Most steps from 0 to the farther bound of a variable; larger bounds have larger steps."""


class SolverOutcome(StrEnum):
    """A solver's claim about a program, or the kind of failure.

    OPTIMAL: the point is optimal, within the solver's tolerances. GRID_OPTIMAL: the point is
    optimal among those whose variables are multiples of their steps (`grid_steps`). FEASIBLE: a
    point, and a limit ended the search. INFEASIBLE: there is no point. UNBOUNDED: there is no
    minimum. LIMIT: a limit ended the search before any point. TIMED_OUT: no answer within the wall
    time, and the child was ended. OUT_OF_MEMORY: the child's memory was exhausted. CRASHED: the
    child ended without an answer. GARBLED: the child sent invalid bytes. REFUSED: the solver
    rejected the program or gave up. TOO_LARGE: the program is larger than the licence allows.
    NOT_INSTALLED: the library is missing or broken.
    """

    OPTIMAL = "optimal"
    GRID_OPTIMAL = "grid-optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    LIMIT = "limit"
    TIMED_OUT = "timed-out"
    OUT_OF_MEMORY = "out-of-memory"
    CRASHED = "crashed"
    GARBLED = "garbled"
    REFUSED = "refused"
    TOO_LARGE = "too-large"
    NOT_INSTALLED = "not-installed"

    @property
    def has_point(self) -> bool:
        return self.claims_best or self is SolverOutcome.FEASIBLE

    @property
    def claims_best(self) -> bool:
        return self in (SolverOutcome.OPTIMAL, SolverOutcome.GRID_OPTIMAL)


class BasisStatus(IntEnum):
    """Status of a variable or a row in a simplex basis."""

    AT_LOWER = 0
    BASIC = 1
    AT_UPPER = 2
    FREE = 3


@dataclass(frozen=True, eq=False)
class Basis:
    """A basis of a linear program: the status of each variable [n] and of each row [m]."""

    variables: NDArray[np.int64]
    rows: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LinearProgram:
    """One linear or mixed-integer program, with the coefficients of A as a sparse list.

    Attributes:
        cost: c [n].
        lower, upper: bounds of the variables, infinite if there is none [n].
        integer: which variables are integers [n].
        row, column, value: entry e of A is `value[e]` at `row[e]`, `column[e]`; no duplicates [e].
        row_lower, row_upper: bounds of A x, infinite if there is none [m].
        offset: added to the objective.
        start: initial basis of a simplex method; other methods ignore it.
    """

    cost: Vector
    lower: Vector
    upper: Vector
    integer: NDArray[np.bool_]
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    value: Vector
    row_lower: Vector
    row_upper: Vector
    offset: float = 0.0
    start: Basis | None = None

    def __post_init__(self) -> None:
        n, m = self.cost.size, self.row_lower.size
        _require(n > 0, "`cost` must not be empty")
        for array in (self.lower, self.upper, self.integer):
            _require(array.shape == (n,), "bounds and integer must be as long as cost")
        _require(self.row_upper.shape == (m,), "row bounds must be of one length")
        _require(self.row.shape == self.column.shape == self.value.shape, "A must be triplets")
        _require(
            _is_within(self.row, m) and _is_within(self.column, n),
            "places of A must be within its rows and columns",
        )
        finite = np.isfinite(self.cost).all() and np.isfinite(self.value).all()
        _require(bool(finite and np.isfinite(self.offset)), "costs and A must be finite")
        for low, high in ((self.lower, self.upper), (self.row_lower, self.row_upper)):
            _require(bool((low <= high).all()), "bounds must be in order")
        places = self.column * m + self.row
        if not _ascend(places):
            places.sort()
        _require(_ascend(places), "places of A must differ")
        if self.start is not None:
            _require(
                self.start.variables.shape == (n,), "a start must have a status for each variable"
            )
            _require(self.start.rows.shape == (m,), "a start must have a status for each row")

    @classmethod
    def build(
        cls,
        cost: ArrayLike,
        lower: ArrayLike,
        upper: ArrayLike,
        rows: Sequence[tuple[float, dict[int, float], float]],
        *,
        integer: ArrayLike = False,
        offset: float = 0.0,
    ) -> LinearProgram:
        """Build a program from rows (lower bound, coefficients by variable number, upper bound).

        A scalar cost, bound or `integer` applies to all variables.
        """
        c = np.array(cost, dtype=np.float64)
        entries = [(r, j, a) for r, (_, terms, _) in enumerate(rows) for j, a in terms.items()]
        return cls(
            cost=c,
            lower=np.array(np.broadcast_to(lower, c.shape), dtype=np.float64),
            upper=np.array(np.broadcast_to(upper, c.shape), dtype=np.float64),
            integer=np.array(np.broadcast_to(integer, c.shape), dtype=np.bool_),
            row=np.array([r for r, _, _ in entries], dtype=np.int64),
            column=np.array([j for _, j, _ in entries], dtype=np.int64),
            value=np.array([a for _, _, a in entries], dtype=np.float64),
            row_lower=np.array([low for low, _, _ in rows], dtype=np.float64),
            row_upper=np.array([high for _, _, high in rows], dtype=np.float64),
            offset=offset,
        )

    @property
    def n_variables(self) -> int:
        return self.cost.size

    @property
    def n_rows(self) -> int:
        return self.row_lower.size


@dataclass(frozen=True)
class BackendLimits:
    """Limits of one answer of a solver, which runs in a child process.

    Node limits are reproducible; the wall time only ends a solver that takes too long.

    Attributes:
        wall_s: wall time of one answer, including the transfer of the program.
        memory_bytes: address space of the child.
        nodes: branch-and-bound nodes; CP-SAT uses its deterministic time instead.
        seed: seed of the solver's random choices.
    """

    wall_s: float = 60.0
    memory_bytes: int = 4 << 30
    nodes: int = 1_000_000
    seed: int = 1


@dataclass(frozen=True, eq=False)
class SolverPoint:
    """A point of a program, as a solver states it.

    x: values of the variables [n]. objective: their objective as claimed by the solver.
    """

    x: Vector
    objective: float


@dataclass(frozen=True, eq=False)
class Duals:
    """The dual values (shadow prices) of a solved linear program.

    Attributes:
        rows: multipliers, positive if raising the row's lower bound raises the objective [m].
        basis: the final basis, or None if the solver does not give one.
    """

    rows: Vector
    basis: Basis | None = None


@dataclass(frozen=True, eq=False)
class SolverAnswer:
    """The answer of a solver, which nothing has checked yet; check it with `check.verdict`.

    Attributes:
        outcome: the claim.
        point: None if there is none.
        bound: claimed lower bound on the objective, or None.
        duals: of a linear program; None otherwise.
        solver: name and version.
        message: a sentence on the failure if there is no point.
        course: convergence trace (bound and best point by the solver's count of its work) of a
            program with integer variables, if the solver reports it.
    """

    outcome: SolverOutcome
    point: SolverPoint | None = None
    bound: float | None = None
    duals: Duals | None = None
    solver: str = ""
    message: str = ""
    course: tuple[SearchProgress, ...] = ()


def grid_steps(program: LinearProgram) -> Vector:
    """Grid step of each variable, for solvers with only integer variables; 0 for integers [n].

    The step is 1 / GRID_STEPS times a power of two: 1 / GRID_STEPS unless a bound is above 10,000.
    """
    magnitude = np.maximum(np.abs(program.lower), np.abs(program.upper))
    scale = np.where(np.isinf(magnitude), 1.0, magnitude * GRID_STEPS / MOST_GRID_STEPS)
    steps = np.exp2(np.ceil(np.log2(np.maximum(scale, 1.0)))) / GRID_STEPS
    return np.where(program.integer, 0.0, steps)


def _require(holds: bool, sentence: str) -> None:
    if not holds:
        raise ValueError(sentence)


def _ascend(places: NDArray[np.int64]) -> bool:
    return bool((places[1:] > places[:-1]).all())


def _is_within(index: NDArray[np.int64], end: int) -> bool:
    return bool(((index >= 0) & (index < end)).all())
