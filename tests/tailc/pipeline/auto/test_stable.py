"""Which rows of a table that climb are replaced by one thread for each request."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from tailc.experiment.tuning_objective import TuningObjective
from tailc.pipeline.auto.stable import leanest, leanest_variants
from tailc.tuning.tuning_sample import Measurements
from tests.tailc.models.shared_cores.servers import at_once, ladder

TABLE = ladder(at_once((0, 0), (20, 3), first=1), cores=4)
PROBLEM = SimpleNamespace(cores=4)
OBJECTIVE = TuningObjective(990_000, (10_000, 20_000), (1, 1), 1)
VARIANTS = list(leanest_variants(TABLE, 4))


@dataclass(frozen=True)
class Sample:
    """Tails of each table [us] by the load from which it is lean: (rates, replays)."""

    tails: dict[int, np.ndarray]

    def measure(self, tables):
        found = [self.tails[table.rows[-1].first_load] for table in tables]
        return Measurements(np.array(found), None)


def sample(cost_of=lambda _load: 1.0, replays=10):
    """Each table with a multiple of the same tails."""
    tails = np.random.default_rng(1).uniform(50_000, 60_000, (2, replays))
    loads = [table.rows[-1].first_load for table in (TABLE, *VARIANTS)]
    return Sample({load: np.rint(tails * cost_of(load)).astype(int) for load in loads})


def lean_from(now, heavy) -> int:
    return leanest(TABLE, PROBLEM, now, heavy, OBJECTIVE).rows[-1].first_load


# On the heavier sample, the earlier a table is lean the shorter is its tail.
HEAVY = sample(lambda load: 0.5 + load / 100 if load > 1 else 1.0)


def test_without_a_cost_it_is_lean_as_soon_as_all_cores_are_in_use():
    assert [one.rows[-1].first_load for one in VARIANTS] == [5, 6, 7, 9, 11]
    assert lean_from(sample(), HEAVY) == 5


@pytest.mark.parametrize(("cost", "chosen"), [(1.002, 5), (1.01, 6)])
def test_a_variant_that_costs_more_than_a_little_in_most_replays_is_left_out(cost, chosen):
    assert lean_from(sample(lambda load: cost if load == 5 else 1.0), HEAVY) == chosen


def test_a_queue_that_forms_in_one_replay_by_chance_decides_nothing():
    now = sample()
    now.tails[5][1, 3] *= 4
    assert lean_from(now, HEAVY) == 5
    now.tails[5][1] = now.tails[5][1] * 101 // 100
    assert lean_from(now, HEAVY) == 6


def test_a_single_replay_decides_alone():
    assert lean_from(sample(lambda load: 1.1 if 1 < load < 9 else 1.0, replays=1), HEAVY) == 9


def test_a_table_that_serves_heavy_demand_best_stays():
    assert lean_from(sample(), sample(lambda load: 1.0 if load == 1 else 1.2)) == 1
