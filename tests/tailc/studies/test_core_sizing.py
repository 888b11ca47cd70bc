"""The least energy of a cell, against every part of the ages and against a sum by hand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tailc.studies import core_configuration as configuration
from tailc.studies.core_sizing import SizingGrid, size_cores

SPEC = """\
apiVersion: tailc/v1
kind: slow-to-fast
name: NAME
slo: [{percentile: 95%, latency: 60ms}]
demand:
  trace: demand.parquet
  column: demand_ms
  unit: ms
  measure: demand-busy
  reference: slow
cores:
  types:
TYPES
rates: [1/s]
"""
THREE = (
    "    - {name: slow, count: 3, speed: 1, power: 1}",
    "    - {name: medium, count: 1, speed: 1.5, power: 3}",
    "    - {name: fast, count: 1, speed: 2, power: 8}",
)
IDLE = ("    - {name: slow, count: 4, speed: 1, power: 1, idle_power: 0.5}",)
REQUESTS = 2_000


@pytest.fixture
def written(tmp_path):
    demand_ms = np.random.default_rng(3).exponential(20.0, 400).round(3) + 1.0
    pq.write_table(pa.table({"demand_ms": demand_ms}), tmp_path / "demand.parquet")

    def write(name, types):
        path = tmp_path / f"{name}.yaml"
        path.write_text(SPEC.replace("NAME", name).replace("TYPES", "\n".join(types)))
        return str(path)

    return write


def sized(paths, rate_mrps, *targets_ms):
    grid = SizingGrid((rate_mrps,), tuple(round(1000 * target) for target in targets_ms))
    return size_cores(paths, grid, requests=REQUESTS)


@pytest.mark.parametrize("rate_mrps", [5_000, 60_000, 120_000])
def test_no_part_of_the_ages_draws_much_less_than_the_one_that_is_found(
    written, rate_mrps, monkeypatch
):
    path = written("three", THREE)
    found = sized([path], rate_mrps, 55).best(0, 0)
    # Every part, and nothing around them: what the search left out.
    monkeypatch.setattr("tailc.studies.core_sizing._FIRST_STEP", 1)
    every = sized([path], rate_mrps, 55).best(0, 0)
    assert (found is None) == (every is None)
    if every is not None:
        assert every.tail_us <= 55_000
        assert every.energy <= found.energy <= 1.02 * every.energy


def test_what_free_cores_draw_counts_by_request(written):
    found = sized([written("idle", IDLE)], 1_000, 1000).best(0, 0)
    mean_ms = pq.read_table(written("idle", IDLE).replace("idle.yaml", "demand.parquet"))
    mean_ms = float(np.mean(mean_ms["demand_ms"].to_numpy()))
    # A request a second: four cores are free for 4,000 ms but while it runs. Their time is that
    # between 2,000 Poisson arrivals, known to some per cent.
    by_hand = mean_ms + 0.5 * (4_000 - mean_ms)
    assert found.energy / 1000 == pytest.approx(by_hand, rel=0.08)


def test_a_configuration_does_as_well_whoever_is_beside_it(written):
    three, idle = written("three", THREE), written("idle", IDLE)
    alone = sized([three], 20_000, 40, 60)
    beside = sized([idle, three], 20_000, 40, 60)
    for target in range(2):
        mine, same = alone.cells[0][target][0], beside.cells[0][target][1]
        assert (mine.energy, mine.climbs) == (same.energy, same.climbs)


def test_ages_scale_down_to_the_last_rung_at_once(written):
    (one,) = configuration.read_configurations([written("three", THREE)])
    ages_us = configuration.ages_at_low_load(one, 55_000)
    assert ages_us is not None
    whole = configuration.scaled_climbs(ages_us, configuration.PARTS)
    assert [climb.age_us for climb in whole[1:]] == [age for age in ages_us if age > 0]
    (none,) = configuration.scaled_climbs(ages_us, 0)
    assert (none.age_us, none.rung) == (0, 2)


def test_a_target_below_the_fastest_rung_has_no_ages(written):
    (one,) = configuration.read_configurations([written("three", THREE)])
    assert configuration.ages_at_low_load(one, 5_000) is None


def test_a_target_above_the_slowest_rung_s_tail_keeps_ages_that_can_be_scaled(written):
    (one,) = configuration.read_configurations([written("three", THREE)])
    ages_us = configuration.ages_at_low_load(one, 10_000_000)
    longest_us = 1000 * float(one.profile.demand_ms.max())
    assert ages_us is not None
    assert min(ages_us) >= longest_us


def test_all_cores_together_do_the_sum_of_their_speeds(written):
    (one,) = configuration.read_configurations([written("three", THREE)])
    assert configuration.capacity(one) == pytest.approx(3 * 1 + 1.5 + 2)
