"""A spec, opened: its kind, its model, and where its findings are placed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast

from tailc.errors import Finding
from tailc.policies import Kind, KindSpec, find_kinds
from tailc.specs.load import LoadedSpec, open_spec


@dataclass(frozen=True)
class OpenedSpec:
    """A checked spec of a kind, with what else its files hold; `path` is as the user named it."""

    kind: Kind
    spec: KindSpec
    loaded: LoadedSpec
    path: str
    warnings: tuple[Finding, ...] = ()


def open_kind(path: str) -> OpenedSpec:
    """The spec at `path` (`-` is standard input), checked and completed by its kind."""
    kinds = find_kinds()
    loaded = open_spec(path, {name: kind.spec_model for name, kind in kinds.items()})
    spec = cast(KindSpec, loaded.model)
    kind = kinds[spec.kind]
    if kind.complete is None:
        return OpenedSpec(kind, spec, loaded, path)
    folder = None if path == "-" else Path(path).parent
    completed, warnings = kind.complete(spec, loaded, folder)
    return OpenedSpec(kind, completed, loaded, path, warnings)
