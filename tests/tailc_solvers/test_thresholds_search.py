"""The search over a grid of ages is the plain one, faster."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from tailc_solvers.sample import WeightedSample
from tailc_solvers.status import Status
from tailc_solvers.thresholds.dual import solve_thresholds
from tailc_solvers.thresholds.search import GridThresholds, search_thresholds

from tests.reference import thresholds_plain

MILLION = 1_000_000


@dataclass(frozen=True, eq=False)
class Individual:
    """Requests with curves of their own; ages on a grid of `step_us`."""

    sample: WeightedSample
    speed_ppm: np.ndarray
    power_ppm: list[int]
    rank: int
    target_us: int
    step_us: int
    longest_us: int

    def found(self) -> GridThresholds:
        return search_thresholds(
            self.sample,
            self.speed_ppm,
            self.power_ppm,
            rank=self.rank,
            target_us=self.target_us,
            step_us=self.step_us,
            longest_us=self.longest_us,
        )

    def plain(self):
        """Demands in us, speeds and powers of each request, one for each unit of weight."""
        at = np.repeat(np.arange(self.sample.demand_ms.size), self.sample.weight)
        demands = [Fraction(round(1e6 * self.sample.demand_ms[r]), 1000) for r in at]
        speed = [
            [Fraction(int(s), MILLION) for s in self.speed_ppm[self.sample.curve[r]]] for r in at
        ]
        return demands, speed, [Fraction(p, MILLION) for p in self.power_ppm]


def random_individual(seed: int) -> Individual:
    """Up to six requests, three types; one in three has a type that is dearer than the next."""
    rng = np.random.default_rng(seed)
    R, n = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    weight = rng.integers(1, 4, R)
    curves = R if rng.random() < 0.7 else 2
    table = np.cumsum(rng.integers(100_000, 1_200_000, (curves, n)), axis=1)
    power = np.cumsum(rng.integers(100_000, 3_000_000, n))
    if rng.random() < 0.66:
        power = (table.max(axis=0) * np.cumsum(rng.uniform(1, 3, n))).astype(int)
    sample = WeightedSample.classes(
        np.round(rng.gamma(1.5, 20, R) + 1, 3), table / MILLION, np.arange(R) % curves, weight
    )
    rank = max(1, math.ceil(rng.choice([0.3, 0.5, 0.9, 1.0]) * weight.sum()))
    alone = sample.demand_ms[:, None] / (table / MILLION)[sample.curve]
    target = rng.uniform(0.8 * alone[:, -1].min(), 1.1 * alone[:, 0].max())
    step = int(rng.choice([1_000, 5_000, 7_001]))
    return Individual(
        sample, table, power.tolist(), rank, max(1, int(1000 * target)), step, 8 * step
    )


@pytest.mark.parametrize("block", range(3))
def test_the_search_equals_the_plain_one(block):
    statuses = []
    for seed in range(100 * block, 100 * (block + 1)):
        case = random_individual(seed)
        found = case.found()
        demands, speed, power = case.plain()
        grid = [Fraction(t) for t in range(0, case.longest_us + 1, case.step_us)]
        best = thresholds_plain.best_on_grid(
            demands, speed, power, grid, case.rank, Fraction(case.target_us)
        )
        statuses.append(found.status)
        if best == math.inf:
            assert found.status is Status.INFEASIBLE, seed
            continue
        assert found.status is Status.OPTIMAL, seed
        assert found.energy == pytest.approx(float(best) / 1000, rel=1e-12), seed
        ages = [math.inf if age is None else Fraction(age) for age in found.age_us]
        energy, tail = thresholds_plain.figures(demands, speed, power, ages, case.rank)
        assert float(energy) / 1000 == pytest.approx(found.energy, rel=1e-15), seed
        assert found.tail_us == math.ceil(tail) <= case.target_us, seed
    assert {Status.OPTIMAL, Status.INFEASIBLE} == set(statuses)


def test_of_equal_energies_the_latest_ages_are_kept():
    # Nobody takes longer than 20 ms: 20, 30 and never are the same.
    sample = WeightedSample.common([10.0, 20.0], [1.0])
    found = search_thresholds(
        sample,
        [MILLION, 2 * MILLION],
        [1, 8],
        rank=2,
        target_us=20_000,
        step_us=10_000,
        longest_us=50_000,
    )
    assert found.age_us == (None,)


def test_the_grid_of_common_speeds_is_a_step_behind_the_exact_thresholds():
    rng = np.random.default_rng(5)
    demand = np.round(rng.gamma(1.6, 60, 500), 6)
    speed, power = (1, 1.5, 2), (1, 3.375, 8)
    exact = solve_thresholds(
        WeightedSample.common(demand, [1]), speed, power, rank=495, target_ms=200
    )
    found = search_thresholds(
        WeightedSample.common(demand, [1]),
        [MILLION, 1_500_000, 2 * MILLION],
        [MILLION, 3_375_000, 8 * MILLION],
        rank=495,
        target_us=200_000,
        step_us=1_000,
        longest_us=200_000,
    )
    assert exact.bound <= found.energy <= exact.energy + 1.0 * sum(power)


def test_an_infeasible_target_gives_the_nearest_tail():
    sample = WeightedSample.individual([10.0, 30.0], [[1, 2], [1, 3]])
    table = np.array([[1, 2], [1, 3]]) * MILLION
    found = search_thresholds(
        sample, table, [1, 8], rank=2, target_us=9_999, step_us=1_000, longest_us=10_000
    )
    assert found.status is Status.INFEASIBLE
    assert (found.age_us, found.tail_us) == ((0,), 10_000)


def test_a_target_that_equals_the_nearest_tail_is_met():
    sample = WeightedSample.individual([10.0, 30.0], [[1, 2], [1, 3]])
    table = np.array([[1, 2], [1, 3]]) * MILLION
    found = search_thresholds(
        sample, table, [1, 8], rank=2, target_us=10_000, step_us=1_000, longest_us=10_000
    )
    assert (found.status, found.age_us, found.tail_us) == (Status.OPTIMAL, (0,), 10_000)


def test_classes_are_individual_requests_with_shared_curves():
    table = np.array([[1_000_000, 1_500_000], [1_000_000, 2_500_000]])
    demand = [10.0, 20.0, 30.0, 40.0]
    setting = {"rank": 4, "target_us": 20_000, "step_us": 500, "longest_us": 40_000}
    classes = WeightedSample.classes(demand, table / MILLION, [0, 1, 0, 1])
    one_each = table[[0, 1, 0, 1]]
    individual = WeightedSample.individual(demand, one_each / MILLION)
    power = [MILLION, 4 * MILLION]
    assert search_thresholds(classes, table, power, **setting) == search_thresholds(
        individual, one_each, power, **setting
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"step_us": 0}, "step_us must be positive"),
        ({"longest_us": 10**15}, "largest number of steps"),
        ({"target_us": 10**16}, "largest number of steps"),
    ],
)
def test_grids_that_cannot_be_searched_are_refused(change, sentence):
    setting = {"rank": 1, "target_us": 10, "step_us": 10**14, "longest_us": 10} | change
    with pytest.raises(ValueError, match=sentence):
        search_thresholds(
            WeightedSample.common([1.0], [1]), [MILLION, 2 * MILLION], [1, 8], **setting
        )


def test_speeds_that_do_not_ascend_are_refused():
    with pytest.raises(ValueError, match="must ascend"):
        search_thresholds(
            WeightedSample.common([1.0], [1]),
            [2, 1],
            [1, 8],
            rank=1,
            target_us=1,
            step_us=1,
            longest_us=1,
        )
