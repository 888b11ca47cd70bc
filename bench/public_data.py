"""Public traces and measured speed-ups, from the folder that TAILC_DATA names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

MISSING = "TAILC_DATA is not set: it names the folder of public traces"
# Each with its file and the rows to use: queries of a search engine, and two kinds of LLM requests.
TRACES: Mapping[str, tuple[str, tuple[str, str] | None]] = {
    "lucene": ("search-latency/runs_2019-09-26_50rep.parquet", ("engine", "lucene-8.0.0")),
    "llm-code": ("azure-llm-2023/code_compile.parquet", None),
    "llm-conversation": ("azure-llm-2023/conv_compile.parquet", None),
}
# PARSEC programs, by threads on a Xeon server.
PROGRAMS = ("facesim", "bodytrack")


def is_here() -> bool:
    """Whether TAILC_DATA is set."""
    return "TAILC_DATA" in os.environ


def demand_ms(trace: str) -> NDArray[np.float64]:
    """Demand of each request of a trace in `TRACES` [ms]; requests without demand are left out."""
    path, rows = TRACES[trace]
    filters = None if rows is None else [(rows[0], "=", rows[1])]
    found = pq.read_table(_folder() / path, filters=filters)["demand_ms"].to_numpy()
    return found[found > 0]


def halves(
    values: NDArray[np.float64], seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two random halves; of an odd number of values the second half has one more."""
    mixed = np.random.default_rng(seed).permutation(values)
    half = len(mixed) // 2
    return mixed[:half], mixed[half:]


def measured_speedup(program: str, threads: int) -> tuple[float, ...]:
    """Speed-up over one thread of a program in `PROGRAMS`, on 1 to `threads` threads.

    Where a number of threads was not measured, the speed-up is interpolated linearly.
    """
    wanted = [("platform", "=", "xeon_server"), ("version", "=", "Pthreads")]
    wanted.append(("benchmark", "=", program))
    table = pq.read_table(_folder() / "speedup/parsec_threads.parquet", filters=wanted)
    table = table.sort_by("degree")
    curve = np.interp(np.arange(1, threads + 1), table["degree"], table["speedup"])
    return tuple((curve / curve[0]).tolist())


def _folder() -> Path:
    if not is_here():
        raise SystemExit(MISSING)
    return Path(os.environ["TAILC_DATA"])
