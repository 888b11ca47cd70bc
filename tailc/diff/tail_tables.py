"""Compare the tail tables of two policies: settings by name, rows by range of elapsed work."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tailc.diff.differences import SettingChange, differences
from tailc.forms.tail_table import Batch, TailRow, TailTable, Transition
from tailc.units import format_khz, format_mw, format_nj, format_percentile, format_us, plural


@dataclass(frozen=True)
class TailRowChange:
    """A row of a tail table that differs: old and new remaining work by position in the queue.

    The row holds while the running request has received from `from_elapsed` up to below
    `to_elapsed` of work; None: any larger amount.
    """

    from_elapsed: int
    to_elapsed: int | None
    old: tuple[int, ...]
    new: tuple[int, ...]

    @property
    def entries(self) -> int:
        """Number of queue positions that differ, including those that only one table has."""
        return sum(a != b for a, b in itertools.zip_longest(self.old, self.new))

    @property
    def relative(self) -> tuple[Fraction, ...]:
        """Relative change, new / old - 1, of each entry that differs and was above 0."""
        pairs = zip(self.old, self.new, strict=False)
        return tuple(Fraction(new - old, old) for old, new in pairs if old and old != new)


@dataclass(frozen=True)
class TailTableChange:
    """Differences between two tail tables; only settings if only one policy has a table.

    cycles, memory_ns: rows that differ, of work in cycles and in memory time [ns].
    """

    settings: tuple[SettingChange, ...] = ()
    cycles: tuple[TailRowChange, ...] = ()
    memory_ns: tuple[TailRowChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.settings or self.cycles or self.memory_ns)


SAME_TAIL_TABLE = TailTableChange()


def tail_table_change(old: TailTable | None, new: TailTable | None) -> TailTableChange:
    """Compare two tail tables: settings and ranges of rows that differ; empty if none."""
    if old is None or new is None:
        if old is new:
            return SAME_TAIL_TABLE
        return TailTableChange((SettingChange("tail table", _summary(old), _summary(new)),))
    return TailTableChange(
        tuple(differences(_settings(old), _settings(new))),
        tuple(_row_changes(old.cycles, new.cycles)),
        tuple(_row_changes(old.memory_ns, new.memory_ns)),
    )


def _summary(table: TailTable | None) -> str | None:
    if table is None:
        return None
    return f"{_bound_text(table)}, {plural(len(table.levels), 'level')}"


def _bound_text(table: TailTable) -> str:
    return f"{format_us(table.bound_us)} for {format_percentile(table.percentile_ppm)}"


def _settings(table: TailTable) -> dict[str, str]:
    """All settings of a table except its entries, by name."""
    clock = table.reference_khz
    return {
        "bound": _bound_text(table),
        "cores": str(table.cores),
        "positions": str(table.positions),
        "demands measured at": "none" if clock is None else format_khz(clock),
        "frequencies": ", ".join(format_khz(level.frequency_khz) for level in table.levels),
        **{
            f"power at {format_khz(level.frequency_khz)}": format_mw(level.power_mw)
            for level in table.levels
        },
        "power asleep": format_mw(table.sleep.power_mw),
        "time to wake": f"{table.sleep.wake_ns} ns",
        "transition": "none" if table.transition is None else _transition(table.transition),
        "batch work": "none" if table.batch is None else _batch(table.batch),
        "rows of cycles from": _starts(table.cycles),
        "rows of memory time from": _starts(table.memory_ns),
    }


def _batch(batch: Batch) -> str:
    return (
        f"at {format_khz(batch.frequency_khz)} and {format_mw(batch.power_mw)}, "
        f"requests at {format_khz(batch.least_khz)} at least"
    )


def _transition(transition: Transition) -> str:
    return f"{transition.halt_ns} ns, {format_nj(transition.energy_nj)}"


def _starts(rows: Sequence[TailRow]) -> str:
    return ", ".join(str(row.from_elapsed) for row in rows)


def _row_changes(old: Sequence[TailRow], new: Sequence[TailRow]) -> Iterator[TailRowChange]:
    """The ranges in which neither table changes its row and entries differ."""
    old_starts, new_starts = ([row.from_elapsed for row in rows] for rows in (old, new))
    starts = sorted({*old_starts, *new_starts})
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        before = old[bisect_right(old_starts, start) - 1].left
        after = new[bisect_right(new_starts, start) - 1].left
        if before != after:
            yield TailRowChange(start, following, before, after)
