"""Random small ladders, the same for every seed, for the solver and the oracle alike."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from tailc_solvers.sample import WeightedSample

from tailc.percentiles import percentile_rank
from tests.reference.enumerator import Outcome, Request, axis, climbing_grid, exact, search

SHAPES = ("common", "classes", "individual")


@dataclass(frozen=True)
class Instance:
    sample: WeightedSample
    costs: tuple[float, ...]
    loads: tuple[float, ...]
    budget: float
    rank: int
    step: float
    longest: float
    target: float | None

    def requests(self) -> list[Request]:
        rows = zip(self.sample.demand_ms, self.sample.weight, self.sample.curve, strict=True)
        return [
            Request(exact(d), tuple(exact(s) for s in self.sample.speeds[k]), int(m))
            for d, m, k in rows
        ]

    def exact_costs(self) -> tuple[Fraction, ...]:
        return tuple(exact(c) for c in self.costs)

    def enumerate(self, load: float, *, by_tail: bool = False) -> Outcome:
        """The best schedule for one load by the literal search, NEVER included."""
        step, longest = exact(self.step), exact(self.longest)
        return search(
            self.requests(),
            self.exact_costs(),
            climbing_grid(self.sample.n_rungs, step, longest),
            axis(step, longest),
            exact(load),
            exact(self.budget),
            self.rank,
            None if self.target is None or by_tail else exact(self.target),
        )


def random_instance(seed: int) -> Instance:
    """One instance: 1 to 7 requests, 1 to 4 rungs, 1 to 3 loads, both objectives."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([1, 2, 3, 4], p=[0.1, 0.3, 0.35, 0.25]))
    requests = int(rng.integers(1, 8))
    step = float(rng.choice([1, 2.5, 5, 7]))
    cells = int(rng.integers(1, 9 - n))
    longest = step * cells
    demand = _demands(rng, requests, step, longest)
    sample = _sample(rng, demand, n)
    costs = tuple(np.round(np.cumsum(rng.choice([0.5, 1, 1, 2], n)), 2).tolist())
    loads = tuple(rng.choice(np.arange(1, 11), int(rng.integers(1, 4)), replace=False).tolist())
    target = round(float(longest * rng.uniform(0.2, 2.5)), 2) if rng.random() < 0.5 else None
    budget = float(rng.choice([1, 2, 3, 4.5, 6, 8]))
    percentile_ppm = int(rng.choice([250_000, 500_000, 750_000, 900_000, 990_000, 1_000_000]))
    return Instance(
        sample=sample,
        costs=costs,
        loads=loads,
        budget=budget,
        rank=percentile_rank(percentile_ppm, sample.total_weight),
        step=step,
        longest=longest,
        target=target,
    )


def _demands(rng: np.random.Generator, requests: int, step: float, longest: float) -> np.ndarray:
    """On the grid or off it, sometimes all equal, sometimes longer than the grid."""
    if rng.random() < 0.1:
        return np.full(requests, longest)
    if rng.random() < 0.4:
        return step * rng.integers(1, round(longest / step) + 2, requests)
    return np.round(rng.uniform(0.1, 1.2 * longest, requests), 2)


def _sample(rng: np.random.Generator, demand: np.ndarray, n: int) -> WeightedSample:
    weight = rng.integers(1, 4, demand.size) if rng.random() < 0.5 else None
    shape = SHAPES[rng.integers(3)]
    if shape == "common":
        return WeightedSample.common(demand, _curves(rng, 1, n)[0], weight)
    if shape == "classes":
        curves = int(rng.integers(2, 4))
        return WeightedSample.classes(
            demand, _curves(rng, curves, n), rng.integers(0, curves, demand.size), weight
        )
    return WeightedSample.individual(demand, _curves(rng, demand.size, n), weight)


def _curves(rng: np.random.Generator, curves: int, n: int) -> np.ndarray:
    """Sublinear as a rule; now and then a superlinear step or a slower rung."""
    gains = rng.choice([0, 0.25, 0.5, 0.8, 1], (curves, n))
    if rng.random() < 0.15:
        gains = rng.choice([-0.25, 0.5, 1.5], (curves, n))
    gains[:, 0] = 0
    return np.maximum(0.5, 1 + np.cumsum(gains, axis=1))
