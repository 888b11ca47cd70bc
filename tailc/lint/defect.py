"""Kinds of defects of traces, and where a trace has them."""

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
    """A kind of defect of a trace that `tailc lint-trace` finds; `ident` and `name` are stable.

    title: what is wrong. why: the effect on a policy. fix: what to do. Clauses in lower case.
    """

    ident: str
    name: str
    severity: Severity
    title: str
    why: str
    fix: str

    @property
    def exit_code(self) -> ExitCode:
        """The exit code that the defect causes: BAD_CONTENT for an error, else OK."""
        return ExitCode.BAD_CONTENT if self.severity is Severity.ERROR else ExitCode.OK

    @property
    def help(self) -> str:
        """Format the fix of the defect, and why it matters, as the help line of a finding."""
        return f"{self.fix}: {self.why}"

    @property
    def explanation(self) -> str:
        """Format why the defect matters and what to do, as sentences."""
        return f"{_sentence(self.why)} {_sentence(self.fix)}"


def _sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."


@dataclass(frozen=True)
class Sighting:
    """Occurrences of one kind of defect in a trace: a message, their number, and the first few.

    rows: rows of the file, from 1. lines: lines of the file, if there is no row.
    """

    message: str
    count: int = 1
    rows: tuple[int, ...] = ()
    lines: tuple[int, ...] = ()
    column: str | None = None


@dataclass(frozen=True)
class Check:
    """A check of `tailc lint-trace`: a kind of defect, and the function that finds it.

    view: type of the view of a trace (such as its arrivals) that the function needs.
    """

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
    *texts: str,
) -> Check:
    """Make a check whose defect has the code `first` + `number`.

    view: type of the view of a trace that `find` gets. texts: title, why and fix of the defect.
    """
    return Check(Defect(f"TC{first + number}", name, severity, *texts), view, find)


def first_rows(row: NDArray[np.int64], chosen: NDArray[np.bool_]) -> tuple[int, ...]:
    """Row numbers of the first few selected rows; empty if rows are unknown."""
    if not len(row):
        return ()
    return tuple(int(number) for number in row[np.flatnonzero(chosen)[:ROWS_NAMED]])
