"""Estimate the busy share of bursty arrivals from the skewness of their counts.

The index of dispersion depends only on the variance of the rate, and so not on the busy share. The
third moment does: the rarer bursts are, the further they rise above the mean. Let the count N over
a time t have the mean m, variance v and third central moment k. Then the integral of the rate over
this time has the variance v - m and the third moment k - 3 v + 2 m, because N is Poisson given the
integral. With the busy share b, forgotten at the rate r, and x = r t, the skewness of that integral
is

    (1 - 2 b) / sqrt(b (1 - b)) * 6 (x - 2 + (x + 2) exp(-x)) / (2 (x - 1 + exp(-x)))^(3/2),

because a rate of levels D apart at three times, the first and last of them s apart, has the joint
third moment b (1 - b) (1 - 2 b) D^3 exp(-r s). The estimate is at t = 1 / r. Its interval is a
jackknife over 20 segments of the recording, each left out in turn (Miller, "The jackknife: a
review", Biometrika 61, 1974).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.percentiles import PPM

_STRETCHES = 20
# Half a 95 % interval in standard errors: Student's t with one degree of freedom fewer.
_T = 2.093
# At least five windows in each segment.
_FEWEST_WINDOWS = 5 * _STRETCHES
_KNOWN_FACTOR = 4
_NS_PER_S = 1e9
_X = 1.0
_SHAPE = 6 * (_X - 2 + (_X + 2) * math.exp(-_X)) / (2 * (_X - 1 + math.exp(-_X))) ** 1.5


@dataclass(frozen=True)
class BusyShare:
    """Estimated share of time that a bursty process is busy [1e-6], with its 95 % interval."""

    busy_ppm: int
    low_ppm: int
    high_ppm: int

    @property
    def is_known(self) -> bool:
        """Whether the share of busy time is known well: its limits are within a factor of 4."""
        return self.high_ppm <= _KNOWN_FACTOR * self.low_ppm


def busy_share(times_ns: NDArray[np.int64], switching_rps: float) -> BusyShare | None:
    """Estimate the share of time with bursts from arrival times, by the skewness of counts.

    times_ns: ascending arrival times. switching_rps: rate at which the correlation of counts decays
    [1/s], which sets the length of windows. None if there are fewer than 100 windows, or no bursts
    in some of them.
    """
    counts = _counts(times_ns, _X / switching_rps)
    if len(counts) < _FEWEST_WINDOWS:
        return None
    stretches = np.array_split(counts, _STRETCHES)
    sums = np.array([_power_sums(stretch) for stretch in stretches])
    total = sums.sum(axis=0)
    whole, others = _asymmetry(total), [_asymmetry(total - one) for one in sums]
    if whole is None or any(one is None for one in others):
        return None
    left_out = np.array(others, np.float64)
    apart = float(((left_out - left_out.mean()) ** 2).sum())
    half = _T * math.sqrt((_STRETCHES - 1) / _STRETCHES * apart)
    return BusyShare(*(_share_ppm(each) for each in (whole, whole + half, whole - half)))


def _counts(times_ns: NDArray[np.int64], window_s: float) -> NDArray[np.float64]:
    """Counts in whole windows from the first arrival on."""
    since_s = (times_ns - times_ns[0]) / _NS_PER_S
    windows = int(since_s[-1] / window_s)
    counts = np.bincount((since_s / window_s).astype(np.int64), minlength=windows)
    return counts[:windows].astype(np.float64)


def _power_sums(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([(counts**power).sum() for power in range(4)])


def _asymmetry(sums: NDArray[np.float64]) -> float | None:
    """(1 - 2 b) / sqrt(b (1 - b)) from sums of counts to the powers 0 to 3; None without bursts."""
    first, second, third = (sums[1:] / sums[0]).tolist()
    variance = second - first**2
    moment = third - 3 * first * second + 2 * first**3
    of_rate = variance - first
    if of_rate <= 0:
        return None
    return (moment - 3 * variance + 2 * first) / of_rate**1.5 / _SHAPE


def _share_ppm(asymmetry: float) -> int:
    share = (1 - asymmetry / math.hypot(asymmetry, 2)) / 2
    return min(max(round(PPM * share), 1), PPM - 1)
