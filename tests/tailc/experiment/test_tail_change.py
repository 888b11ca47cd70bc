"""The change of a percentile between two subjects on the same replays."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from tailc.experiment.point import TailChange
from tailc.experiment.scenario import Spread
from tailc.experiment.tail_change import tail_change
from tailc.experiment.tail_sample import TailSample, percentile_ns

P90 = 900_000
# Latencies whose logarithm is linear in their share, so that the percentile of a replay is known.
SHARE = np.arange(1, 100_001) / 100_000
EVEN = Spread(10**9, 1.0, 0.0, math.inf)


def sample(
    slope: float, noise: np.ndarray, shift: np.ndarray, *, times: float = 1.0, held_out: int = 1_000
) -> TailSample:
    law_ns = np.rint(1e9 * times * np.exp(slope * SHARE)).astype(np.int64)
    at_ns = percentile_ns(law_ns, P90)
    return TailSample(P90, at_ns, law_ns, 0.9 + noise, shift, np.zeros(len(shift)), EVEN, held_out)


def deviations(count: int, deviation: float, seed: int) -> np.ndarray:
    """Numbers with mean 0 and exactly this standard deviation."""
    drawn = np.random.default_rng(seed).normal(size=count)
    drawn -= drawn.mean()
    return drawn * deviation / drawn.std(ddof=1)


NOISE, SHIFT = deviations(24, 0.002, 1), deviations(100, 0.01, 2)


def test_a_subject_does_not_change_from_itself():
    own = sample(3.0, NOISE, SHIFT)
    assert tail_change(own, own) == TailChange(0, 0, 0)
    assert not TailChange(0, 0, 0).is_beyond_noise


def test_common_variation_cancels():
    """Half of the latency in every replay is half of it, however much replays differ."""
    change = tail_change(sample(3.0, NOISE, SHIFT, times=0.5), sample(3.0, NOISE, SHIFT))
    assert change is not None
    assert change.change_ppm == pytest.approx(-500_000, abs=10)
    assert change.low_ppm == pytest.approx(-500_000, abs=10)
    assert change.high_ppm == pytest.approx(-500_000, abs=10)
    assert change.is_beyond_noise


def half_width(sampling: float, noise: float, replicates: int, repeats: int) -> float:
    """Of the logarithm, by Satterthwaite, with 2 % beyond each limit."""
    parts = (sampling**2, replicates - 1), (noise**2 / repeats, repeats - 1)
    value = sum(variance for variance, _ in parts)
    freedom = value**2 / sum(variance**2 / free for variance, free in parts)
    wider = norm.ppf(0.98) / norm.ppf(0.975)
    return wider * student.ppf(0.975, freedom) * math.sqrt(value)


@pytest.mark.parametrize(("own", "base"), [(3.0, 3.0), (2.0, 5.0), (0.5, 1.0)])
def test_independent_variation_adds_up(own, base):
    others = deviations(24, 0.002, 3), deviations(100, 0.01, 4)
    change = tail_change(sample(own, NOISE, SHIFT), sample(base, *others))
    assert change is not None
    noise = (base * others[0] - own * NOISE).std(ddof=1)
    sampling = (base * others[1] - own * SHIFT).std(ddof=1)
    half = half_width(sampling, noise, 100, 24)
    ratio = 0.9 * (own - base)
    assert change.change_ppm == pytest.approx(1e6 * math.expm1(ratio), rel=1e-3, abs=50)
    assert change.low_ppm == pytest.approx(1e6 * math.expm1(ratio - half), rel=0.02)
    assert change.high_ppm == pytest.approx(1e6 * math.expm1(ratio + half), rel=0.02)


def test_more_noise_than_change_is_not_beyond_it():
    others = deviations(24, 0.002, 3), deviations(100, 0.01, 4)
    change = tail_change(sample(3.0, NOISE, SHIFT, times=0.99), sample(3.0, *others))
    assert change is not None
    assert change.low_ppm < 0 < change.high_ppm
    assert not change.is_beyond_noise
    assert TailChange(1, 1, 2).is_beyond_noise
    assert TailChange(-2, -3, -1).is_beyond_noise


def test_few_requests_or_replays_that_do_not_correspond_give_none():
    own = sample(3.0, NOISE, SHIFT)
    few = sample(3.0, NOISE, SHIFT, held_out=29)
    assert tail_change(few, few) is None
    assert tail_change(own, sample(3.0, NOISE[1:], SHIFT)) is None
    assert tail_change(own, sample(3.0, NOISE, SHIFT[1:])) is None


def test_a_recorded_day_varies_by_its_replicates_alone():
    one = np.zeros(1)
    change = tail_change(sample(2.0, one, SHIFT), sample(2.0, one, SHIFT / 2))
    assert change is not None
    half = half_width(2.0 * 0.005, 0.0, 100, 2)
    assert change.high_ppm == pytest.approx(1e6 * math.expm1(half), rel=0.02)
