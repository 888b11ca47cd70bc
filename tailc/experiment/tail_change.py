"""Change of a percentile from a baseline, with an interval from common random numbers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.interval import FEWEST_JUDGED, Variance, sum_of_variances
from tailc.experiment.point import TailChange
from tailc.experiment.tail_sample import TailSample
from tailc.order_statistics import Z_95, Z_96, fewest_for_upper_limit, student_t_95
from tailc.percentiles import PPM

# Each limit leaves out 2 %, as those of a percentile do.
_WIDER = Z_96 / Z_95


def tail_change(own: TailSample, base: TailSample) -> TailChange | None:
    """Relative change of a latency percentile from `base` to `own`, with its confidence interval.

    Both were replayed on the same arrivals and requests. The ratio is taken replay by replay, so
    common variation cancels. None if there are too few held-out requests for a limit, or if a
    policy refuses requests, so that the replays do not correspond.
    """
    needed = max(fewest_for_upper_limit(own.percentile_ppm), FEWEST_JUDGED)
    is_paired = own.by_repeat.shape == base.by_repeat.shape and own.shift.shape == base.shift.shape
    if own.held_out < needed or not is_paired or min(own.estimate_ns, base.estimate_ns) <= 0:
        return None
    ratio = math.log(own.estimate_ns / base.estimate_ns)
    by_repeat = _logs(own, own.by_repeat - own.by_repeat.mean())
    by_repeat -= _logs(base, base.by_repeat - base.by_repeat.mean())
    by_replicate = _logs(own, own.shift) - _logs(base, base.shift)
    variance = sum_of_variances(_of_arrivals(by_repeat), _of_requests(own, by_replicate))
    half = _WIDER * student_t_95(variance.freedom) * math.sqrt(variance.value)
    return TailChange(
        round(PPM * math.expm1(ratio)),
        math.floor(PPM * math.expm1(ratio - half)),
        math.ceil(PPM * math.expm1(ratio + half)),
    )


def _logs(sample: TailSample, excess: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithm of the percentile of replays in which an excess of requests is within the estimate.

    Where more requests are within the estimate, the percentile is the latency at a lower share.
    """
    law_ns = sample.law_ns
    within = np.searchsorted(law_ns, sample.estimate_ns, side="right") / len(law_ns)
    at = np.ceil((within - excess) * len(law_ns)).astype(np.int64) - 1
    return np.log(np.maximum(law_ns[np.clip(at, 0, len(law_ns) - 1)], 1))


def _of_arrivals(by_repeat: NDArray[np.float64]) -> Variance:
    """Variance of the mean over independent repeats."""
    repeats = len(by_repeat)
    if repeats < 2:
        return Variance(0.0, math.inf)
    return Variance(float(np.var(by_repeat, ddof=1)) / repeats, repeats - 1)


def _of_requests(sample: TailSample, by_replicate: NDArray[np.float64]) -> Variance:
    """Variance over samples of the held-out requests, or of recorded arrivals."""
    replicates, spread = len(by_replicate), sample.spread
    if replicates < 2 or spread.units < 2:
        return Variance(0.0, math.inf)
    unbiased = spread.units / (spread.units - 1)
    value = float(np.var(by_replicate, ddof=1)) * unbiased * spread.drawn_share
    return Variance(value, min(replicates, spread.units) - 1)
