"""A small, quick instance of every kind, for the kit that every kind must pass.

A kind brings its own in `tests/tailc/policies/<kind>/case.py`: a function `write(folder)` that
writes a spec, its trace and a held-out trace of the same service, and returns a Case.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Case:
    """Where an instance lies: its spec, the trace of that, and other requests of the service."""

    spec: Path
    design: Path
    held_out: Path


def write_case(kind: str, folder: Path) -> Case:
    """The instance of the kind named as in specs, written into `folder`."""
    name = f"tests.tailc.policies.{kind.replace('-', '_')}.case"
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise AssertionError(f"kind `{kind}` brings no {name}: the kit needs one") from error
    return module.write(folder)
