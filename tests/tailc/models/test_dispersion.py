import math
import os
import statistics
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from tailc.models import streams
from tailc.models.dispersion import fit_bursty, index_of_dispersion, window_lengths_us
from tailc.models.modulated_arrivals import Burstiness, ModulatedArrivals

S = 10**9
S_US = 10**6
PPM = 10**6


def seconds(*times):
    return np.array(times) * S


def drawn(arrivals, number, requests):
    return arrivals.arrival_ns(streams.stream(3, number), requests)


def test_the_index_is_variance_over_mean_of_whole_windows_from_the_first_arrival():
    """Windows of 10 s from 5 s on hold 3, 1, 0 and 4; the last arrival is in none that is whole."""
    times_ns = seconds(5, 6, 7, 15, 36, 37, 38, 44, 46)
    assert index_of_dispersion(times_ns, 10 * S_US) == (1 + 1 + 4 + 4) / 4 / 2


def test_a_steady_clock_has_no_dispersion():
    assert index_of_dispersion(np.arange(1_000) * S, 10 * S_US) == 0


def test_windows_hold_an_arrival_and_are_thirty_at_least():
    # 601 arrivals in 600 s: from the gap of 1 s to a thirtieth of the recording
    lengths_s = [each / S_US for each in window_lengths_us(np.arange(601) * S)]
    assert lengths_s == [1, 2, 5, 10, 20]


def test_what_made_a_stream_is_found_again():
    """An index over n windows is off by sqrt(2/n) or so: by a tenth where n is 200."""
    made = ModulatedArrivals(40_000, Burstiness(8 * PPM, 2 * S_US))
    fits = [fit_bursty(drawn(made, number, 400_000)).process for number in range(9)]
    found = [fit.burstiness for fit in fits]
    assert statistics.median(each.idc_ppm for each in found) == pytest.approx(8 * PPM, rel=0.1)
    assert statistics.median(each.spell_us for each in found) == pytest.approx(2 * S_US, rel=0.15)
    assert all(fit.rate_mrps == pytest.approx(40_000, rel=0.02) for fit in fits)
    assert statistics.median(each.busy_ppm for each in found) == pytest.approx(200_000, rel=0.1)


def test_poisson_arrivals_have_no_bursts_to_find():
    """At a window's 2/n, the relative variance of a variance, each index is 1."""
    poisson = ModulatedArrivals(40_000, Burstiness(PPM, 2 * S_US))
    fits = [fit_bursty(drawn(poisson, number, 100_000)) for number in range(9)]
    assert statistics.median(each.process.burstiness.idc_ppm for each in fits) < 1.1 * PPM
    for window in (window for fit in fits for window in fit.windows):
        assert abs(window.measured - 1) < 4 * math.sqrt(2 / window.windows)


def test_bursts_that_no_two_rates_have_at_the_usual_share_are_rarer():
    """Ten requests at once every 20 s or so: between spells there is nothing."""
    rng = np.random.default_rng(4)
    starts_s = rng.exponential(20, 3_000).cumsum()
    times_s = np.sort((starts_s[:, None] + rng.uniform(0, 0.5, (3_000, 10))).ravel())
    process = fit_bursty((times_s * S).astype(np.int64)).process
    busy_rps, quiet_rps = process.levels_rps
    assert process.burstiness.busy_ppm < 100_000
    assert quiet_rps < 0.05 * busy_rps


def test_a_rate_that_drifts_over_the_whole_recording_is_still_rising():
    rng = np.random.default_rng(5)
    drifting_s = np.sort(1_000 * np.sqrt(rng.uniform(0, 1, 40_000)))
    assert fit_bursty((drifting_s * S).astype(np.int64)).is_rising


DATA = os.environ.get("TAILC_DATA")


@pytest.mark.skipif(not DATA, reason="TAILC_DATA does not name the public traces")
@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("conv_compile", (1.3, 3.0, 12.5)),
        ("conv_example", (1.2, 2.7, 9.7)),
        ("code_compile", (14.6, 80, 204)),
        ("code_example", (10.1, 52, 77)),
    ],
)
def test_public_traces_have_the_index_that_is_listed_with_them(name, listed):
    table = pq.read_table(Path(str(DATA)) / "azure-llm-2023" / f"{name}.parquet")
    times_ns = np.rint(table["arrival_s"].to_numpy() * S).astype(np.int64)
    found = [index_of_dispersion(times_ns, window_s * S_US) for window_s in (1, 10, 60)]
    # Listed to two or three digits
    assert found == pytest.approx(listed, rel=0.02, abs=0.05)
    assert fit_bursty(times_ns).deviation < 0.1
