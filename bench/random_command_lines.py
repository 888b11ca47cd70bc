"""A million random command lines, none of which may end with an internal error or a traceback.

    python -m bench.random_command_lines [--lines 1000000] [--seed 1]

The lines are made from the options of every command, as in `tests/tailc/cli/test_grammar.py`, which
also compiles and replays. Here the spec is wrong and the trace is short, so that each line ends in
milliseconds. Lines run in this process, in a folder of their own.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from bench.timing import ROOT
from tailc.cli import run
from tests.tailc.cli.test_every_reader_of_policies import commands
from tests.tailc.cli.test_grammar import DOCUMENTED, SKIPPED, words_of

# They run for long whatever they are given, or wait for a terminal.
SLOW = {"tune pid", "keygen"}
BETWEEN_REPORTS = 50_000


def main() -> int:
    """Run all lines; exit 1 if one ends with an internal error. Such lines are printed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    chosen = [pair for pair in commands() if pair[0] not in SKIPPED | SLOW]
    counts: Counter[int] = Counter()
    failures = 0
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        write_inputs(Path(folder))
        os.chdir(folder)
        for number in range(given.lines):
            words = words_of(*rng.choice(chosen), rng)
            code, text = ended(words)
            counts[code] += 1
            if code not in DOCUMENTED or "Traceback" in text or not (text or code < 64):
                print(words, code, text[:2_000], sep="\n", flush=True)
                failures += 1
            if number % BETWEEN_REPORTS == 0:
                write_inputs(Path(folder))
                print(f"{number:,} lines, {time.monotonic() - begun:.0f} s", flush=True)
    for code, count in sorted(counts.items()):
        print(f"exit {code}: {count:,}")
    print(f"{given.lines:,} lines, seed {given.seed}, {time.monotonic() - begun:.0f} s")
    print(f"{failures:,} internal errors")
    return int(failures > 0)


def write_inputs(folder: Path) -> None:
    """Write the files that lines name; lines may replace them."""
    vectors = ROOT / "schemas" / "vectors" / "v1"
    for suffix in (".tailc", ".json"):
        shutil.copy(vectors / f"demand{suffix}", folder / f"p{suffix}")
    spec = "apiVersion: tailc/v1\nkind: few-to-many\nname: toy\ndemand: {trace: toy.csv}\n"
    (folder / "toy.yaml").write_text(spec)
    (folder / "toy.csv").write_text("demand_ms,arrival_s\n5,0\n6,1\nx,2\n")


def ended(words: list[str]) -> tuple[int, str]:
    """Exit code of a line, and what it printed or wrote instead."""
    file = Path("out.json")
    file.unlink(missing_ok=True)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(words)
    return code, out.getvalue() + err.getvalue() + (file.read_text() if file.exists() else "")


if __name__ == "__main__":
    sys.exit(main())
