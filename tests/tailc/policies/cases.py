"""A small, quick instance of every kind, for the kit that every kind must pass.

Each kind has `tests/tailc/policies/<kind>/case.py`. Its function `write(folder)` writes a spec, its
trace and a held-out trace of the same service, and returns a Case. Its MISTAKES are pairs of a text
of the spec and a replacement that is wrong.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

Change = tuple[str, str]


@dataclass(frozen=True)
class Case:
    """Where an instance lies: its spec, the trace of that, and other requests of the service."""

    spec: Path
    design: Path
    held_out: Path


def write_case(kind: str, folder: Path) -> Case:
    """The instance of the kind named as in specs, written into `folder`."""
    case: Case = _module(kind).write(folder)
    return case


def mistakes_of(kind: str) -> tuple[Change, ...]:
    """Mistakes that a user may make in the spec of the instance."""
    mistakes: tuple[Change, ...] = _module(kind).MISTAKES
    return mistakes


def _module(kind: str) -> ModuleType:
    name = f"tests.tailc.policies.{kind.replace('-', '_')}.case"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise AssertionError(f"kind `{kind}` brings no {name}: the kit needs one") from error
