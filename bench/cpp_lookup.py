"""One look-up by the C++ runtime, and what opening a policy costs.

    python -m bench.cpp_lookup

Prints nanoseconds a look-up at drawn loads and ages, where the next need not wait for its answer,
the same of a policy whose file is watched, and chained, where it must wait; and microseconds an
opening: from bytes, of which SHA-256, and from the file. The aims are 6 ns with 64 rows of 8 rungs,
and 6 us for 4 KiB; where the processor has no instructions for SHA-256, an opening takes longer.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import replace
from pathlib import Path

from bench.timing import ROOT, end, show, wanted
from tailc.artifact.envelope import Policy
from tailc.artifact.files import read_policy, write_policy
from tailc.forms.ladder.table import AT_ONCE, Admission, Climb, Guard, Row

VECTORS = ROOT / "schemas" / "vectors" / "v1"
SOURCE = ROOT / "bench" / "cpp" / "lookup.cpp"
FLATBUFFERS = Path(sysconfig.get_path("purelib")) / "flatc" / "include"
HEADERS = ("-isystem", str(FLATBUFFERS), f"-I{ROOT}/runtimes/cpp/include")
FLAGS = ("-std=c++17", "-O2", "-pthread", *HEADERS)
ROWS, RUNGS, STEP_US = 64, 8, 10_000
LOOKUP_NS = 6.0
HEADER = (
    *("policy", "bytes", "look-up, ns", "goal / look-up", "watched, ns", "chained, ns"),
    *("open, us", "hash, us", "file, us"),
)


def main() -> None:
    if shutil.which("g++") is None:
        sys.exit("no g++ here")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "lookup"
        subprocess.run(["g++", *FLAGS, str(SOURCE), "-o", str(program)], check=True)
        _, wide = write_policy(wide_policy(), Path(folder) / "wide")
        rows = [
            measured(program, f"{ROWS} rows of {RUNGS} rungs", wide),
            measured(program, "lucene", VECTORS / "lucene.tailc"),
            measured(program, "classes", VECTORS / "classes.tailc"),
        ]
    show(HEADER, rows)
    end()


def measured(program: Path, name: str, path: Path, aim_ns: float = LOOKUP_NS) -> list[str]:
    """Figures of the ladder for all, at loads that it was compiled for and ages of its climbs."""
    ladder = read_policy(path).form_for(None)
    oldest_us = max(row.climbs[-1].age_us for row in ladder.rows)
    arguments = [program, path, str(ladder.guard.max_load + 1), str(2 * oldest_us + 1)]
    said = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    lookup_ns, *taken = map(float, said.split())
    ratio = wanted(aim_ns / lookup_ns, 1.0)
    times = [f"{time:.1f}" for time in taken]
    return [name, f"{path.stat().st_size:,}", f"{lookup_ns:.1f}", ratio, *times]


def wide_policy() -> Policy:
    """The published policy with a row for each of 64 loads, each of which climbs 7 times."""
    policy = read_policy(VECTORS / "lucene.tailc")
    ladder = policy.forms[0]
    rungs = tuple(
        replace(ladder.rungs[0], name=f"d{n}", speed_ppm=n * 10**6, cost_ppm=(n * 10**6,))
        for n in range(1, RUNGS + 1)
    )
    rows = tuple(row(load) for load in range(1, ROWS + 1))
    guard = Guard(0, ROWS, ladder.guard.outside)
    return replace(policy, forms=(replace(ladder, rungs=rungs, rows=rows, guard=guard),))


def row(load: int) -> Row:
    climbs = tuple(Climb(n * (STEP_US + load), n) for n in range(RUNGS))
    admission = AT_ONCE if load % 2 else Admission.after_delay(load * 100)
    return Row(load, None if load == ROWS else load, admission, climbs)


if __name__ == "__main__":
    main()
