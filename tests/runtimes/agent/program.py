"""How the agent is built, started and waited for."""

from __future__ import annotations

import functools
import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType

from tests.runtimes.conformance import succeeded
from tests.runtimes.rust import BUILD, TARGET, need_cargo
from tests.tailc.artifact.published import ROOT

AGENT = ROOT / "runtimes" / "agent"
PATIENCE_S = 20.0


def _fake_machine() -> ModuleType:
    """The script of the agent's folder, which is no package."""
    spec = importlib.util.spec_from_file_location("fake_machine", AGENT / "fake_machine.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


fake_machine = _fake_machine()
LAYOUTS: tuple[str, ...] = tuple(fake_machine.LAYOUTS)


def cargo(*arguments: str) -> list[str]:
    """The lines that a command of cargo prints; it must succeed."""
    need_cargo()
    return succeeded(["cargo", *arguments], AGENT, {**os.environ, **BUILD})


@functools.cache
def program() -> Path:
    """The agent; cargo builds it once."""
    cargo("build")
    return TARGET / "debug" / "tailc-agent"


def run(*words: object) -> subprocess.CompletedProcess[str]:
    """How the agent ends."""
    command = [str(program()), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def printed(*words: object) -> list[str]:
    """The lines that the agent prints; it must succeed without warnings."""
    done = run(*words)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def would_write(lines: Iterable[str]) -> list[tuple[str, str]]:
    """Path and value of each write of a dry run."""
    pairs = [line.removeprefix("would write /").split(": ", 1) for line in lines]
    return [(path, value) for path, value in pairs]


def contents(folder: Path) -> dict[str, str]:
    """The text of every file of the kernel below a folder.

    `scaling_setspeed` has no meaning, and no text in a kernel, under another governor.
    """
    found = (path for path in (folder / "sys").rglob("*") if path.is_file())
    files = sorted(path for path in found if path.name != "scaling_setspeed")
    return {str(path.relative_to(folder)): path.read_text() for path in files}


def until(holds: Callable[[], bool], what: str) -> None:
    """Wait until something holds, for as long as a busy machine may need."""
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end, f"not after {PATIENCE_S} s: {what}"
        time.sleep(0.005)


def options(option: str, values: dict[str, str]) -> Sequence[str]:
    """`--option NAME=VALUE` for each."""
    return [word for name, value in values.items() for word in (option, f"{name}={value}")]
