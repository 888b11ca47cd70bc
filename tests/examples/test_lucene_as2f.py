"""The Lucene-like workload of slow-to-fast has the statistics that its README names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from tailc.pipeline.spec import open_kind
from tests.examples.scripts import script

FOLDER = Path(__file__).parents[2] / "examples" / "lucene-as2f"
CONFIGURATIONS = sorted((FOLDER / "configs").glob("*.yaml"))


@pytest.fixture(scope="module")
def demand_ms():
    return np.sort(pq.read_table(FOLDER / "demand.parquet")["demand_ms"].to_numpy())


def test_there_are_ten_thousand_requests_of_some_to_almost_400_ms(demand_ms):
    assert len(demand_ms) == 10_000
    assert 1 < demand_ms[0] < 10
    assert demand_ms[-1] <= 400


def test_99_percent_of_each_half_and_of_all_are_as_published(demand_ms):
    shorter, longer = np.split(demand_ms, 2)
    assert np.quantile(shorter, 0.99) == pytest.approx(83, abs=0.5)
    assert np.quantile(demand_ms, 0.99) == pytest.approx(291, abs=1)
    assert np.quantile(longer, 0.99) == pytest.approx(390, abs=1)


def test_a_core_twice_as_fast_meets_200_ms_for_the_longer_half_and_a_slow_one_does_not(demand_ms):
    longer = demand_ms[5_000:]
    assert np.quantile(longer, 0.99) / 2 < 200 < np.quantile(longer, 0.99)


def test_the_script_makes_the_file_again(demand_ms):
    generated = np.sort(script(FOLDER / "generate.py").sample())
    # Another machine's logarithms may round the last microsecond otherwise.
    assert generated == pytest.approx(demand_ms, abs=0.0011)


# Haque et al., MICRO 2017, tables 2 and 4 and sections 6.3 to 6.7; Haque, dissertation, Rice
# University 2016, table 5.4. Sums of counts times powers, by hand.
PEAKS = {
    "micro-2f": 13.6,
    "micro-8s-1f": 14.8,
    "micro-5s-1m-1f": 14.5,
    "micro-4s-1m-1f": 14.3,
    "micro-3s-1m-1f": 14.3,
    "micro-15s": 15.0,
    "micro-7s-2m-2f": 27.6,
    "micro-10s-2f": 20.0,
    "micro-8s-2f": 16.0,
    "micro-2s-2f": 15.6,
    "micro-4-dvfs": 27.2,
    "micro-7-dvfs": 47.6,
    "dissertation-16s": 16.0,
    "dissertation-2f": 16.0,
    "dissertation-3s-1m-1f": 16.0,
    "dissertation-4s-1m-1f": 16.0,
    "dissertation-5s-1m-1f": 16.0,
    "dissertation-8s-1f": 16.0,
}


@pytest.mark.parametrize("path", CONFIGURATIONS, ids=lambda path: path.stem)
def test_a_configuration_has_the_published_peak_power(path):
    spec = open_kind(str(path)).spec
    assert spec.all_cores.peak_ppm == round(PEAKS[path.stem] * 1_000_000)
    assert spec.name == f"lucene-as2f-{path.stem}"


def test_every_configuration_is_shipped():
    assert {path.stem for path in CONFIGURATIONS} == set(PEAKS)


def test_fast_cores_alone_are_twice_as_fast_as_the_slow_one_that_demand_was_measured_on():
    for source in ("micro", "dissertation"):
        (fast,) = open_kind(str(FOLDER / "configs" / f"{source}-2f.yaml")).spec.all_cores.types
        assert (fast.name, fast.speed_ppm) == ("fast", 2_000_000)
