"""Measure the CPU time of option-pricing requests, each alone on a core.

    python examples/finance/measure.py

Builds the server, runs every request three times with nothing else in the server, and writes the
median CPU time of each to `design.parquet` and `heldout.parquet`, the machine to `machine.json`.
`--slowdown` measures instead how exactly a core that rests half of the time is twice as slow.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
from pathlib import Path

import binary
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import workload

FOLDER = Path(__file__).parent
REQUESTS = 5_000
REPETITIONS = 3
CHECKED = 200
PERCENTS = (5, 50, 95, 99)


def main() -> None:
    """Measure and write the files, or print what is in them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--requests", type=int, default=REQUESTS)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--core", type=int, default=min(os.sched_getaffinity(0)))
    parser.add_argument("--out", type=Path, default=FOLDER)
    parser.add_argument("--slowdown", type=float, help="only check a core slowed so many times")
    parser.add_argument("--summary-only", action="store_true", help="only read the files")
    arguments = parser.parse_args()
    if arguments.slowdown:
        print(slowdown_measured(binary.build(), arguments.core, arguments.slowdown))
        return
    if not arguments.summary_only:
        measure(arguments)
    print(summary(arguments.out))


def measure(arguments: argparse.Namespace) -> None:
    """Time all requests and write the three files."""
    requests = workload.draw(arguments.requests)
    server = binary.build()
    before = os.getloadavg()[0]
    cpu_ms = np.array(
        [timed(server, requests, arguments.core) for _ in range(arguments.repetitions)]
    )
    conditions = {"load_average_before": before, "load_average_after": os.getloadavg()[0]}
    write(requests, cpu_ms, arguments.out)
    write_machine(cpu_ms, conditions, arguments.out)


def timed(server: Path, requests: list[workload.Request], core: int) -> np.ndarray:
    """CPU time of each request [ms]."""
    lines = (workload.as_line(request) for request in requests)
    table, _ = binary.run(server, "alone", lines, core, 1)
    return table["cpu_ms"].to_numpy()


def write(requests: list[workload.Request], cpu_ms: np.ndarray, out: Path) -> None:
    """Both Parquet files, one row a request; `spread` is its longest time over its shortest."""
    ids = np.arange(len(requests))
    table = pa.table(
        {
            "request_id": ids,
            "dates": pa.array([request.dates for request in requests], pa.int32()),
            "paths": pa.array([request.paths for request in requests], pa.int32()),
            "cpu_ms": np.median(cpu_ms, axis=0).round(3),
            "spread": (cpu_ms.max(axis=0) / cpu_ms.min(axis=0)).round(3),
        }
    )
    held_out = np.array([workload.is_held_out(int(number)) for number in ids])
    for name, chosen in (("design", ~held_out), ("heldout", held_out)):
        part = table.filter(pa.array(chosen))
        pq.write_table(part, out / f"{name}.parquet", compression="zstd")


def write_machine(cpu_ms: np.ndarray, conditions: dict[str, float], out: Path) -> None:
    """What the files were measured on."""
    found = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": machine(),
        "requests": cpu_ms.shape[1],
        "repetitions": cpu_ms.shape[0],
        "conditions": {name: round(value, 2) for name, value in conditions.items()},
    }
    (out / "machine.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def machine() -> dict[str, object]:
    """Processor, cores and kernel."""
    info = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    named = (line.partition(":")[2].strip() for line in info if line.startswith("model name"))
    return {
        "cpu": next(named, platform.processor() or "unknown"),
        "cores": len(os.sched_getaffinity(0)),
        "kernel": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


def summary(out: Path) -> str:
    """Statistics of both files as a Markdown table."""
    tables = [pq.read_table(out / f"{name}.parquet") for name in ("design", "heldout")]
    columns = [statistics(table) for table in tables]
    lines = ["| | `design.parquet` | `heldout.parquet` |", "|---|---|---|"]
    for (name, design), (_, held_out) in zip(*columns, strict=True):
        lines.append(f"| {name} | {design} | {held_out} |")
    return "\n".join(lines)


def statistics(table: pa.Table) -> list[tuple[str, str]]:
    """Named figures of one file."""
    cpu_ms, spread = table["cpu_ms"].to_numpy(), table["spread"].to_numpy()
    return [
        ("requests", str(len(cpu_ms))),
        ("mean CPU time", f"{cpu_ms.mean():.2f} ms"),
        *((f"p{p} CPU time", f"{np.percentile(cpu_ms, p):.2f} ms") for p in PERCENTS),
        ("longest", f"{cpu_ms.max():.2f} ms"),
        ("longest over shortest of a request's times, median", f"{np.median(spread):.3f}"),
    ]


def slowdown_measured(server: Path, core: int, slowdown: float) -> str:
    """Wall times over CPU times of requests on a core that rests."""
    lines = [workload.as_line(request) for request in workload.draw(CHECKED)]
    times, _ = binary.run(server, "alone", lines, core, slowdown)
    wall_ms, cpu_ms = (times[name].to_numpy() for name in ("wall_ms", "cpu_ms"))
    each = ", ".join(f"p{p} {np.percentile(wall_ms / cpu_ms, p):.2f}" for p in PERCENTS)
    return f"asked {slowdown:g}; all requests {wall_ms.sum() / cpu_ms.sum():.2f}; {each}"


if __name__ == "__main__":
    main()
