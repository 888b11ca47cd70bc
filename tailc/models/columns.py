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
    """A column of a table: its heading and one cell for each row; numbers are right-aligned."""

    head: str
    cells: tuple[str, ...]
    is_number: bool = True

    @property
    def width(self) -> int:
        """Width of a table's column in characters: of its widest cell or its heading."""
        return max(len(cell) for cell in (self.head, *self.cells))


Group: TypeAlias = tuple[UsageColumn, ...]
"""Columns that stay together where a table is broken."""


@dataclass(frozen=True)
class UsageTable:
    """A table of machine use: its title, the column that names the rows, groups of columns."""

    title: str
    first: UsageColumn
    groups: tuple[Group, ...]


class UsageColumns(ABC, Generic[UseT]):
    """Interface: the columns that an execution model adds to the tables of a verification."""

    @abstractmethod
    def legend(self, shared: str, use: UseT, against: str) -> str:
        """Explain the headings of the columns.

        shared: the resource that requests compete for. against: an explanation of the columns that
        all models have, which goes in between.
        """

    @abstractmethod
    def server(self, loads: Sequence[Load], shared: str, decimals: int) -> Group:
        """Columns of latency and utilization, one row per policy or baseline.

        Latency is in ms, with `decimals` decimals. shared: the resource that requests compete for.
        """

    @abstractmethod
    def groups(self, uses: Sequence[UseT], *, has_other_power: bool) -> list[Group]:
        """Columns of quantities that only this model has, such as energy or batch work.

        They have one row per policy or baseline. has_other_power: whether the energy of the whole
        server is known.
        """

    @abstractmethod
    def rungs_title(self, shared: str) -> str:
        """Title of the table of the rungs (threads, cores) on which requests ended.

        Empty if there is no such table.
        """

    @abstractmethod
    def rung_counts(self, uses: Sequence[RungUse], shared: str) -> list[Group]:
        """Columns of the resource that requests used, one row per arrival process."""

    @abstractmethod
    def by_subject(self, names: UsageColumn, uses: Sequence[UseT]) -> list[UsageTable]:
        """Additional tables about one arrival process, with one row for each policy or baseline."""

    @abstractmethod
    def by_arrivals(self, arrivals: UsageColumn, uses: Sequence[UseT]) -> list[UsageTable]:
        """Additional tables about the policy's use of the server, one row per arrival process."""


def column(head: str, cells: Sequence[str], is_number: bool = True) -> UsageColumn:
    """Make a column, with control characters of the terminal escaped."""
    return UsageColumn(printable(head), tuple(map(printable, cells)), is_number)


def ms(time_us: int, decimals: int) -> str:
    """Format a time in microseconds as milliseconds."""
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
    """Columns of mean latency and mean requests in the system, if each request has its own core."""
    return (
        column("mean", [ms(load.mean_latency_us, decimals) for load in loads]),
        column("n", [count(load.in_system_milli) for load in loads]),
    )
