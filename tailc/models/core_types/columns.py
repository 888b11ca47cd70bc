"""Verdict columns for core types: energy, utilization of each type, and control."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tailc.models.columns import Group, UsageColumn, UsageColumns, UsageTable, latency_and_number
from tailc.models.energy_columns import control_columns, energy_columns, type_columns
from tailc.models.server_load import Load, RungUse

if TYPE_CHECKING:
    from tailc.models.core_types.usage import CoreTypesUse

_LEGEND = """\
Times in ms. noise: half-width from simulated arrivals alone; mean: mean latency; n: mean requests
in the system; energy: power times ms that a request drew, with its interval over replays; idle:
what free cores drew, by request; by type: share of its cores that were busy; output: what scales
the ages of climbs, and nine in ten"""
RUNGS = "rung of the policy's requests at their exit"


class CoreTypesColumns(UsageColumns["CoreTypesUse"]):
    """The columns that core types add to a verdict: energy instead of threads."""

    def legend(self, shared: str, use: CoreTypesUse, against: str) -> str:  # noqa: ARG002
        """Explain the headings of the table of core types; energy is in units of power times ms."""
        return f"{_LEGEND}{against}."

    def server(self, loads: Sequence[Load], shared: str, decimals: int) -> Group:  # noqa: ARG002
        return latency_and_number(loads, decimals)

    def groups(self, uses: Sequence[CoreTypesUse], *, has_other_power: bool) -> list[Group]:
        """Columns of energy, utilization of each core type, and the output of a controller."""
        energies = [use.energy for use in uses]
        return [
            energy_columns(energies, has_other_power=has_other_power),
            type_columns(energies),
            *control_columns([use.control for use in uses]),
        ]

    def rungs_title(self, shared: str) -> str:  # noqa: ARG002
        """No title, because each request has one core and no threads to count."""
        return RUNGS

    def rung_counts(self, uses: Sequence[RungUse], shared: str) -> list[Group]:  # noqa: ARG002
        return []

    def by_subject(self, names: UsageColumn, uses: Sequence[CoreTypesUse]) -> list[UsageTable]:  # noqa: ARG002
        return []

    def by_arrivals(self, arrivals: UsageColumn, uses: Sequence[CoreTypesUse]) -> list[UsageTable]:  # noqa: ARG002
        return []
