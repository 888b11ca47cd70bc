"""A defect that a trace can have, and a sighting of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tailc.errors import ExitCode, Severity

ROWS_NAMED = 3


@dataclass(frozen=True)
class Defect:
    """One class of defects: `ident` and `name` are stable.

    title: what is so. why: what that does to a policy. fix: what to do. Clauses, in lower case.
    """

    ident: str
    name: str
    severity: Severity
    title: str
    why: str
    fix: str

    @property
    def exit_code(self) -> ExitCode:
        """That of bad content where it is an error, else OK."""
        return ExitCode.BAD_CONTENT if self.severity is Severity.ERROR else ExitCode.OK

    @property
    def help(self) -> str:
        """What to do, and why."""
        return f"{self.fix}: {self.why}"

    @property
    def explanation(self) -> str:
        """Why and what to do, as sentences."""
        return f"{_sentence(self.why)} {_sentence(self.fix)}"


def _sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."


@dataclass(frozen=True)
class Sighting:
    """A defect seen: what is so here, how often, and where first.

    rows: data rows of the file, from 1; lines: lines of it, where there is no row to name.
    """

    message: str
    count: int = 1
    rows: tuple[int, ...] = ()
    lines: tuple[int, ...] = ()
    column: str | None = None


@dataclass(frozen=True)
class Check:
    """A defect and what finds it in a view of a trace, such as its lines or its requests."""

    defect: Defect
    view: type
    find: Callable[[Any], Iterable[Sighting]]


def check(
    view: type,
    first: int,
    number: int,
    name: str,
    severity: Severity,
    find: Callable[[Any], Iterable[Sighting]],
    *told: str,
) -> Check:
    """The check of one class among those that `find` looks for in a view; codes follow `first`.

    told: title, why and fix of the defect.
    """
    return Check(Defect(f"TC{first + number}", name, severity, *told), view, find)


def first_rows(row: NDArray[np.int64], chosen: NDArray[np.bool_]) -> tuple[int, ...]:
    """The file's rows of the first few that are chosen; none where rows are not known."""
    if not len(row):
        return ()
    return tuple(int(number) for number in row[np.flatnonzero(chosen)[:ROWS_NAMED]])
