import numpy as np
import pytest

from tailc.traces.profile import DemandProfile, Measure
from tailc.traces.speedup_check import (
    curve_findings,
    exceeds_degree,
    falls,
    is_superlinear,
    speedup_summary,
    suggest_max_degree,
)

DEGREES = np.array([1.0, 2.0, 3.0])


def profile_of(curves, names=(), demand_ms=None, weight=None) -> DemandProfile:
    count = len(curves)
    return DemandProfile(
        np.arange(1.0, count + 1) if demand_ms is None else np.array(demand_ms, dtype=float),
        np.ones(count, dtype=np.int64) if weight is None else np.array(weight),
        np.array(curves, dtype=float),
        np.arange(count, dtype=np.int32),
        names,
        Measure.DEMAND_BUSY,
        "one core",
    )


@pytest.mark.parametrize(
    ("curve", "does_fall", "exceeds", "superlinear"),
    [
        ((1.0, 1.9, 2.7), False, False, False),
        ((1.0, 2.0, 3.0), False, False, False),
        ((1.0, 1.9, 1.8), True, False, False),
        ((1.0, 2.1, 2.2), False, True, True),
        ((1.0, 1.2, 2.4), False, False, True),
        ((1.1, 1.2, 1.3), False, True, False),
    ],
)
def test_odd_curves_are_told_from_ordinary_ones(curve, does_fall, exceeds, superlinear):
    speedup = np.array(curve)
    assert falls(speedup) == does_fall
    assert exceeds_degree(speedup, DEGREES) == exceeds
    assert is_superlinear(speedup, DEGREES) == superlinear


def test_odd_curves_are_warned_of_with_counts_and_the_first_one():
    profile = profile_of([(1, 1.9, 1.8), (1, 1.5, 1.6), (1, 1.1, 1.0)], ("a", "b", "c"))
    (warning,) = curve_findings(profile, "trace.csv")
    assert warning.code.name == "SPEEDUP_FALLS"
    wanted = "2 of 3 speed-up curves fall as the degree rises; the first is `a`: 1, 1.9, 1.8"
    assert warning.message == wanted


@pytest.mark.parametrize(("curves", "is_warned"), [(900, True), (1000, True), (1001, False)])
def test_less_than_a_thousandth_of_odd_curves_is_no_finding(curves, is_warned):
    usual = [(1, 1.5, 1.6 + number / 1e4) for number in range(curves - 1)]
    found = curve_findings(profile_of([(1, 1.9, 1.8), *usual]), "trace.csv")
    assert bool(found) is is_warned


def test_curves_that_no_request_follows_are_not_counted():
    profile = profile_of([(1, 1.9, 1.8), (1, 1.5, 1.6)])
    assert curve_findings(profile.select(np.array([False, True])), "trace.csv") == ()


@pytest.mark.parametrize(
    ("curve", "degree"),
    [
        ((1.0,), 1),
        ((1.0, 1.05, 1.1), 1),
        ((1.0, 1.9, 2.65, 3.2), 4),
        ((1.0, 1.8, 2.2, 2.25, 2.3), 3),
        # A dent is passed over where the curve rises above it again.
        ((1.0, 1.9, 1.85, 2.5, 2.4, 2.52), 4),
        # Coming back to an earlier height is no growth.
        ((1.0, 1.9, 1.5, 1.9), 2),
    ],
)
def test_the_suggested_degree_is_the_last_that_gains(curve, degree):
    assert suggest_max_degree(np.array(curve)) == degree


def test_the_marginal_efficiency_can_be_chosen():
    curve = np.array([1.0, 1.8, 2.2, 2.25])
    assert suggest_max_degree(curve, marginal_efficiency=0.5) == 2
    assert suggest_max_degree(curve, marginal_efficiency=0.05 - 1e-9) == 4


def test_long_and_short_requests_are_summed_up_apart():
    # 20 requests; only the longest (20 ms) halves its time, only the shortest doubles it.
    curves = [(1.0, 0.5)] + [(1.0, 1.0)] * 18 + [(1.0, 2.0)]
    summary = speedup_summary(profile_of(curves))
    assert summary.longest.tolist() == [1.0, 2.0]
    assert summary.shortest.tolist() == [1.0, 0.5]
    # 210 ms of work take 210 - 10 + 1 = 201 ms.
    assert summary.everyone.tolist() == [1.0, 210 / 201]


def test_groups_go_by_weight():
    summary = speedup_summary(profile_of([(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)], weight=[90, 6, 4]))
    # 5 of 100: the longest 4 and the whole bin of 6 below; (2 * 6 + 3 * 4) / (12 / 2 + 12 / 3).
    assert summary.longest.tolist() == [1.0, 2.4]
    assert summary.shortest.tolist() == [1.0, 1.0]
