"""A spec, opened: its kind, its model, and where its findings are placed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from tailc.policies import Kind, KindSpec, find_kinds
from tailc.specs.load import LoadedSpec, open_spec


@dataclass(frozen=True)
class OpenedSpec:
    """A checked spec with its kind; `path` is as the user named it."""

    kind: Kind
    loaded: LoadedSpec
    path: str

    @property
    def spec(self) -> KindSpec:
        """The model of the kind."""
        return cast(KindSpec, self.loaded.model)


def open_kind(path: str) -> OpenedSpec:
    """The spec at `path` (`-` is standard input), checked by the model of its kind."""
    kinds = find_kinds()
    loaded = open_spec(path, {name: kind.spec_model for name, kind in kinds.items()})
    name = cast(KindSpec, loaded.model).kind
    return OpenedSpec(kinds[name], loaded, path)
