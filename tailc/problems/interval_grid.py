"""The grid of stays (times on a rung) that a search enumerates, with a default resolution."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tailc.errors import Code, Finding, TailcError
from tailc.percentiles import percentile_rank
from tailc.traces.profile import DemandProfile

US_PER_MS = 1_000
# The longest stay is at most this multiple of the demand at the SLO's percentile, so that a single
# outlier does not determine the grid.
MOST_QUANTILES = 20
# The default step resolves the SLO quantile's demand this finely ...
POINTS_PER_QUANTILE = 200
# ... unless the grid would then hold more schedules than this (about a second of search).
MOST_SCHEDULES_SHARED_CURVES = 40_000_000
MOST_SCHEDULES_OWN_CURVES = 2_000_000
# Limit for a step that the user gives, a thousand times that of a default.
MOST_SCHEDULES_ASKED = 40_000_000_000
# With more curves than this, requests have their own curves rather than classes.
MOST_CLASSES = 64


@dataclass(frozen=True)
class IntervalGrid:
    """The possible times on a rung: 0, step, ..., longest, and without end.

    The finite times of a schedule sum to at most the longest.
    """

    step_us: int
    longest_us: int

    def __post_init__(self) -> None:
        if self.step_us <= 0 or self.longest_us < self.step_us:
            raise ValueError("a grid needs a positive step, and at least one")
        if self.longest_us % self.step_us:
            raise ValueError("the longest stay must be a whole number of steps")

    @property
    def steps(self) -> int:
        """Number of grid steps from 0 to the longest time that a request may stay on a rung."""
        return self.longest_us // self.step_us


def interval_grid(
    profile: DemandProfile, percentile_ppm: int, step_us: int | None, longest_us: int | None
) -> IntervalGrid:
    """Build the grid of stays from the user's values, with defaults for those that are missing.

    A stay is the time on a rung. By default the longest stay is the longest demand, or
    MOST_QUANTILES times the demand at the percentile if that is shorter, rounded up to the step. A
    user's longest stay is rounded down to the step. The step is 1, 2 or 5 times a power of ten.
    """
    limit_us = longest_us or math.ceil(_longest_ms(profile, percentile_ppm) * US_PER_MS)
    step_us = step_us or min(_default_step_us(profile, percentile_ppm, limit_us), limit_us)
    steps = limit_us // step_us if longest_us else -(-limit_us // step_us)
    return IntervalGrid(step_us, max(steps, 1) * step_us)


def refuse_endless(grid: IntervalGrid, rungs: int) -> None:
    """Raise TailcError (METHOD_UNFIT) if a grid of stays has too many schedules to search."""
    schedules = _schedules(grid.steps, rungs)
    if schedules <= MOST_SCHEDULES_ASKED:
        return
    step_us = grid.step_us
    while _schedules(-(-grid.longest_us // step_us), rungs) > MOST_SCHEDULES_SHARED_CURVES:
        step_us = rounded_step_us(step_us + 1)
    message = (
        f"a step of {grid.step_us:,} us makes a grid of {schedules:.1e} schedules, which no search "
        f"ends on; the limit is {MOST_SCHEDULES_ASKED:.0e}"
    )
    hint = f"write `step: {step_us}us`, leave `step` out, or limit the search by `max_evaluations`"
    raise TailcError(Finding(Code.METHOD_UNFIT, message, help=hint, about=("search", "step")))


def _longest_ms(profile: DemandProfile, percentile_ppm: int) -> float:
    quantile_ms = profile.demand_at(percentile_rank(percentile_ppm, profile.total_weight))
    return min(float(profile.demand_ms.max()), MOST_QUANTILES * quantile_ms)


def _default_step_us(profile: DemandProfile, percentile_ppm: int, longest_us: int) -> int:
    quantile_ms = profile.demand_at(percentile_rank(percentile_ppm, profile.total_weight))
    own = len(profile.curves) > MOST_CLASSES
    most = MOST_SCHEDULES_OWN_CURVES if own else MOST_SCHEDULES_SHARED_CURVES
    step_us = rounded_step_us(quantile_ms * US_PER_MS / POINTS_PER_QUANTILE)
    while _schedules(-(-longest_us // step_us), profile.degrees) > most:
        step_us = rounded_step_us(step_us + 1)
    return step_us


def _schedules(steps: int, rungs: int) -> int:
    """Number of ways to distribute at most `steps` steps over all rungs but the last."""
    return math.comb(steps + rungs - 1, rungs - 1)


def rounded_step_us(step_us: float) -> int:
    """Round up to the next of 1, 2, 5, 10, 20, 50, ..."""
    power = 1
    while True:
        for digit in (1, 2, 5):
            if digit * power >= step_us:
                return digit * power
        power *= 10
