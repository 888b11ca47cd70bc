"""What a verdict tells of lanes of cores: batch work, busy lanes, and how long cores are idle."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from tailc.experiment.comparison import Run
from tailc.models.shared_cores.batch import BatchUse
from tailc.models.smt.idle import IdleUse
from tailc.models.smt.usage import LaneUse
from tailc.percentiles import PPM
from tailc.report.table import Column
from tailc.report.verdict.words import percent
from tailc.units import format_us, printable
from tailc.verify.verdict import Verdicts

# Lengths are told by which at least this part of the idle time is in shorter periods.
_TOLD_PPM = (100_000, 500_000, 900_000)


def is_on_lanes(runs: Sequence[Run]) -> bool:
    """Whether requests share their cores with batch work, lane by lane."""
    return any(run.lanes is not None for run in runs)


def lane_columns(uses: Sequence[LaneUse]) -> tuple[Column, ...]:
    """Batch work with its interval, and busy lanes."""
    busy = tuple(f"{use.utilization_ppm / PPM:.2f}" for use in uses)
    return (*batch_columns(uses), Column("util", busy, True))


def batch_columns(uses: Sequence[LaneUse | BatchUse]) -> tuple[Column, ...]:
    """Batch work with its interval."""
    return (
        Column("batch", tuple(percent(use.batch_ppm) for use in uses), True),
        Column("95 % interval", tuple(map(_interval, uses)), False),
    )


def _interval(use: LaneUse | BatchUse) -> str:
    if use.low_ppm is None or use.high_ppm is None:
        return "unknown"
    return f"{percent(use.low_ppm)} .. {percent(use.high_ppm)}"


def idle_table(verdicts: Verdicts) -> tuple[Column, ...]:
    """For each point, how long a core has no request of the policy, and how long at a time."""
    points = [
        (point.arrivals, point.policy.lanes.idle)
        for point in verdicts.points
        if point.policy.lanes is not None
    ]
    return (
        Column("arrivals", tuple(printable(arrivals) for arrivals, _ in points), True),
        Column("idle", tuple(percent(idle.share_ppm) for _, idle in points), True),
        Column("of that in periods", tuple(", ".join(_within(idle)) for _, idle in points), False),
    )


def _within(idle: IdleUse) -> Iterator[str]:
    """Such as `11.2 % up to 10 ms`."""
    sums_ppm = list(itertools.accumulate(one.time_ppm for one in idle.periods))
    told: list[int] = []
    for least_ppm in _TOLD_PPM:
        places = [place for place, share in enumerate(sums_ppm) if share >= least_ppm]
        told += [place for place in places[:1] if place not in told]
    for place in told:
        edge_us = idle.periods[place].up_to_us
        if edge_us is not None:
            yield f"{percent(sums_ppm[place])} up to {format_us(edge_us)}"
