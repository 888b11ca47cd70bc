"""A repository with a remote and a spec in it, for what releases policies."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.tailc.toy import with_lines

SPEC_OF_SERVICE = with_lines(
    ("{percentile: 99%, latency: 200ms}", "{percentile: 50%, latency: 10s}")
)
HELD_OUT = "--trace policies/heldout.csv --requests 300 --replicates 50"
ROWS = "".join(f"{10 + i % 90}\n" for i in range(300))
TOOLS = """#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
"""


def git(*words: str) -> str:
    done = subprocess.run(["git", *words], check=True, capture_output=True, text=True)
    return done.stdout


def committed(spec: str) -> None:
    Path("policies/search.yaml").write_text(spec)
    git("add", ".")
    git("commit", "--quiet", "--allow-empty", "--message", "inputs")


def released() -> list[str]:
    return git("-C", "../remote", "tag", "--list").split()
