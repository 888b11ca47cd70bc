"""How the Rust runtime is built."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from tests.runtimes.conformance import Reader, succeeded
from tests.tailc.artifact.published import ROOT

# Of the agent; the runtime needs 1.88.
OLDEST = (1, 89)
RUNTIME = ROOT / "runtimes" / "rust"
# What is built stays, so that only the first run compiles what the runtime needs.
TARGET = ROOT / "build" / "rust"
BUILD = {
    "CARGO_TARGET_DIR": str(TARGET),
    "CARGO_BUILD_JOBS": "1",
    # Nobody changes it and builds it again.
    "CARGO_INCREMENTAL": "0",
}


def need_cargo() -> None:
    """Skips where there is none, or one that is too old; but not in CI."""
    if shutil.which("cargo") is not None:
        said = subprocess.run(["cargo", "--version"], check=True, capture_output=True, text=True)
        if tuple(map(int, said.stdout.split()[1].split(".")[:2])) >= OLDEST:
            return
    missing = "no cargo {}.{} or later".format(*OLDEST)
    assert not os.environ.get("CI"), missing
    pytest.skip(missing)


def cargo(*arguments: str, **variables: str) -> list[str]:
    """The lines that a command of cargo prints; it must succeed."""
    need_cargo()
    return succeeded(["cargo", *arguments], RUNTIME, {**os.environ, **BUILD, **variables})


def reader(_factory: pytest.TempPathFactory) -> Reader:
    """The runtime; cargo sees to it that it is built once."""
    cargo("build", "-p", "conformance")
    return Reader(lambda name: [str(TARGET / "debug" / "conformance"), name])
