"""Policy kinds: one folder each, found by looking; kinds never import one another."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tailc.specs.fields import SpecModel


@dataclass(frozen=True)
class Kind:
    """What a folder here exposes as `KIND`: the name that specs use, and what the compiler calls.

    `candidates(spec)` are the specs of a sweep, `reduce(spec, profile)` states the problem of the
    kind's form, `emit(spec, problem, solution)` turns its solution into the form.
    """

    name: str
    spec_model: type[SpecModel]
    candidates: Callable[..., Any]
    reduce: Callable[..., Any]
    emit: Callable[..., Any]


def find_kinds() -> dict[str, Kind]:
    """The kinds by name, in order of name: every subpackage that exposes `KIND`."""
    kinds: dict[str, Kind] = {}
    for module in pkgutil.iter_modules(__path__):
        kind = getattr(importlib.import_module(f"{__name__}.{module.name}"), "KIND", None)
        if isinstance(kind, Kind):
            assert kind.name not in kinds, f"two folders are the kind `{kind.name}`"
            kinds[kind.name] = kind
    return dict(sorted(kinds.items()))
