from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tailc.artifact.envelope import InputRole
from tailc.artifact.files import read_policy
from tailc.errors import Code, ExitCode, Place, Severity
from tailc.experiment.demand_drift import Drift
from tailc.experiment.drift import drift, drift_findings, drift_from
from tailc.traces.summary import summary
from tests.tailc.artifact.published import VECTORS, lucene_policy
from tests.tailc.experiment.drift_case import Demands, exponential, ks_distance, profile_of

# Between two known quantiles the compile function is unknown by a hundredth.
RESOLUTION = 0.01


def drift_between(compiled_ms: Demands, held_out_ms: Demands, seed: int = 1) -> Drift:
    compiled = summary(profile_of(compiled_ms))
    return drift(compiled, len(compiled_ms), profile_of(held_out_ms), seed)


def log_normal(seed: int, count: int) -> Demands:
    return np.exp(np.random.default_rng(seed).normal(3.0, 1.0, count))


def two_sizes(seed: int, count: int, share_long: float, long_ms: float) -> Demands:
    is_long = np.random.default_rng(seed).random(count) < share_long
    return np.where(is_long, long_ms, 5.0)


@pytest.mark.parametrize(
    ("compiled_ms", "held_out_ms"),
    [
        (exponential(1, 5_000, 20.0), exponential(2, 3_000, 20.0)),
        (exponential(1, 5_000, 20.0), exponential(2, 3_000, 30.0)),
        (log_normal(3, 2_000), exponential(4, 900, 20.0)),
        (two_sizes(5, 4_000, 0.1, 50.0), two_sizes(6, 4_000, 0.2, 50.0)),
        (two_sizes(5, 4_000, 0.1, 50.0), two_sizes(6, 4_000, 0.1, 60.0)),
        (exponential(7, 3_000, 20.0), exponential(8, 3_000, 20.0) + 500.0),
    ],
    ids=["same law", "longer", "other law", "more long ones", "longer long ones", "apart"],
)
def test_estimates_are_the_distances_of_the_samples_as_scipy_has_them(
    compiled_ms: Demands, held_out_ms: Demands
) -> None:
    found = drift_between(compiled_ms, held_out_ms)
    ks = ks_distance(compiled_ms, held_out_ms)
    moved_us = 1e3 * stats.wasserstein_distance(compiled_ms, held_out_ms)
    mean_us = 1e3 * compiled_ms.mean()
    assert found.ks_ppm.estimate == pytest.approx(1e6 * ks, abs=1e6 * RESOLUTION)
    # Where the widest gap is five times the mean, a hundredth of the requests anywhere in it.
    assert found.wasserstein_us.estimate == pytest.approx(moved_us, abs=3 * RESOLUTION * mean_us)


DEMANDS_NS = st.lists(st.integers(1, 10**6), min_size=1, max_size=300)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(DEMANDS_NS, DEMANDS_NS)
def test_limits_enclose_the_distances_of_the_samples(
    compiled_ns: list[int], held_out_ns: list[int]
) -> None:
    ours, theirs = (np.array(sample) / 1e6 for sample in (compiled_ns, held_out_ns))
    found = drift_between(ours, theirs)
    ks_ppm = 1e6 * ks_distance(ours, theirs)
    moved_us = 1e3 * stats.wasserstein_distance(ours, theirs)
    assert found.ks_ppm.low - 1e-6 <= ks_ppm <= found.ks_ppm.high + 1e-6
    assert found.wasserstein_us.low - 1e-6 <= moved_us <= found.wasserstein_us.high + 1e-6
    for distance in (found.ks_ppm, found.wasserstein_us):
        assert distance.low <= distance.estimate <= distance.high


def test_kolmogorov_smirnov_limits_are_massarts_where_no_sample_has_ties() -> None:
    """100 and 400 requests far apart: the distance is 1, and no value between two known ones."""
    found = drift_between(np.linspace(1, 2, 100), np.linspace(8, 9, 400))
    radius = sum(math.sqrt(math.log(2 / 0.025) / (2 * count)) for count in (100, 400))
    assert found.ks_ppm.low == math.floor(1e6 * (1 - radius))
    assert (found.ks_ppm.estimate, found.ks_ppm.high) == (1_000_000, 1_000_000)


