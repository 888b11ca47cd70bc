"""Rows counted a second: `tailc ingest` on a hundred million rows, beside sorting them.

    python -m bench.ingest

A row is a time stamp and a demand (gamma, to a microsecond): 0.6 GB of Parquet with zstd, and
1.8 GB of CSV, which are made in build/ and removed in the end. Every way is a process of its own;
its time is without its imports, and its memory is the largest resident set. What sorts is pyarrow
with numpy, and polars where it is installed. The percentiles of tailc must be within 0.1 % of the
sorted ones.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from bench.timing import ROOT, end, show, wanted

ROWS, GROUP_ROWS = 100_000_000, 1_000_000
SCHEMA = pa.schema([("timestamp_us", pa.int64()), ("demand_ms", pa.float64())])
LEAST_M_ROWS = {"parquet": 100, "csv": 30}
MOST_MIB = 350
MOST_OFF = 1e-3
PERCENTILES = (0.5, 0.9, 0.95, 0.99, 0.999)
TURNS = 3
_MEASURED = """
import json, re, sys, time
{setup}
begun = time.perf_counter()
{work}
taken = time.perf_counter() - begun
with open("/proc/self/status") as status:
    peak = int(re.search(r"VmHWM:\\s*([0-9]+) kB", status.read())[1]) / 1024
print(json.dumps([taken, peak, found]))
"""
_TAILC = (
    """import numpy as np
import tailc.ingest.columns
from tailc.ingest.ingest import ingest
from tailc.ingest.stated_measure import StatedMeasure
from tailc.ingest.options import InputOptions, TimeColumn
from tailc.traces.profile import Measure
from tailc.traces.reading import TimeUnit""",
    """options = InputOptions(TimeUnit.MS, TimeColumn("demand_ms"))
histogram = ingest([sys.argv[1]], options, StatedMeasure(Measure.DEMAND_BUSY)).counted.histogram
found = [histogram.quantile_ns(round(p * 1e6)) / 1e6 for p in PERCENTILES]""",
)
_SORTED = """values.sort()
found = [float(values[int(np.ceil(p * len(values))) - 1]) for p in PERCENTILES]"""
_PYARROW = {
    "parquet": (
        "import numpy as np, pyarrow.parquet as pq",
        'values = pq.read_table(sys.argv[1], columns=["demand_ms"])[0].to_numpy().copy()\n',
    ),
    "csv": (
        "import numpy as np, pyarrow.csv as pc",
        'wanted = pc.ConvertOptions(include_columns=["demand_ms"])\n'
        "values = pc.read_csv(sys.argv[1], convert_options=wanted)[0].to_numpy().copy()\n",
    ),
}
_POLARS = (
    "import numpy as np, polars as pl",
    'values = pl.scan_{suffix}(sys.argv[1]).select("demand_ms").collect()["demand_ms"]\n'
    "values = values.sort()\n",
)


def main() -> None:
    folder = ROOT / "build"
    folder.mkdir(exist_ok=True)
    files = {suffix: folder / f"ingest.{suffix}" for suffix in LEAST_M_ROWS}
    try:
        make(files)
        header = ["file", "method", "M rows/s", "MiB", "largest error"]
        show(header, [row for suffix, path in files.items() for row in rows_of(suffix, path)])
    finally:
        for path in files.values():
            path.unlink(missing_ok=True)
    end()


def make(files: dict[str, Path]) -> None:
    """Write the rows to both files, a row group at a time."""
    plain = pa_csv.WriteOptions(quoting_style="none")
    with (
        pq.ParquetWriter(files["parquet"], SCHEMA, compression="zstd") as parquet,
        pa_csv.CSVWriter(files["csv"], SCHEMA, write_options=plain) as text,
    ):
        for table in row_groups(ROWS):
            parquet.write_table(table)
            text.write_table(table)


def row_groups(rows: int) -> Iterator[pa.Table]:
    """Tables of a row group each, with `rows` rows in all, rounded down to whole groups."""
    rng = np.random.default_rng(1)
    last_us = 0
    for _ in range(rows // GROUP_ROWS):
        timestamp_us = last_us + np.cumsum(rng.integers(0, 60, GROUP_ROWS))
        last_us = int(timestamp_us[-1])
        demand_ms = rng.gamma(1.625, 144, GROUP_ROWS).round(3).clip(0.001)
        yield pa.table([timestamp_us, demand_ms], schema=SCHEMA)


def rows_of(suffix: str, path: Path) -> list[list[str]]:
    """A row of the table for each way to the percentiles of a file."""
    setup, read = _PYARROW[suffix]
    ways = {"tailc ingest": _TAILC, "pyarrow, numpy sort": (setup, read + _SORTED)}
    if _has("polars"):
        work = _POLARS[1].format(suffix=suffix) + _SORTED.partition("\n")[2]
        ways["polars sort"] = (_POLARS[0], work)
    found = {way: best_of(script, path) for way, script in ways.items()}
    exact = np.array(found["pyarrow, numpy sort"][2])
    rows = []
    for way, (seconds, peak_mib, percentiles) in found.items():
        off = np.abs(np.array(percentiles) / exact - 1).max()
        m_rows = ROWS / seconds / 1e6
        is_ours = way == "tailc ingest"
        assert off <= MOST_OFF, f"{way} is {off:.2%} off"
        speed = wanted(m_rows, LEAST_M_ROWS[suffix], 0) if is_ours else f"{m_rows:.0f}"
        over = f", over {MOST_MIB}" if is_ours and peak_mib > MOST_MIB else ""
        rows.append([suffix, way, speed, f"{peak_mib:.0f}{over}", f"{off:.3%}"])
    return rows


def best_of(script: tuple[str, str], path: Path) -> tuple[float, float, list[float]]:
    """The least seconds of some runs, their largest memory in MiB, and the percentiles."""
    setup, work = script
    text = _MEASURED.format(setup=f"{setup}\nPERCENTILES = {PERCENTILES}", work=work)
    command = [sys.executable, "-c", text, str(path)]
    runs = [
        json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        for _ in range(TURNS)
    ]
    return min(run[0] for run in runs), max(run[1] for run in runs), runs[0][2]


def _has(module: str) -> bool:
    command = [sys.executable, "-c", f"import {module}"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


if __name__ == "__main__":
    main()
