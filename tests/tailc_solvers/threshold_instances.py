"""Random slow-to-fast instances, the same for every seed."""

from dataclasses import dataclass

import numpy as np
from tailc_solvers.sample import WeightedSample

PERCENTILES = (0.3, 0.5, 0.75, 0.9, 0.99, 1.0)


@dataclass(frozen=True)
class ThresholdInstance:
    sample: WeightedSample
    speed: tuple[float, ...]
    power: tuple[float, ...]
    rank: int
    target_ms: float

    def demands(self) -> list[float]:
        """One for each unit of weight."""
        return np.repeat(self.sample.demand_ms, self.sample.weight).tolist()


def random_thresholds(
    seed: int, types: int | None = None, requests: int | None = None
) -> ThresholdInstance:
    """Degenerate ones included: equal demands, types above the hull, targets on the boundary."""
    rng = np.random.default_rng(seed)
    R = int(rng.integers(1, 13)) if requests is None else requests
    n = int(rng.integers(1, 6)) if types is None else types
    demand = np.round(rng.gamma(1.5, 60, R) + 1, int(rng.integers(0, 3)))
    if rng.random() < 0.1:
        demand[:] = demand[0]
    weight = rng.integers(1, 4, R) if rng.random() < 0.5 else None
    speed = np.cumsum(np.round(rng.uniform(0.1, 1.2, n), 2))
    per_work = np.cumsum(np.round(rng.uniform(0.1, 2.0, n), 2))
    sample = WeightedSample.common(demand, [1.0], weight)
    rank = max(1, int(np.ceil(rng.choice(PERCENTILES) * sample.total_weight)))
    w = float(np.sort(np.repeat(sample.demand_ms, sample.weight))[rank - 1])
    slow, fast = w / speed[0], w / speed[-1]
    target = rng.choice(
        [rng.uniform(fast, slow), 0.9 * fast, slow, 1.2 * slow], p=[0.8, 0.1, 0.05, 0.05]
    )
    return ThresholdInstance(
        sample, tuple(speed.tolist()), tuple((per_work * speed).tolist()), rank, float(target)
    )
