from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tailc.percentiles import percentile_rank
from tailc.traces.profile import DemandProfile, Measure
from tailc.traces.summary import GRID_PPM, DemandSummary, summary


def profile_of(demand_ms: list[float], weight: list[int] | None = None) -> DemandProfile:
    count = len(demand_ms)
    return DemandProfile(
        np.array(demand_ms, dtype=np.float64),
        np.array(weight or [1] * count, dtype=np.int64),
        np.ones((1, 1)),
        np.zeros(count, np.int32),
        (),
        Measure.DEMAND_BUSY,
        "one core",
    )


def at(found: DemandSummary, ppm: int) -> int:
    return found.quantiles_ns[GRID_PPM.index(ppm)]


def test_a_thousand_demands_are_known_at_every_percent_and_beyond() -> None:
    found = summary(profile_of([float(ms) for ms in range(1_000, 0, -1)]))
    assert at(found, 0) == 1_000_000
    assert at(found, 10_000) == 10_000_000
    assert at(found, 500_000) == 500_000_000
    assert at(found, 995_000) == 995_000_000
    assert at(found, 999_000) == 999_000_000
    assert at(found, 1_000_000) == 1_000_000_000
    assert found.mean_ns == 500_500_000


def test_weights_count_requests() -> None:
    assert summary(profile_of([1.0, 2.0], [3, 1])) == summary(profile_of([1.0, 1.0, 2.0, 1.0]))
    assert at(summary(profile_of([1.0, 2.0], [3, 1])), 750_000) == 1_000_000
    assert at(summary(profile_of([1.0, 2.0], [3, 1])), 760_000) == 2_000_000


def test_a_service_of_nanoseconds_keeps_its_shape() -> None:
    found = summary(profile_of([2e-6, 3e-6, 7e-6]))
    assert (at(found, 0), at(found, 500_000), at(found, 1_000_000)) == (2, 3, 7)
    assert found.mean_ns == 4


def test_the_mean_of_the_largest_weights_and_demands_is_exact() -> None:
    """Their sum is near 2^106; a float would keep 53 bits of it."""
    half = 2**52
    found = summary(profile_of([(2**53 - 2) / 1e6, 1e-6], [half, half]))
    assert found.mean_ns == (2**53 - 2 + 1) * half // (2 * half)


@settings(derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 10**12), st.integers(1, 1_000)), min_size=1, max_size=200))
def test_quantiles_are_order_statistics_of_the_requests(
    requests: list[tuple[int, int]],
) -> None:
    found = summary(profile_of([ns / 1e6 for ns, _ in requests], [n for _, n in requests]))
    listed = sorted(ns for ns, count in requests for _ in range(count))
    ranks = [1, *(percentile_rank(ppm, len(listed)) for ppm in GRID_PPM[1:])]
    assert found.quantiles_ns == tuple(listed[rank - 1] for rank in ranks)
    assert found.mean_ns == Fraction(sum(listed), len(listed)).__floor__()


def test_the_order_of_requests_does_not_matter() -> None:
    forth = profile_of([5.0, 1.0, 3.0, 3.0], [1, 7, 2, 4])
    back = profile_of([3.0, 3.0, 1.0, 5.0], [4, 2, 7, 1])
    assert summary(forth) == summary(back)


@pytest.mark.parametrize(
    ("mean_ns", "quantiles_ns"),
    [(1, (1,) * 102), (1, (2, 1) + (3,) * 101), (4, (1,) * 102 + (3,)), (1, (0,) + (1,) * 102)],
)
def test_what_no_sample_has_is_no_summary(mean_ns: int, quantiles_ns: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="demand"):
        DemandSummary(mean_ns, quantiles_ns)
