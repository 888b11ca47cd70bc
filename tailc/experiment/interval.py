"""From replays to an estimate: its interval, ruling, and how many more requests decide."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.ruling import Ruling
from tailc.experiment.tail_sample import TailSample
from tailc.models.outcome import NS_PER_US, Outcome, nearest_us
from tailc.order_statistics import Z_95, fewest_for_upper_limit, share_limits, student_t_95
from tailc.percentiles import PPM, percentile_rank
from tailc.specs.slo import Slo

# Beyond this many requests the answer is that the estimate sits on the target.
_MOST_WORTH_ASKING = 1_000_000_000
_DIGITS = 2
# By how many times the skewness of the mean demand the upper limit lies further out, where arrivals
# are generated and where they are recorded.
_LEAN = 4.0
_LEAN_RECORDED = 5.0
# On fewer requests nothing is judged: neither their mean demand nor its variance says much.
FEWEST_JUDGED = 30
# A share that varies by less than a millionth is as good as known.
_NEGLIGIBLE = 1e-12


@dataclass(frozen=True)
class Interval:
    """An estimated percentile and its limits at 95 %; high None: no upper limit.

    `simulation_us`: half-width if only what is simulated were drawn again. `worth`: how many
    independent requests would tell as much about the upper limit.
    """

    estimate_us: int
    low_us: int
    high_us: int | None
    simulation_us: int = 0
    worth: float = math.inf


@dataclass(frozen=True)
class Variance:
    """An estimated variance, and the degrees of freedom behind it."""

    value: float
    freedom: float


_NONE = Variance(0.0, math.inf)


def total(*parts: Variance) -> Variance:
    """Of a sum of independent variables (Satterthwaite, Biometrics 1946)."""
    value = sum(part.value for part in parts)
    spread = sum(part.value**2 / part.freedom for part in parts)
    return Variance(value, value**2 / spread) if spread > 0 else Variance(value, math.inf)


def interval(found: TailSample) -> Interval:
    """The percentile, and limits that hold that of all requests with 95 % probability.

    The limits are those of an exact binomial interval for the share of requests up to the estimate,
    for as many requests as would let that share vary as it does (Woodruff, JASA 1952; Korn and
    Graubard, Survey Methodology 1998), read off the latencies.
    """
    estimate_ns = found.estimate_ns
    noise = simulation(found)
    below, above = _worth(found, total(sampling(found), noise))
    if math.isinf(above):
        # No replicate has another share; the order of the requests is all that is left.
        below = above = float(found.held_out)
    low_ns, high_ns = _limits(found, below, above)
    if found.held_out < fewest_for_upper_limit(found.percentile_ppm):
        high_ns = None
    if found.held_out < FEWEST_JUDGED:
        low_ns, high_ns = 0, None
    noise_low_ns, noise_high_ns = _limits(found, *_worth(found, noise, leaning=0.0))
    width_ns = (noise_high_ns or int(found.law_ns[-1])) - noise_low_ns
    return Interval(
        nearest_us(estimate_ns),
        nearest_us(min(low_ns, estimate_ns)),
        None if high_ns is None else nearest_us(max(high_ns, estimate_ns)),
        nearest_us(width_ns // 2),
        above,
    )


def _worth(
    found: TailSample, variance: Variance, leaning: float | None = None
) -> tuple[float, float]:
    """How many independent requests have a share as uncertain, for the lower and the upper limit.

    The limits make up for few degrees of freedom as Korn and Graubard's do.
    """
    share = float(np.mean(found.by_repeat))
    if variance.value < _NEGLIGIBLE or not 0 < share < 1:
        return math.inf, math.inf
    size = share * (1 - share) / variance.value
    t = student_t_95(variance.freedom)
    leaning = lean(found) if leaning is None else leaning
    return size * (Z_95 / t) ** 2, size * (Z_95 / (t + leaning)) ** 2


def _limits(found: TailSample, below: float, above: float) -> tuple[int, int | None]:
    """Latencies between which the percentile lies."""
    if math.isinf(below):
        return found.estimate_ns, found.estimate_ns
    low, high = share_limits(found.percentile_ppm / PPM, below, above)
    return _at(found.law_ns, low), None if high is None else _at(found.law_ns, high)


def _at(sorted_ns: NDArray[np.int64], share: float) -> int:
    """The latency that this share of requests does not exceed."""
    count = len(sorted_ns)
    return int(sorted_ns[min(max(math.ceil(share * count), 1), count) - 1])


def sampling(found: TailSample) -> Variance:
    """Of the share, over what was measured: held-out requests, and recorded arrivals.

    What is drawn from a sample varies less than what the sample was drawn from: by 1 / units. A
    replicate draws less than all there is if that is too much for a replay. The part of the
    variance that comes with the mean demand is known as badly as the variance of the demands.
    """
    replicates, spread = len(found.shift), found.spread
    if replicates < 2 or spread.units < 2:
        return _NONE
    unbiased = spread.units / (spread.units - 1)
    value = float(np.var(found.shift, ddof=1)) * unbiased * spread.drawn_share
    by_demand = correlation(found) ** 2
    uncertainty = 1 / (min(replicates, spread.units) - 1) + by_demand**2 / spread.freedom
    return Variance(value, 1 / uncertainty)


def correlation(found: TailSample) -> float:
    """Of the share with the mean demand, over replicates: -1 where the load alone decides."""
    share, work = found.shift - found.shift.mean(), found.work_shift - found.work_shift.mean()
    scale = math.sqrt(float(np.sum(share**2)) * float(np.sum(work**2)))
    return float(np.sum(share * work)) / scale if scale > 0 else 0.0


def lean(found: TailSample) -> float:
    """Standard deviations by which the upper limit lies further out than the lower one.

    Requests that happen to lack long ones show a short tail and, because they also vary little, a
    narrow interval. For a mean, the upper limit is to lie 1.9 times the mean's skewness further out
    than the normal one (Hall, The Bootstrap and Edgeworth Expansion, 1992, 3.5). The share depends
    on the mean demand as a sum of `correlation` parts of it and of its own does. A queue bends that
    dependence, and the skewness of a sample falls short of that of its law, so that 1.9 is not
    enough: docs/verdicts.md has what was measured. Recorded arrivals are as uneven as demands in
    what they do to a queue, and only hide how the share depends on them: there the correlation
    itself counts.
    """
    by_demand, skewness = max(-correlation(found), 0.0), max(found.spread.skewness, 0.0)
    if found.spread.is_recorded:
        return _LEAN_RECORDED * skewness * by_demand
    return _LEAN * skewness * by_demand**3


def simulation(found: TailSample) -> Variance:
    """Of the share, over what is simulated: repeats are independent, and it is their mean."""
    repeats = len(found.by_repeat)
    if repeats < 2:
        return _NONE
    return Variance(float(np.var(found.by_repeat, ddof=1)) / repeats, repeats - 1)


def ruling(found: Interval, target_us: int, *, is_overloaded: bool) -> Ruling:
    """Pass if the whole interval meets the target, fail if none of it does."""
    if found.low_us > target_us:
        return Ruling.FAIL
    if found.high_us is not None and found.high_us <= target_us and not is_overloaded:
        return Ruling.PASS
    return Ruling.UNDECIDED


def more_requests(
    found: Interval, target_us: int, percentile_ppm: int, held_out: int
) -> int | None:
    """About how many more held-out requests would decide; None if the estimate is on the target.

    An interval's half-width falls as one over the root of the sample, so it shrinks to the distance
    to the target at `held_out * (half-width / distance)^2` requests. What requests are worth grows
    with their number, and there is no upper limit before they are worth as much as it takes.
    Rounded up to two digits.
    """
    distance_us = abs(found.estimate_us - target_us)
    meets = found.estimate_us <= target_us
    if found.high_us is None and meets:
        fewest = fewest_for_upper_limit(percentile_ppm)
        needed = math.ceil(fewest * max(held_out / found.worth, 1))
    elif distance_us == 0:
        return None
    else:
        limit_us = found.high_us if meets and found.high_us is not None else found.low_us
        needed = math.ceil(held_out * ((limit_us - found.estimate_us) / distance_us) ** 2)
    more = _rounded_up(max(needed - held_out, 1))
    return more if more <= _MOST_WORTH_ASKING else None


def _rounded_up(count: int) -> int:
    step = 10 ** max(len(str(count)) - _DIGITS, 0)
    return -(-count // step) * step


def windows_met(
    outcome: Outcome, slo: Slo, counts: NDArray[np.bool_] | None = None
) -> tuple[int, int]:
    """How many whole accounting windows of a replay have a percentile that meets the target, and
    how many there are.

    Requests belong to the window in which they arrive; empty windows do not count. `counts`: which
    of the measured requests that were not refused the SLO is for; None: all.
    """
    if (slo.window_requests is None and slo.window_us is None) or not len(outcome.latencies_ns):
        return 0, 0
    sizes, late = _windows(outcome, slo, slice(None) if counts is None else counts)
    distinct, which = np.unique(sizes, return_inverse=True)
    allowed = [n - percentile_rank(slo.percentile_ppm, n) for n in distinct.tolist()]
    return int((late <= np.array(allowed, dtype=np.int64)[which]).sum()), len(sizes)


def windows_met_ppm(repeats: Iterable[tuple[int, int]]) -> int | None:
    """The share of windows that meet the target over all repeats; None without any."""
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
    # A replay can last billions of short windows: count those in which a request arrives.
    _, window, sizes = np.unique(index[inside], return_inverse=True, return_counts=True)
    late = np.bincount(window, weights=is_late[inside], minlength=len(sizes)).astype(np.int64)
    return sizes, late
