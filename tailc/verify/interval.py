"""From replays to one verdict: estimate, interval, ruling, and how many more requests decide."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.percentiles import PPM, percentile_rank
from tailc.replay.lowered import NS_PER_US
from tailc.replay.outcome import Outcome, nearest_us
from tailc.specs.slo import Slo
from tailc.verify.estimate import TailSample
from tailc.verify.order_statistics import fewest_for_upper_limit, share_limits
from tailc.verify.verdict import Ruling

# Beyond this many requests the answer is that the estimate sits on the target.
_MOST_WORTH_ASKING = 1_000_000_000
_DIGITS = 2
# Recorded arrivals are cut into so many stretches of time, whose means are taken as independent.
_BATCHES = 24


@dataclass(frozen=True)
class Interval:
    """An estimated percentile and its limits at 95 %; high None: no upper limit.

    `simulation_us`: half-width if only what is simulated were drawn again.
    """

    estimate_us: int
    low_us: int
    high_us: int | None
    simulation_us: int = 0


@dataclass(frozen=True)
class Variance:
    """An estimated variance, and the degrees of freedom behind it."""

    value: float
    freedom: float

    def __add__(self, other: Variance) -> Variance:
        """Of a sum of independent variables (Satterthwaite, Biometrics 1946)."""
        value = self.value + other.value
        parts = [one for one in (self, other) if one.value > 0]
        spread = sum(one.value**2 / one.freedom for one in parts)
        return Variance(value, value**2 / spread if spread > 0 else math.inf)


def interval(found: TailSample) -> Interval:
    """The percentile, and limits that hold that of all requests with 95 % probability.

    The limits are those of an exact binomial interval for the share of requests up to the estimate,
    for as many requests as would let that share vary as it does (Woodruff, JASA 1952; Korn and
    Graubard, Survey Methodology 1998), read off the latencies.
    """
    share = float(np.mean(found.by_repeat))
    simulation = _simulation(found)
    low, high = _limits(found, share, sampling(found) + simulation)
    if found.held_out < fewest_for_upper_limit(found.percentile_ppm):
        high = None
    noise_low, noise_high = _limits(found, share, simulation)
    width = (noise_high if noise_high is not None else found.sorted_ns[-1]) - noise_low
    return Interval(
        nearest_us(found.estimate_ns),
        nearest_us(min(low, found.estimate_ns)) if low is not None else 0,
        None if high is None else nearest_us(max(high, found.estimate_ns)),
        nearest_us(int(width) // 2),
    )


def _limits(found: TailSample, share: float, variance: Variance) -> tuple[int, int | None]:
    """Latencies at the limits of the percentile's own share."""
    wanted = found.percentile_ppm / PPM
    if variance.value <= 0 or not 0 < share < 1:
        return found.estimate_ns, found.estimate_ns
    size = share * (1 - share) / variance.value
    low, high = share_limits(wanted, size, variance.freedom)
    return (
        _at(found.sorted_ns, low),
        None if high is None else _at(found.sorted_ns, high),
    )


def _at(sorted_ns: NDArray[np.int64], share: float) -> int:
    """The latency that the share of requests does not exceed."""
    count = len(sorted_ns)
    return int(sorted_ns[min(max(math.ceil(share * count), 1), count) - 1])


def sampling(found: TailSample) -> Variance:
    """Of the share, over samples of held-out requests and over recorded arrivals."""
    total = Variance(0.0, math.inf)
    if len(found.shift) > 1:
        # Fewer are drawn than were held out if those are too many for a replay.
        variance = float(np.var(found.shift, ddof=1)) * found.drawn_share
        total += Variance(variance, len(found.shift) - 1)
    if found.by_arrival is not None:
        total += batch_variance(found.by_arrival)
    return total


def batch_variance(series: NDArray[np.float64]) -> Variance:
    """Of the mean of a dependent series, from the means of equal stretches."""
    batches = min(_BATCHES, len(series))
    if batches < 2:
        return Variance(0.0, math.inf)
    length = len(series) // batches
    means = series[: batches * length].reshape(batches, length).mean(axis=1)
    return Variance(float(np.var(means, ddof=1)) / batches, batches - 1)


def _simulation(found: TailSample) -> Variance:
    """Of the share, over simulated arrivals: repeats are independent, the share is their mean."""
    repeats = len(found.by_repeat)
    if repeats < 2:
        return Variance(0.0, math.inf)
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
    to the target at `held_out * (half-width / distance)^2` requests, and not before there is
    an upper limit at all. Rounded up to two digits.
    """
    distance_us = abs(found.estimate_us - target_us)
    meets = found.estimate_us <= target_us
    if found.high_us is None and meets:
        needed = fewest_for_upper_limit(percentile_ppm)
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


def windows_met_ppm(repeats: tuple[Outcome, ...], slo: Slo) -> int | None:
    """The share of whole accounting windows, over all repeats, whose percentile meets the target.

    Requests belong to the window in which they arrive; empty windows do not count.
    """
    if slo.window_requests is None and slo.window_us is None:
        return None
    met = total = 0
    for outcome in repeats:
        sizes, late = _windows(outcome, slo)
        distinct, which = np.unique(sizes, return_inverse=True)
        allowed = [n - percentile_rank(slo.percentile_ppm, n) for n in distinct.tolist()]
        met += int((late <= np.array(allowed, dtype=np.int64)[which]).sum())
        total += len(sizes)
    return round(met * PPM / total) if total else None


def _windows(outcome: Outcome, slo: Slo) -> tuple[np.ndarray, np.ndarray]:
    """Requests, and requests later than the target, in each whole window that is not empty."""
    is_late = outcome.latency_ns[outcome.measured] > slo.latency_us * NS_PER_US
    if slo.window_requests is not None:
        index = np.arange(len(is_late)) // slo.window_requests
        whole = len(is_late) // slo.window_requests
    else:
        assert slo.window_us is not None
        arrival_ns = outcome.arrival_ns[outcome.measured]
        index = (arrival_ns - arrival_ns[0]) // (slo.window_us * NS_PER_US)
        whole = int(index[-1])
    inside = index < whole
    # A replay can last billions of short windows: count those in which a request arrives.
    _, window, sizes = np.unique(index[inside], return_inverse=True, return_counts=True)
    late = np.bincount(window, weights=is_late[inside], minlength=len(sizes)).astype(np.int64)
    return sizes, late
