"""Table columns that show how an execution model used its machine, with their headings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from tailc.models.server_load import Load, RungUse
from tailc.units import printable

_PPM_PER_PERCENT = 10_000
_PPM_PER_TENTH = 1_000
_US_PER_MS = 1_000
_MILLI = 1_000

UseT = TypeVar("UseT")


@dataclass(frozen=True)
class UsageColumn:
    """A heading and its cells, one a row; numbers are aligned to the right."""

    head: str
    cells: tuple[str, ...]
    is_number: bool = True

    @property
    def width(self) -> int:
        """Width of the widest cell or of the heading."""
        return max(len(cell) for cell in (self.head, *self.cells))


Group: TypeAlias = tuple[UsageColumn, ...]
"""Columns that stay together where a table is broken."""


@dataclass(frozen=True)
class UsageTable:
    """A title, the column that names the rows, and groups of columns."""

    title: str
    first: UsageColumn
    groups: tuple[Group, ...]


class UsageColumns(ABC, Generic[UseT]):
    """The columns of one execution model in a verdict, in addition to percentiles."""

    @abstractmethod
    def legend(self, shared: str, use: UseT, against: str) -> str:
        """Explain the headings of the columns.

        shared: the resource that requests compete for. against: an explanation of the columns that
        all models have, which goes in between.
        """

    @abstractmethod
    def server(self, loads: Sequence[Load], shared: str, decimals: int) -> Group:
        """Utilization columns, a row for each subject; latencies have `decimals` decimals [ms]."""

    @abstractmethod
    def groups(self, uses: Sequence[UseT], *, has_other_power: bool) -> list[Group]:
        """Columns of the machine's use, a row for each subject.

        has_other_power: whether the energy of the whole server is known.
        """

    @abstractmethod
    def rungs_title(self, shared: str) -> str:
        """Title of the table of rungs on which requests left; empty if there is no such table."""

    @abstractmethod
    def rung_counts(self, uses: Sequence[RungUse], shared: str) -> list[Group]:
        """Columns of the shared resource that requests had, a row for each arrival process."""

    @abstractmethod
    def by_subject(self, names: UsageColumn, uses: Sequence[UseT]) -> list[UsageTable]:
        """More tables at one arrival process, a row for each subject."""

    @abstractmethod
    def by_arrivals(self, arrivals: UsageColumn, uses: Sequence[UseT]) -> list[UsageTable]:
        """More tables of the policy, a row for each arrival process."""


def column(head: str, cells: Sequence[str], is_number: bool = True) -> UsageColumn:
    """Make a column, with control characters of the terminal escaped."""
    return UsageColumn(printable(head), tuple(map(printable, cells)), is_number)


def ms(time_us: int, decimals: int) -> str:
    """Format a time in ms."""
    return f"{time_us / _US_PER_MS:,.{decimals}f}"


def percent(share_ppm: int) -> str:
    """Format a share in percent with one decimal."""
    return f"{share_ppm / _PPM_PER_PERCENT:.1f} %"


def at_least_a_tenth(share_ppm: int) -> str:
    """Format a share in percent; one above 0 is shown as at least 0.1 %."""
    return "less than 0.1 %" if share_ppm < _PPM_PER_TENTH else percent(share_ppm)


def count(milli: int) -> str:
    """Format a mean count (in thousandths) with one decimal."""
    return f"{milli / _MILLI:,.1f}"


def latency_and_number(loads: Sequence[Load], decimals: int) -> Group:
    """Columns of mean latency and of requests in the system, for models with a core each."""
    return (
        column("mean", [ms(load.mean_latency_us, decimals) for load in loads]),
        column("n", [count(load.in_system_milli) for load in loads]),
    )
