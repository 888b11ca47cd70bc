"""Confidence interval of a latency percentile, ruling on its SLO, and further requests needed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.ruling import Ruling
from tailc.experiment.tail_sample import TailSample
from tailc.models.outcome import NS_PER_US, Outcome, nearest_us
from tailc.order_statistics import (
    fewest_for_upper_limit,
    normal_limit,
    share_limits,
    student_t_95,
)
from tailc.percentiles import PPM, percentile_rank
from tailc.specs.slo import Slo

# Beyond this many requests the answer is that the estimate is on the target.
_MOST_WORTH_ASKING = 1_000_000_000
_DIGITS = 2
# The upper limit moves out by this many times the skewness of the mean demand, with generated and
# with recorded arrivals.
_LEAN = 4.0
_LEAN_RECORDED = 5.0
# Fewer requests get no ruling: their mean demand and its variance are too uncertain.
FEWEST_JUDGED = 30
# A share that varies by less than a millionth counts as known.
_NEGLIGIBLE = 1e-12


@dataclass(frozen=True)
class Interval:
    """An estimated percentile of latency with its 95 % confidence interval [us].

    high_us: None: too few requests for an upper limit. simulation_us: half-width of the interval
    due to simulated arrivals alone. effective_requests: number of independent requests that would
    give the same uncertainty of the upper limit.
    """

    estimate_us: int
    low_us: int
    high_us: int | None
    simulation_us: int = 0
    effective_requests: float = math.inf


@dataclass(frozen=True)
class Variance:
    """An estimated variance (`value`) with its degrees of freedom (`freedom`)."""

    value: float
    freedom: float


_NONE = Variance(0.0, math.inf)


def sum_of_variances(*parts: Variance) -> Variance:
    """Variance of a sum of independent variables, with its degrees of freedom.

    They follow from those of the parts (Satterthwaite, Biometrics 1946).
    """
    value = sum(part.value for part in parts)
    spread = sum(part.value**2 / part.freedom for part in parts)
    return Variance(value, value**2 / spread) if spread > 0 else Variance(value, math.inf)


def interval(sample: TailSample, comparisons: int = 1) -> Interval:
    """Compute the 95 % confidence interval of a percentile of latency from replays.

    comparisons: number of services whose intervals hold together with 95 % (Bonferroni).

    First find an exact binomial interval for the share of requests at or below the estimate. Its
    number of requests is the effective one: that for which the share would vary as much as it does
    between replays (Woodruff, JASA 1952; Korn and Graubard, Survey Methodology 1998). The limits
    are the latencies at the two ends of that interval.
    """
    estimate_ns = sample.estimate_ns
    noise = simulation_variance(sample)
    variance = sum_of_variances(sampling_variance(sample), noise)
    below, above = _effective_requests(sample, variance, comparisons=comparisons)
    if math.isinf(above):
        # No replicate has another share, so only the order of the requests varies.
        below = above = float(sample.held_out)
    low_ns, high_ns = _limits(sample, below, above, comparisons)
    if sample.held_out < fewest_for_upper_limit(sample.percentile_ppm, comparisons):
        high_ns = None
    if sample.held_out < FEWEST_JUDGED:
        low_ns, high_ns = 0, None
    noise_low_ns, noise_high_ns = _limits(sample, *_effective_requests(sample, noise, leaning=0.0))
    width_ns = (noise_high_ns or int(sample.law_ns[-1])) - noise_low_ns
    return Interval(
        nearest_us(estimate_ns),
        nearest_us(min(low_ns, estimate_ns)),
        None if high_ns is None else nearest_us(max(high_ns, estimate_ns)),
        nearest_us(width_ns // 2),
        above,
    )


def _effective_requests(
    sample: TailSample, variance: Variance, leaning: float | None = None, comparisons: int = 1
) -> tuple[float, float]:
    """Numbers of independent requests with the uncertainty of the lower and the upper limit.

    The numbers account for few degrees of freedom as Korn and Graubard's do.
    """
    share = float(np.mean(sample.by_repeat))
    if variance.value < _NEGLIGIBLE or not 0 < share < 1:
        return math.inf, math.inf
    size = share * (1 - share) / variance.value
    z, t = normal_limit(comparisons), student_t_95(variance.freedom, comparisons)
    leaning = upper_limit_shift(sample) if leaning is None else leaning
    return size * (z / t) ** 2, size * (z / (t + leaning)) ** 2


def _limits(
    sample: TailSample, below: float, above: float, comparisons: int = 1
) -> tuple[int, int | None]:
    """Latencies between which the percentile lies; None: no upper limit."""
    if math.isinf(below):
        return sample.estimate_ns, sample.estimate_ns
    low, high = share_limits(sample.percentile_ppm / PPM, below, above, comparisons)
    return _latency_at(sample.law_ns, low), None if high is None else _latency_at(
        sample.law_ns, high
    )


def _latency_at(sorted_ns: NDArray[np.int64], share: float) -> int:
    """The latency that this share of requests does not exceed."""
    count = len(sorted_ns)
    return int(sorted_ns[min(max(math.ceil(share * count), 1), count) - 1])


def sampling_variance(sample: TailSample) -> Variance:
    """Variance of the share of requests up to the percentile, due to the finite sample of requests.

    Recorded arrivals are part of the sample. The variance is estimated from the bootstrap
    replicates. Two factors correct it: units / (units - 1), because a sample of a sample varies too
    little, and `drawn_share`, because a replicate may draw fewer requests than there are. The
    degrees of freedom include the uncertainty of the variance of demands, by the part of the
    variance that is due to the mean demand.
    """
    replicates, spread = len(sample.shift), sample.spread
    if replicates < 2 or spread.units < 2:
        return _NONE
    unbiased = spread.units / (spread.units - 1)
    value = float(np.var(sample.shift, ddof=1)) * unbiased * spread.drawn_share
    by_demand = correlation(sample) ** 2
    uncertainty = 1 / (min(replicates, spread.units) - 1) + by_demand**2 / spread.freedom
    return Variance(value, 1 / uncertainty)


def correlation(sample: TailSample) -> float:
    """Correlation between the mean demand and the share of requests in time, over the replicates.

    In time means at most the estimated percentile. -1: a sample with longer requests is later in
    proportion, so only the load matters.
    """
    share, work = sample.shift - sample.shift.mean(), sample.work_shift - sample.work_shift.mean()
    scale = math.sqrt(float(np.sum(share**2)) * float(np.sum(work**2)))
    return float(np.sum(share * work)) / scale if scale > 0 else 0.0


def upper_limit_shift(sample: TailSample) -> float:
    """How far the upper limit is moved outwards for skewness, in standard deviations.

    A sample that happens to lack long requests has a short tail and, because it also varies little,
    a narrow interval. For a mean, the upper limit should lie 1.9 times the mean's skewness further
    out than the normal one (Hall, The Bootstrap and Edgeworth Expansion, 1992, 3.5). The share
    depends on the mean demand by `correlation`, and on the rest of the demands. A queue makes that
    dependence nonlinear, and the skewness of a sample underestimates that of its law, so 1.9 is not
    enough: docs/verdicts.md has measurements. Recorded arrivals affect a queue as unevenly as
    demands, and only hide how the share depends on demands: for them the correlation itself counts.
    """
    by_demand, skewness = max(-correlation(sample), 0.0), max(sample.spread.skewness, 0.0)
    if sample.spread.is_recorded:
        return _LEAN_RECORDED * skewness * by_demand
    return _LEAN * skewness * by_demand**3


def simulation_variance(sample: TailSample) -> Variance:
    """Variance of the mean share in time due to simulated arrivals; repeats are independent."""
    repeats = len(sample.by_repeat)
    if repeats < 2:
        return _NONE
    return Variance(float(np.var(sample.by_repeat, ddof=1)) / repeats, repeats - 1)


def ruling(estimate: Interval, target_us: int, *, is_overloaded: bool) -> Ruling:
    """Rule on an SLO: pass if the whole interval of its percentile meets the target.

    Fail if none of the interval meets it, else undecided. An overloaded server never passes.
    """
    if estimate.low_us > target_us:
        return Ruling.FAIL
    if estimate.high_us is not None and estimate.high_us <= target_us and not is_overloaded:
        return Ruling.PASS
    return Ruling.UNDECIDED


def more_requests(
    estimate: Interval, target_us: int, percentile_ppm: int, held_out: int
) -> int | None:
    """About how many more held-out requests would decide; None if the estimate is on the target.

    The half-width of an interval decreases as one over the root of the sample, so it shrinks to the
    distance to the target at `held_out * (half-width / distance)^2` requests. `effective_requests`
    grows with the number of requests, and there is no upper limit before it is large enough.
    Rounded up to two digits.
    """
    distance_us = abs(estimate.estimate_us - target_us)
    meets = estimate.estimate_us <= target_us
    if estimate.high_us is None and meets:
        fewest = fewest_for_upper_limit(percentile_ppm)
        needed = math.ceil(fewest * max(held_out / estimate.effective_requests, 1))
    elif distance_us == 0:
        return None
    else:
        limit_us = estimate.high_us if meets and estimate.high_us is not None else estimate.low_us
        needed = math.ceil(held_out * ((limit_us - estimate.estimate_us) / distance_us) ** 2)
    more = _round_up(max(needed - held_out, 1))
    return more if more <= _MOST_WORTH_ASKING else None


def _round_up(count: int) -> int:
    step = 10 ** max(len(str(count)) - _DIGITS, 0)
    return -(-count // step) * step


def windows_met(
    outcome: Outcome, slo: Slo, counts: NDArray[np.bool_] | None = None
) -> tuple[int, int]:
    """Number of accounting windows whose percentile meets an SLO's target, and of all windows.

    Only whole windows count. Requests belong to the window in which they arrive; empty windows do
    not count. `counts`: for each measured request that was not refused, whether the SLO applies to
    it; None: to all.
    """
    if (slo.window_requests is None and slo.window_us is None) or not len(outcome.latencies_ns):
        return 0, 0
    sizes, late = _windows(outcome, slo, slice(None) if counts is None else counts)
    distinct, which = np.unique(sizes, return_inverse=True)
    allowed = [n - percentile_rank(slo.percentile_ppm, n) for n in distinct.tolist()]
    return int((late <= np.array(allowed, dtype=np.int64)[which]).sum()), len(sizes)


def windows_met_ppm(repeats: Iterable[tuple[int, int]]) -> int | None:
    """Share of accounting windows that meet an SLO over all repeats [1e-6]; None without windows.

    repeats: for each repeat, number of windows that meet it, and of all windows.
    """
    met, windows = map(sum, zip(*repeats, strict=True))
    return round(met * PPM / windows) if windows else None


def _windows(
    outcome: Outcome, slo: Slo, counts: slice | NDArray[np.bool_]
) -> tuple[np.ndarray, np.ndarray]:
    """Requests, and requests later than the target, in each whole window that is not empty."""
    is_late = (outcome.latencies_ns > slo.latency_us * NS_PER_US)[counts]
    if slo.window_requests is not None:
        index = np.arange(len(is_late)) // slo.window_requests
        whole = len(is_late) // slo.window_requests
    else:
        assert slo.window_us is not None
        arrival_ns = outcome.arrival_ns[outcome.measured][outcome.served]
        index = (arrival_ns - arrival_ns[0]) // (slo.window_us * NS_PER_US)
        whole, index = int(index[-1]), index[counts]
    inside = index < whole
    # A replay can last billions of short windows, so only those with an arrival are counted.
    _, window, sizes = np.unique(index[inside], return_inverse=True, return_counts=True)
    late = np.bincount(window, weights=is_late[inside], minlength=len(sizes)).astype(np.int64)
    return sizes, late