def test_limits_hold_the_distances_of_the_laws() -> None:
    """Exponential with means 20 and 26 ms: the laws are 6 ms apart in the mean of quantiles.

    F - G is largest at ln(1.3) 20 * 26 / 6 ms. All 40 of 40 trials hold both: limits are wider
    than they need be, since distances are added where they partly cancel.
    """
    ratio = 1.3
    ks_ppm = 1e6 * (ratio ** (-1 / (ratio - 1)) - ratio ** (-ratio / (ratio - 1)))
    for seed in range(40):
        ours, theirs = exponential(seed, 2_000, 20.0), exponential(1_000 + seed, 800, 26.0)
        found = drift_between(ours, theirs, seed)
        assert found.ks_ppm.low <= ks_ppm <= found.ks_ppm.high
        assert found.wasserstein_us.low <= 6_000 <= found.wasserstein_us.high


@pytest.mark.parametrize("requests", [20, 200, 2_000])
def test_another_sample_of_the_same_service_is_not_flagged(requests: int) -> None:
    for seed in range(20):
        compiled_ms = log_normal(seed, 4 * requests)
        assert not drift_between(compiled_ms, log_normal(9_000 + seed, requests), seed).is_flagged


def test_a_large_sample_does_not_flag_what_is_not_material() -> None:
    """A mean 4 % longer is surely no accident in 100,000 requests, but no reason to act."""
    found = drift_between(exponential(1, 100_000, 20.0), exponential(2, 100_000, 20.8))
    assert found.ks_ppm.low > 0
    assert not found.is_flagged


@pytest.mark.parametrize(
    "held_out_ms",
    [exponential(2, 200, 60.0), log_normal(3, 1_000) + 30.0, np.full(500, 20.0)],
    ids=["three times longer", "other law", "constant"],
)
def test_another_service_is_flagged(held_out_ms: Demands) -> None:
    assert drift_between(exponential(1, 5_000, 20.0), held_out_ms).is_flagged


def test_a_longer_tail_is_flagged_though_few_requests_moved() -> None:
    """Three requests of a hundred now take twenty times as long: 3 % by Kolmogorov-Smirnov."""
    compiled_ms = two_sizes(1, 8_000, 0.03, 50.0)
    found = drift_between(compiled_ms, two_sizes(2, 8_000, 0.03, 1_000.0))
    assert found.ks_ppm.estimate < 50_000
    assert found.is_flagged
    (finding,) = drift_findings(found, None)
    # The means differ by about as much, 26.7 ms.
    assert "quantiles differ by 26.9 ms on average" in finding.message
    assert "distribution functions" not in finding.message


def test_a_weight_counts_as_that_many_requests() -> None:
    compiled = summary(profile_of(exponential(1, 1_000, 20.0)))
    demand_ms, weight = np.array([1.0, 30.0, 90.0]), np.array([200, 70, 30])
    listed = profile_of(np.repeat(demand_ms, weight))
    assert drift(compiled, 1_000, profile_of(demand_ms, weight), 1) == drift(
        compiled, 1_000, listed, 1
    )


def test_one_request_says_nothing() -> None:
    found = drift_between(exponential(1, 1_000, 20.0), np.array([20.0]))
    assert (found.ks_ppm.low, found.ks_ppm.high) == (0, 1_000_000)
    assert not found.is_flagged


def test_constant_demand_does_not_drift_from_itself() -> None:
    found = drift_between(np.full(1_000, 7.0), np.full(500, 7.0))
    assert (found.ks_ppm.estimate, found.ks_ppm.low) == (0, 0)
    assert (found.wasserstein_us.estimate, found.wasserstein_us.high) == (0, 0)
    assert (found.compiled_mean_us, found.held_out_mean_us) == (7_000, 7_000)


