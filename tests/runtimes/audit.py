"""How `tailc-audit` is built and run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.runtimes.conformance import succeeded
from tests.runtimes.rust import need_cargo
from tests.tailc.artifact.published import ROOT

CRATE = ROOT / "runtimes" / "audit"
# What is built stays, so that only the first run compiles it.
TARGET = ROOT / "build" / "audit"
BUILD = {
    "CARGO_TARGET_DIR": str(TARGET),
    "CARGO_BUILD_JOBS": "1",
    "CARGO_INCREMENTAL": "0",
}


def cargo(*arguments: str) -> list[str]:
    """The lines that a command of cargo prints; it must succeed."""
    need_cargo()
    return succeeded(["cargo", *arguments], CRATE, {**os.environ, **BUILD})


def audit(*arguments: str | Path) -> tuple[int, str]:
    """Exit code and standard output of an audit."""
    command = [str(TARGET / "debug" / "tailc-audit"), *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout + ended.stderr


def lies(policy: Path, profile: Path, count: int, seed: int) -> str:
    """Output after this number of planted lies; all must be refuted."""
    command = [str(TARGET / "debug" / "examples" / "lies"), str(policy), str(profile)]
    command += [str(count), str(seed)]
    return "\n".join(succeeded(command, CRATE, dict(os.environ)))
