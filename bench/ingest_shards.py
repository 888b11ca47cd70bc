"""Rows counted a second by `tailc ingest` of many files, in processes and on a Dask cluster.

    python -m bench.ingest_shards [--rows 1000000000] [--files 10]

A row is a time stamp and a demand, as in `bench.ingest`. The files are links to one file, so the
disk needs room for one of them, and all but the first read of it come from memory. Each way is a
process of its own with its imports and workers; its memory is the largest resident set of one of
its processes. All profiles must have the same bytes.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
from pathlib import Path

from bench.timing import ROOT, end, show, wanted

WAYS = {
    "one process": (),
    "two processes": ("--jobs", "2"),
    "two Dask workers": ("--cluster", "local:2"),
}
LEAST_M_ROWS = 100
_PROFILE = "all.profile"
_OPTIONS = ("--column", "demand_ms", "--unit", "ms", "--measure", "demand-busy", "--quiet")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000_000)
    parser.add_argument("--files", type=int, default=10)
    arguments = parser.parse_args()
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as name:
        folder = Path(name)
        first = folder / "rows0.parquet"
        rows = arguments.rows // arguments.files
        # Started processes count the memory of this one as their own, so it remains small.
        writer = multiprocessing.get_context("spawn").Process(target=_write, args=(first, rows))
        writer.start()
        writer.join()
        for number in range(1, arguments.files):
            (folder / f"rows{number}.parquet").hardlink_to(first)
        lines, profiles = [], set()
        for way, options in WAYS.items():
            lines.append([way, *_measured(folder, options, rows)])
            profiles.add((folder / _PROFILE).read_bytes())
    show(["method", "s", "M rows/s", "processor s", "MiB in a process"], lines)
    assert len(profiles) == 1, "the profiles differ"
    end()


def _write(path: Path, rows: int) -> None:
    import pyarrow.parquet as pq

    from bench.ingest import SCHEMA, row_groups

    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as parquet:
        for table in row_groups(rows):
            parquet.write_table(table)


def _measured(folder: Path, options: tuple[str, ...], rows: int) -> list[str]:
    files = sorted(map(str, folder.glob("*.parquet")))
    out = str(folder / _PROFILE)
    command = [sys.executable, "-m", "tailc", "ingest", *files, "-o", out, *_OPTIONS, *options]
    begun = time.perf_counter()
    pid = os.posix_spawn(sys.executable, command, os.environ)
    _, status, use = os.wait4(pid, 0)
    seconds = time.perf_counter() - begun
    assert status == 0, command
    m_rows = rows * len(files) / seconds / 1e6
    return [
        f"{seconds:.1f}",
        wanted(m_rows, LEAST_M_ROWS, 0),
        f"{use.ru_utime + use.ru_stime:.1f}",
        f"{use.ru_maxrss / 1024:.0f}",
    ]


if __name__ == "__main__":
    main()
