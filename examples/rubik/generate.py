"""Generate requests of five synthetic services; see README.md for what they are shaped after.

    python examples/rubik/generate.py

Of each service there are as many requests to design on as to judge on, drawn one after the other.
Cycles are a mixture of lognormal laws, one for each kind of request, and memory time is a share of
the time at the nominal clock that varies from request to request, and not with the cycles.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

REQUESTS = 6_000
SEED = 2015
NOMINAL_GHZ = 2.4
CYCLES_PER_US = NOMINAL_GHZ * 1_000
# Standard deviation of the logarithm of memory times, beyond that of the cycles they go with.
MEMORY_SPREAD = 0.25


@dataclass(frozen=True)
class Service:
    """Kinds of requests as (share, median time in us, deviation of its logarithm), and how much of
    the median time is for memory.
    """

    name: str
    kinds: tuple[tuple[float, float, float], ...]
    memory_share: float


SERVICES = (
    Service("masstree", ((1.0, 240, 0.05),), 0.40),
    Service("moses", ((1.0, 3_200, 0.08),), 0.30),
    Service("shore", ((0.45, 420, 0.15), (0.43, 180, 0.15), (0.12, 1_100, 0.35)), 0.30),
    Service("specjbb", ((0.80, 70, 0.25), (0.17, 180, 0.30), (0.03, 700, 0.40)), 0.55),
    Service("xapian", ((1.0, 800, 0.60),), 0.10),
)


def main() -> None:
    """Write design.parquet and heldout.parquet beside this script, or where --output says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path(__file__).parent)
    folder = parser.parse_args().output
    drawn = np.random.default_rng(SEED)
    for part in ("design", "heldout"):
        table = pa.concat_tables([requests(service, drawn) for service in SERVICES])
        pq.write_table(table, folder / f"{part}.parquet", compression="zstd")
        print(f"{part}: {table.num_rows} requests")


def requests(service: Service, drawn: np.random.Generator) -> pa.Table:
    """Requests of one service: compute cycles, and memory time in ns."""
    share, median_us, spread = (np.array(column) for column in zip(*service.kinds, strict=True))
    kind = drawn.choice(len(share), size=REQUESTS, p=share)
    time_us = median_us[kind] * np.exp(spread[kind] * drawn.standard_normal(REQUESTS))
    memory_us = median_us[kind] * service.memory_share
    memory_us = memory_us * np.exp(MEMORY_SPREAD * drawn.standard_normal(REQUESTS))
    return pa.table(
        {
            "service": pa.array([service.name] * REQUESTS).dictionary_encode(),
            "cycles": np.rint(time_us * (1 - service.memory_share) * CYCLES_PER_US).astype(int),
            "memory_ns": np.rint(memory_us * 1_000).astype(int),
        }
    )


if __name__ == "__main__":
    main()
