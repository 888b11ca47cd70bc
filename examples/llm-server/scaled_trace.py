"""Scale a trace of a language model to a small machine: `scaled_trace.py TRACE PART FOLDER`.

Prompts and outputs are divided by PART. The first requests are written to `design.csv` in FOLDER,
the ones after them to `heldout.csv`. TRACE is a trace of Azure as Parquet, or a CSV file with the
columns `time`, `prompt` and `output`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.csv as pc
import pyarrow.parquet as pq

AZURE = ("arrival_s", "ContextTokens", "GeneratedTokens")
DESIGN, HELD_OUT = 2_400, 400
FEWEST_OUTPUT = 2


def main(trace: str, part: str, folder: str) -> None:
    """Write the two scaled traces."""
    lines = list(scaled(Path(trace), int(part)))
    share = DESIGN / (DESIGN + HELD_OUT)
    design = min(DESIGN, round(len(lines) * share))
    write(Path(folder) / "design.csv", lines[:design])
    write(Path(folder) / "heldout.csv", lines[design : design + HELD_OUT])


def scaled(trace: Path, part: int) -> Iterator[str]:
    """A line for each request, with a part of its tokens."""
    if trace.suffix == ".parquet":
        table, names = pq.read_table(trace), AZURE
    else:
        table, names = pc.read_csv(trace), ("time", "prompt", "output")
    for time, prompt, output in zip(*(table[name].to_pylist() for name in names), strict=True):
        yield f"{time:.3f},{max(prompt // part, 1)},{max(output // part, FEWEST_OUTPUT)}"


def write(path: Path, lines: list[str]) -> None:
    """Write requests with their header."""
    path.write_text("\n".join(["time,prompt,output", *lines]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