@pytest.mark.parametrize("longer", [1.001, 1.04])
def test_fixed_demands_that_a_server_measures_have_not_drifted(longer: float) -> None:
    """All requests moved, so Kolmogorov-Smirnov is 90 % or more, but each moved little."""
    measured = np.random.default_rng(3).uniform(1.0, longer, 4_000)
    for compiled_ms, served_ms in (
        (two_sizes(1, 4_000, 0.1, 50.0), two_sizes(2, 4_000, 0.1, 50.0) * measured),
        (np.full(4_000, 5.0), 5.0 * measured),
    ):
        found = drift_between(compiled_ms, served_ms)
        assert found.ks_ppm.low > 800_000
        assert not found.is_flagged


@pytest.mark.parametrize(
    ("share_long", "long_ms"),
    [(0.2, 50.0), (0.1, 75.0)],
    ids=["more long ones", "longer long ones"],
)
def test_fixed_demands_that_changed_are_flagged(share_long: float, long_ms: float) -> None:
    measured = np.random.default_rng(3).uniform(1.0, 1.04, 4_000)
    served_ms = two_sizes(2, 4_000, share_long, long_ms) * measured
    assert drift_between(two_sizes(1, 4_000, 0.1, 50.0), served_ms).is_flagged


def test_drift_is_the_same_each_time_and_for_each_order_of_requests() -> None:
    ours, theirs = exponential(1, 3_000, 20.0), exponential(2, 2_000, 25.0)
    assert drift_between(ours, theirs) == drift_between(ours[::-1], theirs[::-1])


def test_a_policy_that_tells_no_demand_has_no_drift() -> None:
    held_out = profile_of(exponential(1, 100, 20.0))
    assert drift_from(lucene_policy(), held_out, 1) is None
    policy = read_policy(VECTORS / "demand.tailc")
    design = next(part for part in policy.inputs if part.role is InputRole.DESIGN)
    assert design.demand is not None
    told = drift(design.demand, design.requests, held_out, 1)
    assert drift_from(policy, held_out, 1) == told


def test_a_flagged_drift_is_a_warning_that_says_what_to_do() -> None:
    found = drift_between(np.full(1_000, 7.0), np.full(500, 10.5))
    (finding,) = drift_findings(found, Place("new.csv"))
    assert (finding.code, finding.severity) == (Code.DRIFT, Severity.WARNING)
    assert finding.code.exit_code is ExitCode.OK
    assert "the mean was 7 ms when the policy was compiled and is 10.5 ms now" in finding.message
    assert "differ by up to 100 %" in finding.message
    assert "compile again" in (finding.help or "")
    assert drift_findings(replace(found, is_flagged=False), None) == ()
    assert drift_findings(None, None) == ()


DATA = os.environ.get("TAILC_DATA")


def azure(name: str) -> Demands:
    path = Path(str(DATA)) / "azure-llm-2023" / f"{name}.parquet"
    return pq.read_table(path, columns=["demand_ms"])["demand_ms"].to_numpy()


@pytest.mark.skipif(not DATA, reason="TAILC_DATA does not name the public traces")
def test_measured_services_drift_by_the_hour_and_differ_from_each_other() -> None:
    """Two language-model services: within a part, from a part to the next, and from the other."""
    conversation, later, code = azure("conv_compile"), azure("conv_example"), azure("code_compile")
    shuffled = np.random.default_rng(1).permutation(conversation)
    assert not drift_between(shuffled[:7_000], shuffled[7_000:]).is_flagged
    hourly = drift_between(conversation, later)
    assert hourly.is_flagged
    assert (round(hourly.compiled_mean_us, -6), round(hourly.held_out_mean_us, -6)) == (
        *(7_000_000, 5_000_000),
    )
    other = drift_between(conversation, code)
    assert other.is_flagged
    assert other.ks_ppm.low > hourly.ks_ppm.high
