"""Generate the synthetic Lucene-like demand profile; see README.md for what it is fitted to.

    python examples/lucene-as2f/generate.py

The quantile function goes through what is published, and is a monotone cubic (Fritsch and Carlson,
1980) in between: the logarithm of the demand over the normal score. The sample is its 10,000
equally spaced quantiles in a fixed random order, so the file has the statistics of the law.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import interpolate, stats

REQUESTS = 10_000
SEED = 2017
# Share of requests, and how long the longest of them takes on a slow core [ms].
KNOTS = (
    (0.5 / REQUESTS, 3.0),  # the shortest: some ms
    (0.495, 83.0),  # 99 % of the shorter half
    (0.99, 291.0),  # 99 % of all
    (0.995, 390.0),  # 99 % of the longer half: almost twice 200 ms
    (1 - 0.5 / REQUESTS, 400.0),  # ours: a little longer, for nothing more is published
)


def main() -> None:
    """Write demand.parquet beside this script, or where --output says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    default = Path(__file__).parent / "demand.parquet"
    parser.add_argument("--output", type=Path, default=default)
    demand_ms = sample()
    table = pa.table({"request_id": np.arange(REQUESTS), "demand_ms": demand_ms})
    pq.write_table(table, parser.parse_args().output, compression="zstd")
    print(f"mean {demand_ms.mean():.1f} ms, median {np.median(demand_ms):.1f} ms")


def sample() -> np.ndarray:
    """Equally spaced quantiles [ms], whole microseconds, in a fixed random order."""
    shares, ends_ms = (np.array(column) for column in zip(*KNOTS, strict=True))
    log_ms = interpolate.PchipInterpolator(stats.norm.ppf(shares), np.log(ends_ms))
    quantiles = (np.arange(REQUESTS) + 0.5) / REQUESTS
    demand_ms = np.round(np.exp(log_ms(stats.norm.ppf(quantiles))), 3)
    return np.random.default_rng(SEED).permutation(demand_ms)


if __name__ == "__main__":
    main()
