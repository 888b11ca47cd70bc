"""Generate the synthetic Bing-like demand profile; see README.md for what it is fitted to.

    python examples/bing-fm/generate.py

Short requests follow one lognormal law and long ones another; everything is cut off at 200 ms, as
the published server cuts requests off. The weight and the median of the long law are solved for
the published median and 99th percentile. Each request has its own speed-up, rising with the
logarithm of its demand between the published ends.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import optimize, stats

REQUESTS = 30_000
SEED = 2015
CUT_OFF_MS = 200.0
P99_MS = 185.0
MEDIAN_MS = P99_MS / 27
SHORT_SIGMA = 0.55
LONG_SIGMA = 1.0
# Mean speed-ups at 3 threads: the shortest 5 % and the longest 5 % of requests.
SHORTEST_SPEEDUP, LONGEST_SPEEDUP = 1.2, 2.2


def main() -> None:
    """Write demand.parquet beside this script, or where --output says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = Path(__file__).parent / "demand.parquet"
    parser.add_argument("--output", type=Path, default=default)
    demand_ms = sample(*fit())
    at_three = speedup_at_three(demand_ms)
    columns = {
        "request_id": np.arange(REQUESTS),
        "demand_ms": demand_ms,
        "speedup_1": np.ones(REQUESTS),
        "speedup_2": np.round(1 + (at_three - 1) * 0.62, 4),
        "speedup_3": np.round(at_three, 4),
        "speedup_4": np.round(at_three * 1.02, 4),
    }
    pq.write_table(pa.table(columns), parser.parse_args().output, compression="zstd")
    print(f"below 15 ms: {(demand_ms < 15).mean():.3f}; median {np.median(demand_ms):.2f} ms")
    at_cut_off = (demand_ms >= CUT_OFF_MS).mean()
    print(f"p99 {np.quantile(demand_ms, 0.99):.1f} ms; at the cut-off {at_cut_off:.4f}")


def fit() -> tuple[float, float, float]:
    """Weight of the long law, median of the short and of the long law [ms].

    The long law starts where 85 to 90 % of requests are below 15 ms; its weight is fixed at one
    request in nine, and the two medians are solved for the published median and 99th percentile.
    """
    weight = 1 / 9

    def misses(log_medians: np.ndarray) -> list[float]:
        short_ms, long_ms = np.exp(log_medians)
        return [
            cdf(MEDIAN_MS, weight, short_ms, long_ms) - 0.5,
            (cdf(P99_MS, weight, short_ms, long_ms) - 0.99) * 10,
        ]

    short_ms, long_ms = np.exp(optimize.fsolve(misses, np.log([6.0, 50.0]), xtol=1e-12))
    return weight, short_ms, long_ms


def cdf(demand_ms: float, weight: float, short_ms: float, long_ms: float) -> float:
    """Share of requests below `demand_ms`, before the cut-off."""
    short = stats.lognorm.cdf(demand_ms, SHORT_SIGMA, scale=short_ms)
    return (1 - weight) * short + weight * stats.lognorm.cdf(demand_ms, LONG_SIGMA, scale=long_ms)


def sample(weight: float, short_ms: float, long_ms: float) -> np.ndarray:
    """Equally spaced quantiles [ms], cut off, whole microseconds, in a fixed random order."""
    grid_ms = np.geomspace(0.05, 5_000, 200_001)
    shares = cdf(grid_ms, weight, short_ms, long_ms)
    demand_ms = np.interp((np.arange(REQUESTS) + 0.5) / REQUESTS, shares, grid_ms)
    demand_ms = np.round(np.minimum(demand_ms, CUT_OFF_MS), 3)
    return np.random.default_rng(SEED).permutation(demand_ms)


def speedup_at_three(demand_ms: np.ndarray) -> np.ndarray:
    """Linear in log demand between the means of the shortest and the longest 5 %, then level."""
    order = np.sort(np.log(demand_ms))
    tail = len(order) // 20
    low, high = order[:tail].mean(), order[-tail:].mean()
    share = np.clip((np.log(demand_ms) - low) / (high - low), 0, 1)
    return SHORTEST_SPEEDUP + (LONGEST_SPEEDUP - SHORTEST_SPEEDUP) * share


if __name__ == "__main__":
    main()
