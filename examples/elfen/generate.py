"""Generate the synthetic Lucene-like demand profile; see README.md for what it is fitted to.

    python examples/elfen/generate.py

A lognormal law, cut off at both ends. The sample is its equally spaced quantiles in a fixed random
order, so the file has the statistics of the law.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import stats

REQUESTS = 10_000
SEED = 2016
# The median [ms], so that the mean is that of a lane of which 120 requests a second keep 70 % busy.
MEDIAN_MS = 3.928
# Of the logarithm; so that the p99 is 76 ms at 100 requests a second.
DEVIATION = 0.89
# The longest of 1,141 quantiles; the shortest is two orders of magnitude below.
LONGEST_MS = 75.9
SHORTEST_MS = LONGEST_MS / 100


def main() -> None:
    """Write demand.parquet beside this script, or where --output says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    default = Path(__file__).parent / "demand.parquet"
    parser.add_argument("--output", type=Path, default=default)
    demand_ms = sample()
    table = pa.table({"request_id": np.arange(REQUESTS), "demand_ms": demand_ms})
    pq.write_table(table, parser.parse_args().output, compression="zstd")
    print(f"mean {demand_ms.mean():.2f} ms, median {np.median(demand_ms):.2f} ms")


def sample() -> np.ndarray:
    """Equally spaced quantiles [ms], whole microseconds, in a fixed random order."""
    quantiles = (np.arange(REQUESTS) + 0.5) / REQUESTS
    log_ms = np.log(MEDIAN_MS) + DEVIATION * stats.norm.ppf(quantiles)
    demand_ms = np.round(np.clip(np.exp(log_ms), SHORTEST_MS, LONGEST_MS), 3)
    return np.random.default_rng(SEED).permutation(demand_ms)


if __name__ == "__main__":
    main()
