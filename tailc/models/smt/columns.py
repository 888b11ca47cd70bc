"""Verdict columns for SMT cores: batch work, busy hardware threads, and idle periods."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
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
from tailc.models.core_types.columns import RUNGS
from tailc.models.server_load import Load, RungUse
from tailc.models.shared_cores.batch import batch_columns
from tailc.models.smt.idle import IdleUse
from tailc.percentiles import PPM
from tailc.units import format_us

if TYPE_CHECKING:
    from tailc.models.smt.usage import SmtUse

_LEGEND = """\
Times in ms. noise: half-width from simulated arrivals alone; mean: mean latency; n: mean requests
in the system; batch: batch work per core, relative to a core without requests, and its 95 %
interval; util: busy lanes per core, of 2"""
_IDLE = "idle time of a core under the policy"
# Lengths are shown for at least this share of the idle time in shorter periods.
_TOLD_PPM = (100_000, 500_000, 900_000)


class SmtColumns(UsageColumns["SmtUse"]):
    """The columns that SMT cores add to a verdict: batch work instead of energy."""

    def legend(self, shared: str, use: SmtUse, against: str) -> str:  # noqa: ARG002
        return f"{_LEGEND}{against}."

    def server(self, loads: Sequence[Load], shared: str, decimals: int) -> Group:  # noqa: ARG002
        return latency_and_number(loads, decimals)

    def groups(self, uses: Sequence[SmtUse], *, has_other_power: bool) -> list[Group]:  # noqa: ARG002
        """Columns of batch work with its interval, and of busy hardware threads."""
        busy = [f"{use.utilization_ppm / PPM:.2f}" for use in uses]
        return [(*batch_columns(uses), column("util", busy))]

    def rungs_title(self, shared: str) -> str:  # noqa: ARG002
        return RUNGS

    def rung_counts(self, uses: Sequence[RungUse], shared: str) -> list[Group]:  # noqa: ARG002
        return []

    def by_subject(self, names: UsageColumn, uses: Sequence[SmtUse]) -> list[UsageTable]:  # noqa: ARG002
        return []

    def by_arrivals(self, arrivals: UsageColumn, uses: Sequence[SmtUse]) -> list[UsageTable]:
        """Table of the idle time of a core, in total and by the length of idle periods."""
        idle = [use.idle for use in uses]
        group = (
            column("idle", [percent(one.share_ppm) for one in idle]),
            column("in idle periods", [", ".join(_cells_up_to(one)) for one in idle], False),
        )
        return [UsageTable(_IDLE, arrivals, (group,))]


def _cells_up_to(idle: IdleUse) -> Iterator[str]:
    """Cells such as `11.2 % up to 10 ms`."""
    sums_ppm = list(itertools.accumulate(one.time_ppm for one in idle.periods))
    chosen: list[int] = []
    for least_ppm in _TOLD_PPM:
        places = [place for place, share in enumerate(sums_ppm) if share >= least_ppm]
        chosen += [place for place in places[:1] if place not in chosen]
    for place in chosen:
        edge_us = idle.periods[place].up_to_us
        if edge_us is not None:
            yield f"{percent(sums_ppm[place])} up to {format_us(edge_us)}"
