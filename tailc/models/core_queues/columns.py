"""Verdict columns for core queues: energy, power and frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tailc.models.columns import (
    Group,
    UsageColumn,
    UsageColumns,
    UsageTable,
    column,
    latency_and_number,
    percent,
)
from tailc.models.energy_columns import control_columns, energy_columns, type_columns
from tailc.models.server_load import Load, RungUse
from tailc.units import format_khz

if TYPE_CHECKING:
    from tailc.models.core_queues.usage import ClockUse, CoreQueuesUse

_MW_PER_W = 1_000
_NJ_PER_J = 1_000_000_000
_KHZ_PER_GHZ = 1_000_000
_LEGEND = """\
Times in ms. noise: half-width from simulated arrivals alone; mean: mean latency; n: mean requests
in the system; energy: watts times ms that a request drew, with its interval over replays; idle:
what cores without requests drew, by request; cores: share of them that were busy; power: of all
cores; frequency: mean of busy cores; batch: share of core time that batch work had; J/work: energy
of the server for a unit of batch work;
output: what scales the bound, and nine in ten"""
_LIMITED = """; batch slowed,
batch stopped, requests slowed: share of the time that the limit of the chip did that"""
_LEVELS = "share of the time of busy cores at each frequency"


class CoreQueuesColumns(UsageColumns["CoreQueuesUse"]):
    """The columns that core queues add to a verdict: energy, power and frequency."""

    def legend(self, shared: str, use: CoreQueuesUse, against: str) -> str:  # noqa: ARG002
        return f"{_LEGEND}{'' if use.clocks.limited is None else _LIMITED}{against}."

    def server(self, loads: Sequence[Load], shared: str, decimals: int) -> Group:  # noqa: ARG002
        return latency_and_number(loads, decimals)

    def groups(self, uses: Sequence[CoreQueuesUse], *, has_other_power: bool) -> list[Group]:
        """Columns of energy, utilization and clocks, and of the output of a controller."""
        energies = [use.energy for use in uses]
        return [
            energy_columns(energies, has_other_power=has_other_power),
            type_columns(energies),
            _clock_columns([use.clocks for use in uses]),
            *control_columns([use.control for use in uses]),
        ]

    def rungs_title(self, shared: str) -> str:  # noqa: ARG002
        """Title of the table of rungs: none, because cores of this model have frequencies instead.

        `by_subject` shows the frequencies.
        """
        return ""

    def rung_counts(self, uses: Sequence[RungUse], shared: str) -> list[Group]:  # noqa: ARG002
        return []

    def by_subject(self, names: UsageColumn, uses: Sequence[CoreQueuesUse]) -> list[UsageTable]:
        """Table of the time in which cores were busy, by frequency level, in percent."""
        by_level = zip(*(use.clocks.levels for use in uses), strict=True)
        groups = tuple(
            (column(format_khz(level[0].frequency_khz), [percent(at.share_ppm) for at in level]),)
            for level in by_level
        )
        return [UsageTable(_LEVELS, names, groups)]

    def by_arrivals(self, arrivals: UsageColumn, uses: Sequence[CoreQueuesUse]) -> list[UsageTable]:  # noqa: ARG002
        return []


def _clock_columns(uses: Sequence[ClockUse]) -> Group:
    """Power of all cores, mean frequency of busy cores, and core time and energy of batch work."""
    columns = [
        column("power", [f"{use.power_mw / _MW_PER_W:.4g} W" for use in uses]),
        column("frequency", [f"{use.frequency_khz / _KHZ_PER_GHZ:.2f} GHz" for use in uses]),
    ]
    batch = [use.batch for use in uses if use.batch is not None]
    if len(batch) == len(uses):
        columns.append(column("batch", [percent(one.share_ppm) for one in batch]))
        work_nj = [one.work_nj for one in batch if one.work_nj is not None]
        if len(work_nj) == len(uses):
            columns.append(column("J/work", [f"{each / _NJ_PER_J:.4g}" for each in work_nj]))
    limits = [use.limited for use in uses if use.limited is not None]
    if len(limits) == len(uses):
        columns += [
            column("batch slowed", [percent(one.batch_slowed_ppm) for one in limits]),
            column("batch stopped", [percent(one.batch_stopped_ppm) for one in limits]),
            column("requests slowed", [percent(one.requests_slowed_ppm) for one in limits]),
        ]
    return tuple(columns)
