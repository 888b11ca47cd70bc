"""Select days of high, medium and low production from a series.

Days are those of a clock with a fixed offset. A pair is two consecutive days, as in the published
evaluation (Haque, Rutgers 2016, figure A.5), which selected its pairs by eye. Here they are
selected by rank: all pairs without gaps are sorted by their sum and then by time; the pair at 95 %
is high, at 50 % medium, and at 5 % low.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tailc.errors import Code, Finding, Place, TailcError
from tailc.percentiles import percentile_rank
from tailc.traces.series.series import SECONDS_PER_DAY, TimeSeries

HIGH_PPM, MEDIUM_PPM, LOW_PPM = 950_000, 500_000, 50_000
FEWEST_PAIRS = 3


@dataclass(frozen=True)
class DayPairs:
    """Periods of a series with high, medium and low production, all of the same length.

    By default a period is two consecutive days.
    """

    high: TimeSeries
    medium: TimeSeries
    low: TimeSeries


def day_pairs(series: TimeSeries, midnight_s: int = 0, days: int = 2) -> DayPairs:
    """Select the periods of `days` days with high, medium and low energy.

    midnight_s: UTC time of midnight, in seconds after 0:00, such as 25,200 for a clock at -07:00.
    Raises TailcError if fewer than three periods have no gaps.
    """
    sums, starts = _sums(series, midnight_s, days)
    if len(sums) < FEWEST_PAIRS:
        message = (
            f"the series has {len(sums)} periods of {days} days without gaps; at least 3 are needed"
        )
        help_ = "give a longer series, or one with shorter gaps"
        raise TailcError(Finding(Code.SHORT_HISTORY, message, Place(series.source), help_))
    order = starts[np.lexsort((starts, sums))]
    steps = days * SECONDS_PER_DAY // series.step_s

    def days_at(rank_ppm: int) -> TimeSeries:
        first = int(order[percentile_rank(rank_ppm, len(order)) - 1])
        return series.part(slice(first, first + steps))

    return DayPairs(days_at(HIGH_PPM), days_at(MEDIUM_PPM), days_at(LOW_PPM))


def _sums(series: TimeSeries, midnight_s: int, days: int) -> tuple[np.ndarray, np.ndarray]:
    """Sum and first step of each period of days without gaps."""
    to_midnight_s = (midnight_s - series.start_unix_s) % SECONDS_PER_DAY
    if SECONDS_PER_DAY % series.step_s or to_midnight_s % series.step_s:
        raise ValueError(
            "a day must begin at the start of a step, and be a whole number of steps long"
        )
    per_day = SECONDS_PER_DAY // series.step_s
    first = to_midnight_s // series.step_s
    whole_days = max((series.steps - first) // per_day, 0)
    starts = first + per_day * np.arange(max(whole_days - days + 1, 0))
    reach = starts[:, np.newaxis] + np.arange(days * per_day)
    is_known = series.known[reach].all(axis=1)
    return series.value[reach].sum(axis=1)[is_known], starts[is_known]
