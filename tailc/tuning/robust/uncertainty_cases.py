"""The cases of an uncertainty set of demand and speed-ups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tailc.experiment.sizes import Seed
from tailc.forms.ladder.table import Ladder
from tailc.forms.ladder.units import degrees
from tailc.models.perturbations import (
    bootstrap,
    with_longer_tail,
    with_more_of,
    with_more_work,
    with_slower_cores,
    with_slower_rungs,
)
from tailc.models.workload import Workload
from tailc.percentiles import PPM
from tailc.specs.robust import Ambiguity
from tailc.traces.day_of import RowDays
from tailc.units import format_ppm

MEASURED = "as measured"
Slowed = Callable[[Workload, float], Workload]
# Number of days that are tried: those with the largest mean square of work.
_MOST_DAYS = 3


@dataclass(frozen=True, eq=False)
class UncertaintyCase:
    """A case of an uncertainty set: demand and speed-ups with an error; reports show its `name`."""

    name: str
    load: Workload


def slowed_on(table: Ladder) -> Slowed:
    """Choose how an error of speed changes a table's rungs: threads, or cores and frequencies."""
    return with_slower_rungs if degrees(table) is not None else with_slower_cores


def uncertainty_cases(
    load: Workload, ambiguity: Ambiguity, days: RowDays | None, slowed: Slowed = with_slower_rungs
) -> list[UncertaintyCase]:
    """List the cases of an uncertainty set: the measured inputs, then the largest errors of inputs.

    days: days of the records of `load`, each of which is a case too; None: unknown. Of the days,
    the three whose work has the largest mean square are used, because waiting increases with it.
    slowed: see `slowed_on`.
    """
    return [
        UncertaintyCase(MEASURED, load),
        *_of_size(load, ambiguity, slowed),
        *_of_chance(load, ambiguity, days),
    ]


def _of_size(load: Workload, ambiguity: Ambiguity, slowed: Slowed) -> Iterator[UncertaintyCase]:
    demand, tail, speedup = (
        ppm / PPM for ppm in (ambiguity.demand_ppm, ambiguity.tail_ppm, ambiguity.speedup_ppm)
    )
    if demand:
        yield UncertaintyCase(
            f"demand +{format_ppm(ambiguity.demand_ppm)}", with_more_work(load, 1 + demand)
        )
        yield UncertaintyCase(
            f"demand -{format_ppm(ambiguity.demand_ppm)}", with_more_work(load, 1 - demand)
        )
    if tail:
        heavy = with_longer_tail(load, ambiguity.tail_from_ppm, tail)
        above = format_ppm(ambiguity.tail_from_ppm).removesuffix(" %")
        yield UncertaintyCase(f"tail +{format_ppm(ambiguity.tail_ppm)} above p{above}", heavy)
    if speedup:
        yield UncertaintyCase(
            f"speed-ups -{format_ppm(ambiguity.speedup_ppm)}", slowed(load, speedup)
        )


def _of_chance(
    load: Workload, ambiguity: Ambiguity, days: RowDays | None
) -> Iterator[UncertaintyCase]:
    if ambiguity.mixture_ppm and days is not None:
        for day in _hardest(load, days):
            more = with_more_of(load, days.of_row == day, ambiguity.mixture_ppm / PPM)
            yield UncertaintyCase(
                f"day {days.names[day]} +{format_ppm(ambiguity.mixture_ppm)}", more
            )
    for number in range(1, ambiguity.resamples + 1):
        yield UncertaintyCase(f"resample {number}", bootstrap(load, Seed.RESAMPLES + number))


def _hardest(load: Workload, days: RowDays) -> list[int]:
    """Numbers of days, none where all requests are of one."""
    present = np.unique(days.of_row)
    if len(present) == 1:
        return []
    count = np.bincount(days.of_row, weights=load.weight)
    square = np.bincount(
        days.of_row, weights=load.weight * (load.work_ns / load.work_ns.max()) ** 2
    )
    order = np.argsort(-(square[present] / count[present]), kind="stable")
    return present[order][:_MOST_DAYS].tolist()
