"""Helpers of test_dual.py that other tests use too."""

import numpy as np
from tailc_solvers.sample import WeightedSample

from tailc.percentiles import percentile_rank


def random_row(seed: int) -> tuple[WeightedSample, np.ndarray, float, float, int]:
    """Sample, costs, load, budget, rank: sublinear as a rule, one in five with a steep step."""
    rng = np.random.default_rng(seed)
    requests = int(rng.integers(1, 13))
    demand = np.round(rng.gamma(1.5, 100, requests) + 1, int(rng.integers(0, 3)))
    weight = rng.integers(1, 4, requests) if rng.random() < 0.5 else None
    n = int(rng.integers(1, 6))
    gains = rng.uniform(0.2, 1.0, n)
    if rng.random() < 0.2:
        gains[rng.integers(n)] = rng.choice([-0.1, 1.8])
    speeds = np.maximum(0.3, np.round(np.cumsum(gains) + 1 - gains[0], 2))
    costs = np.round(np.cumsum(rng.choice([0.5, 1, 1, 2], n)), 1)
    percentile_ppm = int(rng.choice([300_000, 500_000, 750_000, 900_000, 990_000, 1_000_000]))
    budget = float(rng.choice([2, 4, 6, 24]))
    sample = WeightedSample.common(demand, speeds, weight)
    rank = percentile_rank(percentile_ppm, sample.total_weight)
    return sample, costs, float(budget * rng.uniform(0.1, 1.6)), budget, rank


def steep_row(seed: int) -> tuple[WeightedSample, np.ndarray, float, float, int]:
    """As `random_row`, but speeds leap and fall: some later rungs are slower, or work for less."""
    sample, costs, load, budget, rank = random_row(seed)
    gains = np.random.default_rng(seed).uniform(-0.3, 2.0, sample.n_rungs)
    speeds = np.maximum(0.3, np.cumsum(gains) + 1)
    return WeightedSample.common(sample.demand_ms, speeds, sample.weight), costs, load, budget, rank
