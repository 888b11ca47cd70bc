"""One look-up by the Go runtime, and what opening a policy costs.

    python -m bench.go_lookup

The table of `bench.cpp_lookup` for Go: nanoseconds per look-up of independent queries, of a
policy whose file is watched, and of queries that each wait for the answer before; microseconds to
open a policy from bytes, to hash them, and to open the file. The aim is 15 ns with 64 rows of 8
rungs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.cpp_lookup import HEADER, ROWS, RUNGS, VECTORS, measured, wide_policy
from bench.timing import ROOT, end, show
from tailc.artifact.files import write_policy

LOOKUP_NS = 15.0


def main() -> None:
    if shutil.which("go") is None:
        sys.exit("no go here")
    with tempfile.TemporaryDirectory() as folder:
        program = built(Path(folder))
        _, wide = write_policy(wide_policy(), Path(folder) / "wide")
        rows = [
            measured(program, f"{ROWS} rows of {RUNGS} rungs", wide, LOOKUP_NS),
            measured(program, "lucene", VECTORS / "lucene.tailc", LOOKUP_NS),
            measured(program, "classes", VECTORS / "classes.tailc", LOOKUP_NS),
        ]
    show(HEADER, rows)
    end()


def built(folder: Path) -> Path:
    """The program of bench/go, in a workspace with the runtime."""
    modules = [ROOT / "bench" / "go", ROOT / "runtimes" / "go"]
    workspace = {**os.environ, "GOWORK": str(folder / "go.work")}
    subprocess.run(["go", "work", "init", *modules], cwd=folder, check=True)
    build = ["go", "build", "-o", str(folder / "lookup"), "lookup"]
    subprocess.run(build, cwd=folder, env=workspace, check=True)
    return folder / "lookup"


if __name__ == "__main__":
    main()
