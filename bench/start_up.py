"""How long a user waits for each command as a process, beside a bare interpreter in the same run.

    python -m bench.start_up

Medians of whole processes, interleaved, warm caches; `first compile` starts with an empty JIT
cache. Peak memory is the largest resident set of the process.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.timing import show

ROOT = Path(__file__).parent.parent
RUNS = 7
TAILC = [sys.executable, "-c", "from tailc.cli import main; main()"]
SPEC = str(ROOT / "examples/lucene-fm/service.yaml")
# Seconds a user should not have to wait longer than.
LIMITS_S = {
    "--help": 0.1,
    "--version": 0.1,
    "compile, grid": 1.5,
    "compile, dual": 1.5,
    "first compile": 20,
}


def main() -> None:
    """Print one line a command."""
    with tempfile.TemporaryDirectory() as folder:
        commands = _commands(folder)
        for command in commands.values():
            _seconds(command)
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(RUNS):
            for name, command in commands.items():
                taken[name].append(_seconds(command))
        medians = {name: statistics.median(seconds) for name, seconds in taken.items()}
        cold = {"NUMBA_CACHE_DIR": str(Path(folder) / "empty")}
        medians["first compile"] = _seconds(commands["compile, grid"], cold)
    _print(medians)


def _commands(folder: str) -> dict[str, list[str]]:
    stem = str(Path(folder) / "lucene")
    return {
        "bare interpreter": [sys.executable, "-c", "pass"],
        "--help": [*TAILC, "--help"],
        "--version": [*TAILC, "--version"],
        "compile, grid": [*TAILC, "compile", SPEC, "-o", stem],
        "compile, dual": [*TAILC, "compile", SPEC, "-o", stem, "--method", "dual"],
        "check": [*TAILC, "check", SPEC],
        "lookup": [*TAILC, "lookup", f"{stem}.tailc", "--in-system", "12"],
        "inspect": [*TAILC, "inspect", f"{stem}.tailc"],
    }


def _seconds(command: Sequence[str], environment: dict[str, str] | None = None) -> float:
    began = time.perf_counter()
    env = os.environ | (environment or {})
    subprocess.run(command, check=True, capture_output=True, env=env)
    return time.perf_counter() - began


def _print(medians: dict[str, float]) -> None:
    bare = medians["bare interpreter"]
    show(
        ["process", "seconds", "to a bare interpreter", "at most"],
        [
            [name, f"{taken:.3f}", f"{taken / bare:.1f}", f"{LIMITS_S.get(name, '')}"]
            for name, taken in medians.items()
        ],
    )
    peak_mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"Largest resident set of any of them: {peak_mib:.0f} MiB.\n")


if __name__ == "__main__":
    main()
