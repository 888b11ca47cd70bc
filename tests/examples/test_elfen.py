"""The Lucene-like workload of elfen has the statistics that its README names."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from bench.lanes_study import LanesStudy, idle_share
from bench.trends_elfen import demand, search_plan
from tailc.forms.ladder.lanes import Lanes
from tailc.pipeline.lane_sample import PlanSample
from tailc.problems.borrowing import Borrowing
from tests.examples.scripts import script

FOLDER = Path(__file__).parents[2] / "examples" / "elfen"


@pytest.fixture(scope="module")
def demand_ms():
    return np.sort(pq.read_table(FOLDER / "demand.parquet")["demand_ms"].to_numpy())


@pytest.fixture(scope="module")
def profile():
    return demand()


def test_120_requests_a_second_keep_a_lane_70_percent_busy(demand_ms):
    assert len(demand_ms) == 10_000
    assert 0.120 * demand_ms.mean() == pytest.approx(0.70, abs=0.001)


def test_demands_spread_over_two_orders_of_magnitude(demand_ms):
    assert demand_ms[-1] == 75.9
    assert demand_ms[-1] / demand_ms[0] == pytest.approx(100)


def test_the_script_makes_the_file_again(demand_ms):
    generated = np.sort(script(FOLDER / "generate.py").sample())
    # Another machine's logarithms may round the last microsecond otherwise.
    assert generated == pytest.approx(demand_ms, abs=0.0011)


def test_p99_is_76_ms_at_100_a_second_alone_and_at_40_always_shared(profile):
    # Yang et al., USENIX ATC 2016, section 2; the noise of ours is about 2 ms.
    lanes = search_plan(profile, Borrowing.IDLE, (100,)).lanes
    with ThreadPoolExecutor(2) as workers:
        replays = PlanSample(profile, 990_000, 3, workers)
        assert replays.alone(lanes, 100_000).tail_us == pytest.approx(76_000, abs=4_000)
        assert replays.measure_shared(lanes, 40_000).tail_us == pytest.approx(76_000, abs=4_000)


def test_above_120_a_second_p99_misses_100_ms(profile):
    with ThreadPoolExecutor(2) as workers:
        replays = PlanSample(profile, 990_000, 1, workers)
        lanes = Lanes(1, 0, 0)
        assert replays.alone(lanes, 110_000).tail_us < 100_000
        assert replays.alone(lanes, 130_000).tail_us > 100_000


def test_idle_times_are_exponential_with_the_rate(profile):
    study = LanesStudy(profile, Lanes(1, 0, 0))
    (run, *_) = study.runs_at(study.alone, 120)
    at_15_ms = 0.120 * 15
    # Of an exponential length x the share up to y of all time: 1 - (1 + y) exp(-y).
    assert idle_share(run.idle_ns, 0, 15) == pytest.approx(
        1 - (1 + at_15_ms) * np.exp(-at_15_ms), abs=0.02
    )
