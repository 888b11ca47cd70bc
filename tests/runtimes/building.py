"""What several modules of tests need is built once, though they may run in several processes."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def built_once(factory: pytest.TempPathFactory, name: str, build: Callable[[Path], object]) -> Path:
    """The folder of that name that `build` was called with, in this run of the tests."""
    mine = factory.getbasetemp()
    # The workers of pytest-xdist have their folders side by side.
    shared = mine.parent if "PYTEST_XDIST_WORKER" in os.environ else mine
    folder, is_built = shared / f"built-{name}", shared / f"built-{name}.done"
    with (shared / f"built-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_built.exists():
            build(folder)
            is_built.touch()
    return folder
