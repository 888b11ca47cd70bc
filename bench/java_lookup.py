"""One look-up by the Java runtime, and what opening a policy costs.

    python -m bench.java_lookup

Prints nanoseconds per look-up of independent queries, of a policy whose file is watched, of queries
that each wait for the answer before, and of the rung alone; microseconds to open a policy from
bytes and from the file. The virtual machine has compiled the code before. The aim is 15 ns with 64
rows of 8 rungs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.cpp_lookup import RUNGS, VECTORS, wide_policy
from bench.timing import ROOT, end, show, wanted
from tailc.artifact.files import read_policy, write_policy

RUNTIME = ROOT / "runtimes" / "java"
SOURCE = ROOT / "bench" / "java" / "Lookup.java"
LOOKUP_NS = 15.0
HEADER = (
    *("policy", "bytes", "look-up, ns", "goal / look-up", "watched, ns", "chained, ns"),
    *("rung, ns", "open, us", "file, us"),
)


def main() -> None:
    if any(shutil.which(tool) is None for tool in ("mvn", "javac")):
        sys.exit("no Maven, or no compiler of Java here")
    with tempfile.TemporaryDirectory() as folder:
        classes = built(Path(folder))
        _, wide = write_policy(wide_policy(), Path(folder) / "wide")
        rows = [
            measured(classes, f"64 rows of {RUNGS} rungs", wide),
            measured(classes, "lucene", VECTORS / "lucene.tailc"),
            measured(classes, "classes", VECTORS / "classes.tailc"),
        ]
    show(HEADER, rows)
    end()


def built(folder: Path) -> str:
    """The class path of the runtime and of what asks it."""
    command = ["mvn", "-q", "-B", f"-DbuildDirectory={folder}", "compile"]
    subprocess.run(command, cwd=RUNTIME, check=True)
    path = os.pathsep.join(str(folder / part) for part in ("classes", "lib/*"))
    subprocess.run(["javac", "-cp", path, "-d", folder / "classes", SOURCE], check=True)
    return path


def measured(classes: str, name: str, path: Path) -> list[str]:
    """Figures of the ladder for all, at loads that it was compiled for and ages of its climbs."""
    ladder = read_policy(path).form_for(None)
    oldest_us = max(row.climbs[-1].age_us for row in ladder.rows)
    arguments = [path, str(ladder.guard.max_load + 1), str(2 * oldest_us + 1)]
    command = ["java", "-cp", classes, "Lookup", *arguments]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lookup_ns, *others = map(float, said.split())
    ratio = wanted(LOOKUP_NS / lookup_ns, 1.0)
    times = [f"{time:.1f}" for time in others]
    return [name, f"{path.stat().st_size:,}", f"{lookup_ns:.1f}", ratio, *times]


if __name__ == "__main__":
    main()
