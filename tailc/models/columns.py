"""How execution models show the use of their machines: columns of tables, and what heads them."""

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
class Column:
    """A head and its cells, one a row; numbers stand to the right."""

    head: str
    cells: tuple[str, ...]
    is_number: bool = True

    @property
    def width(self) -> int:
        """The widest cell or head."""
        return max(len(cell) for cell in (self.head, *self.cells))


Group: TypeAlias = tuple[Column, ...]
"""Columns that stay together where a table is broken."""


@dataclass(frozen=True)
class Table:
    """A title, the column that names the rows, and groups of columns."""

    title: str
    first: Column
    groups: tuple[Group, ...]


class UsageColumns(ABC, Generic[UseT]):
    """What a verdict shows of one execution model beside percentiles."""

    @abstractmethod
    def legend(self, shared: str, use: UseT, against: str) -> str:
        """What the heads of the columns mean; `shared`: what requests compete for.

        against: what more is to be said of columns that every model has.
        """

    @abstractmethod
    def server(self, loads: Sequence[Load], shared: str, decimals: int) -> Group:
        """How busy the server was, a row for each subject; `decimals` of a ms."""

    @abstractmethod
    def groups(self, uses: Sequence[UseT], *, has_other_power: bool) -> list[Group]:
        """What its machine shows, a row for each subject.

        has_other_power: whether there is energy of the whole server to tell.
        """

    @abstractmethod
    def rungs_title(self, shared: str) -> str:
        """What heads the table of rungs that requests left on; empty: there is none."""

    @abstractmethod
    def rung_counts(self, uses: Sequence[RungUse], shared: str) -> list[Group]:
        """How much requests had of what they share, a row for each arrival process."""

    @abstractmethod
    def by_subject(self, names: Column, uses: Sequence[UseT]) -> list[Table]:
        """Further tables at one arrival process, a row for each subject."""

    @abstractmethod
    def by_arrivals(self, arrivals: Column, uses: Sequence[UseT]) -> list[Table]:
        """Further tables of the policy, a row for each arrival process."""


def column(head: str, cells: Sequence[str], is_number: bool = True) -> Column:
    """A column with nothing in it that a terminal would act on."""
    return Column(printable(head), tuple(map(printable, cells)), is_number)


def ms(time_us: int, decimals: int) -> str:
    """A time in ms."""
    return f"{time_us / _US_PER_MS:,.{decimals}f}"


def percent(share_ppm: int) -> str:
    """A share, to a tenth of a percent."""
    return f"{share_ppm / _PPM_PER_PERCENT:.1f} %"


def at_least_a_tenth(share_ppm: int) -> str:
    """A share that is not 0, and does not look as if it were."""
    return "less than 0.1 %" if share_ppm < _PPM_PER_TENTH else percent(share_ppm)


def count(milli: int) -> str:
    """A mean count, to a tenth."""
    return f"{milli / _MILLI:,.1f}"


def latency_and_number(loads: Sequence[Load], decimals: int) -> Group:
    """Mean latency, and requests in the system: all that is told where a request has a core."""
    return (
        column("mean", [ms(load.mean_latency_us, decimals) for load in loads]),
        column("n", [count(load.in_system_milli) for load in loads]),
    )
