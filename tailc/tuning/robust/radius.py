"""Up to which errors of the inputs a table keeps its SLO.

A limit holds where the whole 95 % interval of the percentile, as `verify` has it, meets it: chance
of arrivals, of their order and of the records count. Errors are tried on a grid, from what was
measured on, on the same random numbers; the last that holds before the first that does not is
taken, by a secant, for which more of an error is taken never to be better.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cache

from tailc.experiment.experiment import experiment_for
from tailc.experiment.feasibility_boundary import last_met
from tailc.experiment.interval import interval
from tailc.experiment.options import FEWEST_REPLICATES, VerifyOptions
from tailc.experiment.server_use import is_overloaded
from tailc.experiment.sizes import RADIUS, Seed
from tailc.experiment.tail_sample import Tail
from tailc.models.arrivals import Arrivals
from tailc.models.execution_model import Subject
from tailc.models.perturbations import longer, with_longer_tail
from tailc.models.workload import Workload
from tailc.percentiles import PPM
from tailc.progress import Progress
from tailc.specs.robust import Ambiguity
from tailc.specs.slo import Slo
from tailc.tuning.robust.uncertainty_cases import Slowed

# Errors are tried in steps of this, and factors in steps of so much of what is stated.
_STEP_PPM = 10_000
_FACTOR_STEP_PPM = 50_000
# A factor beyond that says that nothing is in doubt.
_MOST_FACTOR_PPM = 10 * PPM
_OPTIONS = VerifyOptions(
    seed=Seed.RADIUS,
    requests_per_replay=RADIUS.requests,
    repeats=RADIUS.repeats,
    replicates=FEWEST_REPLICATES,
)
# By about how much the margin falls with a step of each.
_FALL = 0.02


class Axis(enum.Enum):
    """Which input is off; `JOINT` is all that are in doubt, in the proportion stated."""

    DEMAND = "demand"
    TAIL = "tail"
    SPEEDUP = "speedup"
    JOINT = "jointly"


@dataclass(frozen=True)
class Reach:
    """How far an input may be off: an error, or as many times what is stated, in millionths.

    is_all: so far as was tried, so it may be further.
    """

    axis: Axis
    ppm: int
    is_all: bool


@dataclass(frozen=True)
class Radius:
    """Of one SLO at all rates. `holds` is of what was measured; if it does not, all reach 0."""

    slo: Slo
    holds: bool
    reaches: tuple[Reach, ...]


def radius_of(
    subject: Subject,
    slowed: Slowed,
    load: Workload,
    arrivals: Sequence[Arrivals],
    slo: Slo,
    told: Ambiguity,
    workers: Executor,
    progress: Progress,
) -> Radius:
    """The least over the rates, for each input that is in doubt, and for all of them at once.

    subject: a table, and the controller that scales it, if there is one. slowed: what an error of
    speed is on its rungs.
    """
    search = _Search(subject, slowed, load, arrivals, slo, told, workers)
    reaches = []
    axes = _axes(told)
    for number, axis in enumerate(axes):
        progress("seeking how large errors the SLO stands", number / len(axes))
        reaches.append(search.reach(axis))
    return Radius(slo, search.holds, tuple(reaches))


def _axes(told: Ambiguity) -> list[Axis]:
    sizes = {Axis.DEMAND: told.demand_ppm, Axis.TAIL: told.tail_ppm, Axis.SPEEDUP: told.speedup_ppm}
    alone = [axis for axis, size in sizes.items() if size]
    return [*alone, Axis.JOINT] if len(alone) > 1 else alone


@dataclass(frozen=True)
class _Errors:
    """In millionths."""

    demand: int = 0
    tail: int = 0
    speedup: int = 0


class _Search:
    def __init__(
        self,
        subject: Subject,
        slowed: Slowed,
        load: Workload,
        arrivals: Sequence[Arrivals],
        slo: Slo,
        told: Ambiguity,
        workers: Executor,
    ) -> None:
        self._subject = subject
        self._slowed = slowed
        self._load = load
        self._slo = slo
        self._told = told
        self._workers = workers
        self._margin_at = cache(self._margin)
        nominal = {at: self._margin_at(at, _Errors()) for at in arrivals}
        self.holds = min(nominal.values()) >= 0
        self._hardest_first = sorted(arrivals, key=nominal.__getitem__)

    def reach(self, axis: Axis) -> Reach:
        """How far that input may be off at all rates."""
        steps = _steps(axis, self._told)
        found = steps if self.holds else 0
        for arrivals in self._hardest_first:
            found = self._last_met(axis, arrivals, found)
        size = _FACTOR_STEP_PPM if axis is Axis.JOINT else _STEP_PPM
        return Reach(axis, found * size, found == steps)

    def _last_met(self, axis: Axis, arrivals: Arrivals, most: int) -> int:
        """Of so many steps; mostly a rate that is not the hardest stands them all."""

        def margin(step: int) -> float:
            return self._margin_at(arrivals, _errors(axis, step, self._told))

        is_hardest = arrivals is self._hardest_first[0]
        if most == 0 or (not is_hardest and margin(most) >= 0):
            return most
        begin = min(max(round(margin(0) / _FALL), 1), most)
        return last_met(margin, begin, _FALL, most)

    def _margin(self, arrivals: Arrivals, errors: _Errors) -> float:
        """The SLO's latency over the upper limit of the percentile, less 1; -1 under overload.

        Where the estimate misses already, its own margin: the limit's is less.
        """
        subject, tails = self._subject, (Tail(self._slo.percentile_ppm),)
        moved = self._moved(errors)
        experiment = experiment_for(_OPTIONS, moved, arrivals, self._workers, subject)
        repeats = experiment.used(subject, tails)
        if is_overloaded(arrivals, repeats.kept):
            return -1.0
        estimate = self._met_by(repeats.tails_us[0])
        if estimate < 0:
            return estimate
        (found,) = experiment.sample(subject, tails, repeats)
        high_us = interval(found).high_us
        return -1.0 if high_us is None else self._met_by(high_us)

    def _met_by(self, latency_us: int) -> float:
        return self._slo.latency_us / max(latency_us, 1) - 1

    def _moved(self, errors: _Errors) -> Workload:
        heavy = with_longer_tail(self._load, self._told.tail_from_ppm, errors.tail / PPM)
        return self._slowed(longer(heavy, 1 + errors.demand / PPM), errors.speedup / PPM)


def _steps(axis: Axis, told: Ambiguity) -> int:
    """So many are tried at most: errors up to 100 %, factors up to ten."""
    if axis is not Axis.JOINT:
        return PPM // _STEP_PPM
    largest = max(told.demand_ppm, told.tail_ppm, told.speedup_ppm)
    return min(PPM * PPM // largest, _MOST_FACTOR_PPM) // _FACTOR_STEP_PPM


def _errors(axis: Axis, step: int, told: Ambiguity) -> _Errors:
    size = step * _STEP_PPM
    match axis:
        case Axis.DEMAND:
            return _Errors(demand=size)
        case Axis.TAIL:
            return _Errors(tail=size)
        case Axis.SPEEDUP:
            return _Errors(speedup=size)
        case Axis.JOINT:
            factor_ppm = step * _FACTOR_STEP_PPM
            stated = (told.demand_ppm, told.tail_ppm, told.speedup_ppm)
            return _Errors(*(factor_ppm * one // PPM for one in stated))
