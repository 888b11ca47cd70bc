"""From replays to one verdict: estimate, interval, ruling, and how many more requests decide."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

import numpy as np

from tailc.percentiles import PPM, percentile_rank
from tailc.replay.lowered import NS_PER_US
from tailc.replay.outcome import Outcome
from tailc.specs.slo import Slo
from tailc.verify.estimate import Sample, outcome_percentiles_us, percentile_us
from tailc.verify.order_statistics import fewest_for_upper_limit, rank_limits
from tailc.verify.verdict import Ruling

# Beyond each limit of the bootstrap. Limits at 2.5 % held the truth in 91 to 94 % of trials on a
# loaded server, since a sample without long requests also looks less variable than it is.
_BOOTSTRAP_TAIL_PPM = 20_000
# Half-width of a normal 95 % interval in standard deviations.
_Z_95 = 1.96
# Beyond this many requests the answer is that the estimate sits on the target.
_MOST_WORTH_ASKING = 1_000_000_000
_DIGITS = 2


@dataclass(frozen=True)
class Interval:
    """An estimated percentile and its limits at 95 %; high None: no upper limit."""

    estimate_us: int
    low_us: int
    high_us: int | None


def interval(sample: Sample, number: int, percentile_ppm: int, held_out: int) -> Interval:
    """Percentile number `number` of the sample: the wider of two intervals on each side.

    The bootstrap carries everything that depends on which requests were held out, their effect on
    the load among it, but under-covers percentiles near the sample's end. The order statistics are
    exact for the tail of an unloaded server and know nothing of the load.
    """
    latencies = sample.sorted_us
    estimate_us = percentile_us(latencies, percentile_ppm)
    low_us, high_us = bootstrap_limits(
        sample.replicate_us[:, number].tolist(), _by_repeat_us(sample, percentile_ppm)
    )
    ranks = rank_limits(percentile_ppm, held_out)
    # Every held-out request stands `count / held_out` times among the latencies.
    count = len(latencies)
    lowest = int(latencies[(ranks.low - 1) * count // held_out]) if ranks.low else 0
    if ranks.high is None:
        return Interval(estimate_us, min(low_us, lowest, estimate_us), None)
    highest = int(latencies[-(-ranks.high * count // held_out) - 1])
    return Interval(
        estimate_us, min(low_us, lowest, estimate_us), max(high_us, highest, estimate_us)
    )


def bootstrap_limits(replicates_us: list[int], repeats_us: list[int]) -> tuple[int, int]:
    """Limits at 95 % from the replicates, rid of most of the noise of their arrivals.

    A replicate varies with its requests and with its arrivals; a repeat with its arrivals alone.
    The estimate is a mean over the repeats, so the replicates are drawn towards their mean until
    only that mean's share of the arrivals' variance is left. The limits then leave 2 % of a
    further draw on either side.
    """
    noise = statistics.variance(repeats_us)
    spread = statistics.variance(replicates_us)
    wanted = max(spread - noise, 0) + noise / len(repeats_us)
    shrink = math.sqrt(min(wanted / spread, 1)) if spread > 0 else 1.0
    centre = statistics.fmean(replicates_us)
    ordered = sorted(replicates_us)
    beyond = max((len(ordered) + 1) * _BOOTSTRAP_TAIL_PPM // PPM, 1)
    low, high = ordered[beyond - 1], ordered[-beyond]
    return round(centre + shrink * (low - centre)), round(centre + shrink * (high - centre))


def simulation_us(sample: Sample, percentile_ppm: int) -> int:
    """Half-width at 95 % of the estimate if only the arrivals were drawn again.

    Repeats are independent, and the estimate is close to their mean.
    """
    values = _by_repeat_us(sample, percentile_ppm)
    return round(_Z_95 * statistics.stdev(values) / math.sqrt(len(values)))


def _by_repeat_us(sample: Sample, percentile_ppm: int) -> list[int]:
    return [outcome_percentiles_us(outcome, [percentile_ppm])[0] for outcome in sample.repeats]


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
