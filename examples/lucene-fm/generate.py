"""Generate the synthetic Lucene-like demand profile; see README.md for what it is fitted to.

    python examples/lucene-fm/generate.py

A gamma law has two parameters, and two published statistics fix them: the mode, 90 ms, and the
median, 186 ms. The sample is its 10,000 equally spaced quantiles in a fixed random order, so the
statistics of the file are those of the law.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import optimize, stats

MODE_MS = 90.0
MEDIAN_MS = 186.0
REQUESTS = 10_000
SEED = 2015


def main() -> None:
    """Write demand.parquet beside this script, or where --output says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = Path(__file__).parent / "demand.parquet"
    parser.add_argument("--output", type=Path, default=default)
    shape, scale_ms = fit_gamma()
    demand_ms = sample(shape, scale_ms)
    table = pa.table({"request_id": np.arange(REQUESTS), "demand_ms": demand_ms})
    pq.write_table(table, parser.parse_args().output, compression="zstd")
    p99_ms = np.quantile(demand_ms, 0.99)
    print(f"gamma shape {shape:.4f}, scale {scale_ms:.2f} ms; p99 {p99_ms:.0f} ms")


def fit_gamma() -> tuple[float, float]:
    """Shape and scale [ms] whose mode is MODE_MS and whose median is MEDIAN_MS."""

    def excess_ms(shape: float) -> float:
        return stats.gamma.ppf(0.5, shape, scale=MODE_MS / (shape - 1)) - MEDIAN_MS

    shape = optimize.brentq(excess_ms, 1.05, 5.0, xtol=1e-12)
    return shape, MODE_MS / (shape - 1)


def sample(shape: float, scale_ms: float) -> np.ndarray:
    """Equally spaced quantiles [ms], whole microseconds, in a fixed random order."""
    quantiles = (np.arange(REQUESTS) + 0.5) / REQUESTS
    demand_ms = np.round(stats.gamma.ppf(quantiles, shape, scale=scale_ms), 3)
    return np.random.default_rng(SEED).permutation(demand_ms)


if __name__ == "__main__":
    main()
