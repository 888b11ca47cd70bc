"""Drift between samples of which a spectrum is all that is known: no alarm at its grain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tailc.experiment.drift import drift
from tailc.traces.summary import summary
from tests.tailc.experiment.drift_case import Demands, exponential, ks_distance, profile_of

# As wrk2 prints them: five steps, then five of half the length, and so on.
HALVINGS = 10
PERCENTILES = [1 - 0.5**half * (1 - step / 10) for half in range(HALVINGS) for step in range(5)]


def spectrum_of(demand_ms: Demands, percentiles=(*PERCENTILES, 1.0)):
    """The sample by its points alone, each of the requests up to it and above the one before."""
    ordered = np.sort(demand_ms)
    ranks = np.maximum(np.ceil(np.array(percentiles) * len(ordered)).astype(int), 1)
    points = np.unique(ordered[ranks - 1])
    reached = np.searchsorted(ordered, points, side="right")
    profile = profile_of(points, np.diff(reached, prepend=0))
    return replace(profile, is_of_points=True)


def drift_between(ours, theirs):
    known = summary(ours)
    return drift(known, ours.total_weight, theirs, 1, is_of_points=ours.is_of_points)


FORMS = {"spectrum": spectrum_of, "requests": profile_of}
PAIRS = [("spectrum", "spectrum"), ("spectrum", "requests"), ("requests", "spectrum")]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_one_law_has_not_drifted_however_coarse_its_spectra(ours, theirs):
    compiled = FORMS[ours](exponential(1, 20_000, 20.0))
    held_out = FORMS[theirs](exponential(2, 20_000, 20.0))
    assert not drift_between(compiled, held_out).is_flagged


def test_taken_for_requests_the_same_spectra_would_be_surely_apart():
    """Up to a half of the requests a step is a tenth of them; no point is at the same demand."""
    compiled = spectrum_of(exponential(1, 20_000, 20.0))
    held_out = spectrum_of(exponential(2, 20_000, 20.0))
    sizes = replace(held_out, is_of_points=False)
    assert drift(summary(compiled), 20_000, sizes, 1).ks_ppm.low > 50_000
    assert drift_between(compiled, held_out).ks_ppm.low == 0


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
@pytest.mark.parametrize("mean_ms", [14.0, 28.0])
def test_a_law_that_moved_is_flagged_through_its_spectra(ours, theirs, mean_ms):
    """By ln(1.4) 20 * 28 / 8 ms they differ by 12 %; a step there is 5 % of the requests."""
    compiled = FORMS[ours](exponential(1, 20_000, 20.0))
    held_out = FORMS[theirs](exponential(2, 20_000, mean_ms))
    found = drift_between(compiled, held_out)
    assert found.is_flagged
    assert found.ks_ppm.estimate == pytest.approx(123_000, abs=15_000)


DEMANDS_NS = st.lists(st.integers(1, 10**6), min_size=1, max_size=200)
POINTS = st.lists(st.floats(0, 1), max_size=6).map(lambda inner: (0.0, *inner, 1.0))


@settings(derandomize=True, deadline=None, max_examples=40)
@given(DEMANDS_NS, DEMANDS_NS, POINTS, POINTS)
def test_limits_enclose_the_distances_of_the_samples_behind_spectra(ours_ns, theirs_ns, p, their_p):
    ours, theirs = (np.array(sample) / 1e6 for sample in (ours_ns, theirs_ns))
    found = drift_between(spectrum_of(ours, p), spectrum_of(theirs, their_p))
    assert found.ks_ppm.low - 1e-6 <= 1e6 * ks_distance(ours, theirs) <= found.ks_ppm.high + 1e-6
    moved_us = 1e3 * stats.wasserstein_distance(ours, theirs)
    assert found.wasserstein_us.low - 1e-6 <= moved_us <= found.wasserstein_us.high + 1e-6
    for distance in (found.ks_ppm, found.wasserstein_us):
        assert distance.low <= distance.estimate <= distance.high
