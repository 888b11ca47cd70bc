"""The largest errors of the inputs under which a table keeps its SLO.

The SLO holds if the whole 95 % interval of the percentile, computed as by `verify`, is within it:
the interval includes the randomness of arrivals, their order and the records. Errors are on a grid
from 0 upward, with the same random numbers. The result is the last error that holds before the
first that does not; a secant finds it, on the assumption that a larger error is never better.
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
from tailc.models.perturbations import with_longer_tail, with_more_work
from tailc.models.workload import Workload
from tailc.percentiles import PPM
from tailc.progress import Progress
from tailc.specs.robust import Ambiguity
from tailc.specs.slo import Slo
from tailc.tuning.robust.uncertainty_cases import Slowed

# Steps of errors, and of factors of the stated errors.
_STEP_PPM = 10_000
_FACTOR_STEP_PPM = 50_000
# Largest factor of the stated errors that is tried.
_MOST_FACTOR_PPM = 10 * PPM
_OPTIONS = VerifyOptions(
    seed=Seed.RADIUS,
    requests_per_replay=RADIUS.requests,
    repeats=RADIUS.repeats,
    replicates=FEWEST_REPLICATES,
)
# Approximate decrease of the margin per step.
_FALL = 0.02


class UncertainInput(enum.Enum):
    """The input that has an error: demand or speed-ups.

    `JOINT`: all uncertain inputs, in the stated proportion.
    """

    DEMAND = "demand"
    TAIL = "tail"
    SPEEDUP = "speedup"
    JOINT = "jointly"


@dataclass(frozen=True)
class Reach:
    """Largest tolerated error of one input, or factor on all stated errors [1e-6].

    is_all: whether it is the largest that was tried, so the true one may be larger.
    """

    axis: UncertainInput
    ppm: int
    is_all: bool


@dataclass(frozen=True)
class Radius:
    """The largest errors of demand and speed-ups under which a table meets one SLO at all rates.

    holds: whether the SLO holds without errors; if not, all errors are 0.
    """

    slo: Slo
    holds: bool
    reaches: tuple[Reach, ...]


def radius_of(
    subject: Subject,
    slowed: Slowed,
    load: Workload,
    arrivals: Sequence[Arrivals],
    slo: Slo,
    ambiguity: Ambiguity,
    workers: Executor,
    progress: Progress,
) -> Radius:
    """Compute the largest tolerated error of each uncertain input, and of all of them together.

    The inputs are demands and speed-ups; an error is tolerated if the SLO holds at all rates.
    subject: a table, with its controller if it has one. slowed: effect of an error of speed on the
    rungs of the table.
    """
    search = _RadiusSearch(subject, slowed, load, arrivals, slo, ambiguity, workers)
    reaches = []
    axes = _axes(ambiguity)
    for number, axis in enumerate(axes):
        progress("searching the largest errors at which the SLO is met", number / len(axes))
        reaches.append(search.reach(axis))
    return Radius(slo, search.holds, tuple(reaches))


def _axes(ambiguity: Ambiguity) -> list[UncertainInput]:
    sizes = {
        UncertainInput.DEMAND: ambiguity.demand_ppm,
        UncertainInput.TAIL: ambiguity.tail_ppm,
        UncertainInput.SPEEDUP: ambiguity.speedup_ppm,
    }
    alone = [axis for axis, size in sizes.items() if size]
    return [*alone, UncertainInput.JOINT] if len(alone) > 1 else alone


@dataclass(frozen=True)
class _Errors:
    """Errors of the inputs [1e-6]."""

    demand: int = 0
    tail: int = 0
    speedup: int = 0


class _RadiusSearch:
    def __init__(
        self,
        subject: Subject,
        slowed: Slowed,
        load: Workload,
        arrivals: Sequence[Arrivals],
        slo: Slo,
        ambiguity: Ambiguity,
        workers: Executor,
    ) -> None:
        self._subject = subject
        self._slowed = slowed
        self._load = load
        self._slo = slo
        self._ambiguity = ambiguity
        self._workers = workers
        self._margin_at = cache(self._margin)
        nominal = {at: self._margin_at(at, _Errors()) for at in arrivals}
        self.holds = min(nominal.values()) >= 0
        self._hardest_first = sorted(arrivals, key=nominal.__getitem__)

    def reach(self, axis: UncertainInput) -> Reach:
        """Largest error of an input at all rates."""
        steps = _steps(axis, self._ambiguity)
        found = steps if self.holds else 0
        for arrivals in self._hardest_first:
            found = self._last_met(axis, arrivals, found)
        size = _FACTOR_STEP_PPM if axis is UncertainInput.JOINT else _STEP_PPM
        return Reach(axis, found * size, found == steps)

    def _last_met(self, axis: UncertainInput, arrivals: Arrivals, most: int) -> int:
        """Last step that holds at one rate, at most `most`; most rates hold at all steps."""

        def margin(step: int) -> float:
            return self._margin_at(arrivals, _errors(axis, step, self._ambiguity))

        is_hardest = arrivals is self._hardest_first[0]
        if most == 0 or (not is_hardest and margin(most) >= 0):
            return most
        begin = min(max(round(margin(0) / _FALL), 1), most)
        return last_met(margin, begin, _FALL, most)

    def _margin(self, arrivals: Arrivals, errors: _Errors) -> float:
        """Latency of the SLO relative to the upper limit of the percentile, minus 1.

        -1 if overloaded. If the estimate already misses the SLO, the margin of the estimate.
        """
        subject, tails = self._subject, (Tail(self._slo.percentile_ppm),)
        moved = self._perturb(errors)
        experiment = experiment_for(_OPTIONS, moved, arrivals, self._workers, subject)
        repeats = experiment.replay_with_use(subject, tails)
        if is_overloaded(arrivals, repeats.results):
            return -1.0
        estimate = self._met_by(repeats.tails_us[0])
        if estimate < 0:
            return estimate
        (found,) = experiment.sample(subject, tails, repeats)
        high_us = interval(found).high_us
        return -1.0 if high_us is None else self._met_by(high_us)

    def _met_by(self, latency_us: int) -> float:
        return self._slo.latency_us / max(latency_us, 1) - 1

    def _perturb(self, errors: _Errors) -> Workload:
        heavy = with_longer_tail(self._load, self._ambiguity.tail_from_ppm, errors.tail / PPM)
        return self._slowed(with_more_work(heavy, 1 + errors.demand / PPM), errors.speedup / PPM)


def _steps(axis: UncertainInput, ambiguity: Ambiguity) -> int:
    """Largest number of steps: errors up to 100 %, factors up to 10."""
    if axis is not UncertainInput.JOINT:
        return PPM // _STEP_PPM
    largest = max(ambiguity.demand_ppm, ambiguity.tail_ppm, ambiguity.speedup_ppm)
    return min(PPM * PPM // largest, _MOST_FACTOR_PPM) // _FACTOR_STEP_PPM


def _errors(axis: UncertainInput, step: int, ambiguity: Ambiguity) -> _Errors:
    size = step * _STEP_PPM
    match axis:
        case UncertainInput.DEMAND:
            return _Errors(demand=size)
        case UncertainInput.TAIL:
            return _Errors(tail=size)
        case UncertainInput.SPEEDUP:
            return _Errors(speedup=size)
        case UncertainInput.JOINT:
            factor_ppm = step * _FACTOR_STEP_PPM
            stated = (ambiguity.demand_ppm, ambiguity.tail_ppm, ambiguity.speedup_ppm)
            return _Errors(*(factor_ppm * one // PPM for one in stated))
