"""Round thresholds to whole microseconds such that the tail still meets the target exactly.

An earlier climb never delays any request, so every age is rounded down. If the target is still
missed, because of the rounding of the solution, the problem is solved again for a target that is
tighter by a microsecond.

Then ties are resolved: as long as one age can be a microsecond later with the target met and less
energy, the one that saves most is delayed; ties go to the first. Climbs at the same age skip the
types between them, and move together. All of this is decided in exact arithmetic; the bound is that
of the continuous problem.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tailc_solvers.sample import WeightedSample
from tailc_solvers.status import Status
from tailc_solvers.thresholds.dual import ContinuousThresholds, solve_thresholds
from tailc_solvers.thresholds.exact import PPM, ExactFigures, ExactSample

US_PER_MS = 1_000

Ages = tuple[int | None, ...]


@dataclass(frozen=True)
class SnappedThresholds:
    """Climb ages in whole microseconds, as a policy has them, with their exact figures.

    Attributes:
        age_us: age at which each type but the last is left; None: never [N - 1].
        energy: mean energy of a request in units of power times ms, rounded once.
        tail_us: latency of the request at the tail's rank, rounded up: at most the target only if
            the exact latency is.
        bound: lower bound of the continuous problem; inf if no thresholds meet the target.
        gap_before: energy less bound before rounding.
        gap_after: energy less bound after rounding, at least zero; inf without a bound.
        meets_target: whether the tail is within the target.
    """

    age_us: Ages
    energy: float
    tail_us: int
    bound: float
    gap_before: float
    gap_after: float
    meets_target: bool


def snap_thresholds(
    solution: ContinuousThresholds,
    sample: WeightedSample,
    speed_ppm: Sequence[int],
    power_ppm: Sequence[int],
    *,
    rank: int,
    target_us: int,
) -> SnappedThresholds:
    """Round the climb ages of `solution` to whole microseconds; all are zero if it is infeasible.

    sample, speed_ppm, power_ppm, rank, target_us: the problem that was solved, in whole units.
    Demands count in whole nanoseconds.
    """
    exact = ExactSample(sample, np.array(speed_ppm, dtype=np.int64), power_ppm, rank)
    rounded = _Rounding(exact, solution, target_us)
    if solution.status is Status.OPTIMAL and target_us > 1 and not rounded.meets_target:
        tighter = solve_thresholds(
            sample,
            [speed / PPM for speed in speed_ppm],
            [power / PPM for power in power_ppm],
            rank=rank,
            target_ms=(target_us - 1) / US_PER_MS,
        )
        rounded = _Rounding(exact, tighter, target_us)
    ages = rounded.put_off()
    figures = exact.figures(ages)
    energy = float(figures.energy)
    has_bound = math.isfinite(solution.bound)
    return SnappedThresholds(
        age_us=ages,
        energy=energy,
        tail_us=math.ceil(figures.tail_us),
        bound=solution.bound,
        gap_before=solution.gap,
        gap_after=max(energy - solution.bound, 0.0) if has_bound else math.inf,
        meets_target=figures.tail_us <= target_us,
    )


class _Rounding:
    """The ages of a solution, rounded down."""

    def __init__(self, exact: ExactSample, solution: ContinuousThresholds, target_us: int) -> None:
        self._exact = exact
        self._target_us = target_us
        ages = solution.age_ms
        self._climbs = [math.floor(age * US_PER_MS) for age in ages.tolist() if math.isfinite(age)]
        self._never = (None,) * (ages.size - len(self._climbs))

    @property
    def meets_target(self) -> bool:
        return self._meets(self._figures(self._climbs))

    def put_off(self) -> Ages:
        """Ages after every delay of a microsecond that saves energy and meets the target."""
        climbs = self._climbs
        energy = self._figures(climbs).energy
        while True:
            later = [
                (figures.energy, trial)
                for trial in _one_later(climbs)
                if self._meets(figures := self._figures(trial)) and figures.energy < energy
            ]
            if not later:
                return (*climbs, *self._never)
            energy, climbs = min(later, key=lambda found: found[0])

    def _figures(self, climbs: list[int]) -> ExactFigures:
        return self._exact.figures((*climbs, *self._never))

    def _meets(self, figures: ExactFigures) -> bool:
        return figures.tail_us <= self._target_us


def _one_later(climbs: list[int]) -> list[list[int]]:
    """Each list of ages with one of them a microsecond later."""
    return [[age + (age == put_off) for age in climbs] for put_off in sorted(set(climbs))]
