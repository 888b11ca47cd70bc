"""How the Go runtime is built."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.runtimes.building import built_once
from tests.runtimes.conformance import Reader, succeeded
from tests.tailc.artifact.published import ROOT

RUNTIME = ROOT / "runtimes" / "go"
# That of go.mod.
LEAST_VERSION = (1, 21)


def go(*arguments: object, **variables: str) -> list[str]:
    """The lines that a command of go prints; it must succeed."""
    # One package at a time: other tests run beside.
    flags = f"-p=1 {os.environ.get('GOFLAGS', '')}"
    environment = {**os.environ, "GOFLAGS": flags, **variables}
    return succeeded(["go", *map(str, arguments)], RUNTIME, environment)


def need_go() -> None:
    """Skip without a go that is new enough, which those who must run everything have."""
    found = go("env", "GOVERSION")[0] if shutil.which("go") else "none"
    numbers = tuple(int(part) for part in re.findall(r"\d+", found)[:2])
    if numbers < LEAST_VERSION:
        refuse = pytest.fail if "CI" in os.environ else pytest.skip
        refuse(f"go is {found}")


def reader(factory: pytest.TempPathFactory) -> Reader:
    """The runtime, built once."""
    need_go()

    def build(folder: Path) -> None:
        go("build", "-o", folder / "conformance", "./tests/conformance")

    program = built_once(factory, "go", build) / "conformance"
    return Reader(lambda name: [str(program), name])
