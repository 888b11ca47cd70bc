"""Linear and mixed-integer programs as arrays, and what a solver answers.

minimise    c x + offset
subject to  row_lower <= A x <= row_upper,    lower <= x <= upper,    x_j whole where integer_j
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.course import Reached

Vector = NDArray[np.float64]


GRID_STEPS = 1_000
"""Into which a solver that knows whole numbers only divides 1 of every other variable."""


class Outcome(StrEnum):
    """What a solver claims, or what became of it.

    OPTIMAL: the point is best, within the solver's tolerances. GRID_OPTIMAL: it is the best of
    those whose variables are multiples of 1 / GRID_STEPS. FEASIBLE: a point, and a limit ended the
    search. INFEASIBLE, UNBOUNDED: no point, no least one. LIMIT: a limit ended the search before
    any point. TIMED_OUT: no answer within the wall time, and the child was ended. OUT_OF_MEMORY:
    the child's memory ran out. CRASHED: the child ended without an answer. GARBLED: what it sent is
    no answer. REFUSED: the solver turned the program down or gave up. TOO_LARGE: the program is
    larger than the licence allows. NOT_INSTALLED: the library is not there, or broken.
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
        return self.claims_best or self is Outcome.FEASIBLE

    @property
    def claims_best(self) -> bool:
        return self in (Outcome.OPTIMAL, Outcome.GRID_OPTIMAL)


class Place(IntEnum):
    """Where a simplex method has a variable, or the value of a row."""

    AT_LOWER = 0
    BASIC = 1
    AT_UPPER = 2
    FREE = 3


@dataclass(frozen=True, eq=False)
class Basis:
    """A corner of a linear program: the `Place` of each variable [n] and each row [m]."""

    variables: NDArray[np.int64]
    rows: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LinearProgram:
    """One program; A has `value[e]` in row `row[e]` and column `column[e]`, each place once.

    Attributes:
        cost: c [n].
        lower, upper: bounds of the variables, infinite where there are none [n].
        integer: which variables are whole [n].
        row, column, value: the coefficients of A [e].
        row_lower, row_upper: bounds of A x, infinite where there are none [m].
        offset: added to the objective.
        start: where a simplex method may begin; those that have no use for it ignore it.
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
        _require(n > 0, "a program needs a variable")
        for array in (self.lower, self.upper, self.integer):
            _require(array.shape == (n,), "bounds and integer must be as long as cost")
        _require(self.row_upper.shape == (m,), "row bounds must be of one length")
        _require(self.row.shape == self.column.shape == self.value.shape, "A must be triplets")
        _require(_within(self.row, m) and _within(self.column, n), "A has a place outside")
        finite = np.isfinite(self.cost).all() and np.isfinite(self.value).all()
        _require(bool(finite and np.isfinite(self.offset)), "costs and A must be finite")
        for low, high in ((self.lower, self.upper), (self.row_lower, self.row_upper)):
            _require(bool((low <= high).all()), "bounds must be in order")
        places = self.column * m + self.row
        if not _ascend(places):
            places.sort()
        _require(_ascend(places), "A has a place twice")
        if self.start is not None:
            _require(self.start.variables.shape == (n,), "a start has a place for each variable")
            _require(self.start.rows.shape == (m,), "a start has a place for each row")

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
        """From rows (lower, coefficients by variable, upper); scalars stand for all variables."""
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
class Limits:
    """What a solver may use. The work is limited by nodes, which repeat; the wall only aborts.

    Attributes:
        wall_s: wall time of one answer, the program's transfer included.
        memory_bytes: address space of the child.
        nodes: branch-and-bound nodes; CP-SAT, which counts none, has its deterministic time.
        seed: of the solver's own random choices.
    """

    wall_s: float = 60.0
    memory_bytes: int = 4 << 30
    nodes: int = 1_000_000
    seed: int = 1


@dataclass(frozen=True, eq=False)
class Point:
    """A point [n], and its objective as the solver says."""

    x: Vector
    objective: float


@dataclass(frozen=True, eq=False)
class Duals:
    """What a linear program ended with.

    Attributes:
        rows: multipliers, positive where raising the row's lower bound raises the objective [m].
        basis: the corner at which it ended; None where the solver tells none.
    """

    rows: Vector
    basis: Basis | None = None


@dataclass(frozen=True, eq=False)
class Answer:
    """What a solver claims. Nothing in it is checked: that is `check.verdict`.

    Attributes:
        outcome: the claim.
        point: None where there is none.
        bound: claimed lower bound on the objective; None where there is none.
        duals: of a linear program; None otherwise.
        solver: name and version.
        message: a sentence for people where there is no point.
        course: bound and best point by the solver's own count of its work, of whole variables where
            the solver tells it.
    """

    outcome: Outcome
    point: Point | None = None
    bound: float | None = None
    duals: Duals | None = None
    solver: str = ""
    message: str = ""
    course: tuple[Reached, ...] = ()


def _require(holds: bool, sentence: str) -> None:
    if not holds:
        raise ValueError(sentence)


def _ascend(places: NDArray[np.int64]) -> bool:
    return bool((places[1:] > places[:-1]).all())


def _within(index: NDArray[np.int64], end: int) -> bool:
    return bool(((index >= 0) & (index < end)).all())
