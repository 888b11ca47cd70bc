"""One look-up by the Rust runtime, and what opening a policy costs.

    python -m bench.rust_lookup

The table of `bench.cpp_lookup` for Rust: nanoseconds per look-up of independent queries, of a
policy whose file is watched, and of queries that each wait for the answer before; microseconds to
open a policy from bytes, to hash them, and to open the file. The aim is 6 ns with 64 rows of 8
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


def main() -> None:
    if shutil.which("cargo") is None:
        sys.exit("no cargo here")
    program = built(ROOT / "build" / "rust")
    with tempfile.TemporaryDirectory() as folder:
        _, wide = write_policy(wide_policy(), Path(folder) / "wide")
        rows = [
            measured(program, f"{ROWS} rows of {RUNGS} rungs", wide),
            measured(program, "lucene", VECTORS / "lucene.tailc"),
            measured(program, "classes", VECTORS / "classes.tailc"),
        ]
    show(HEADER, rows)
    end()


def built(target: Path) -> Path:
    """The program of bench/rust, with what it needs in `target`."""
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target), "CARGO_BUILD_JOBS": "1"}
    command = ["cargo", "build", "--quiet", "--release"]
    subprocess.run(command, cwd=ROOT / "bench" / "rust", env=environment, check=True)
    return target / "release" / "lookup"


if __name__ == "__main__":
    main()
