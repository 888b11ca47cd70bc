"""Columns of a verdict where cores have a clock each: power, frequencies, and batch work."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.experiment.comparison import Point, Run
from tailc.report.table import Column
from tailc.report.verdict.words import POLICY, percent, subject
from tailc.units import format_khz, printable
from tailc.verify.verdict import Verdicts

_MW_PER_W = 1_000
_KHZ_PER_GHZ = 1_000_000


def has_clocks(verdicts: Verdicts) -> bool:
    """Whether cores have a clock each."""
    return any(point.policy.clocks is not None for point in verdicts.points)


def clock_groups(runs: Sequence[Run]) -> list[tuple[Column, ...]]:
    """Power of all cores, mean frequency of busy ones, and core time of batch work."""
    uses = [run.clocks for run in runs if run.clocks is not None]
    if not uses:
        return []
    columns = [
        _column("power", [f"{use.power_mw / _MW_PER_W:.4g} W" for use in uses]),
        _column("frequency", [f"{use.frequency_khz / _KHZ_PER_GHZ:.2f} GHz" for use in uses]),
    ]
    if all(use.batch_ppm is not None for use in uses):
        columns.append(_column("batch", [percent(use.batch_ppm or 0) for use in uses]))
    return [tuple(columns)]


def level_use(point: Point) -> tuple[Column, list[tuple[Column, ...]]]:
    """A row for each subject: the share of the time of busy cores at each frequency."""
    runs = [run for run in (point.policy, *point.baselines) if run.clocks is not None]
    names = [POLICY if run is point.policy else subject(run) for run in runs]
    uses = [run.clocks for run in runs if run.clocks is not None]
    by_level = zip(*(use.levels for use in uses), strict=True)
    columns = [
        (_column(format_khz(level[0].frequency_khz), [percent(one.share_ppm) for one in level]),)
        for level in by_level
    ]
    return _column(f"at {point.arrivals}", names, is_number=False), columns


def _column(head: str, cells: Sequence[str], is_number: bool = True) -> Column:
    return Column(printable(head), tuple(map(printable, cells)), is_number)
