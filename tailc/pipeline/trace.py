"""A spec and its trace, opened together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tailc.pipeline.reading import reading
from tailc.policies import Kind, find_kinds
from tailc.specs.load import LoadedSpec, open_spec
from tailc.traces.reading import Reading
from tailc.traces.trace import Trace, read_trace


@dataclass(frozen=True)
class OpenedSpec:
    """A checked spec, its kind, and where its findings are placed."""

    kind: Kind
    loaded: LoadedSpec
    path: str

    @property
    def spec(self) -> Any:
        """The model of the kind."""
        return self.loaded.model


@dataclass(frozen=True)
class OpenedTrace:
    """The trace a spec names, and the reading it was read by."""

    reading: Reading
    trace: Trace


def open_kind(path: str) -> OpenedSpec:
    """The spec at `path` (`-` is standard input), checked by the model of its kind."""
    kinds = find_kinds()
    loaded = open_spec(path, {name: kind.spec_model for name, kind in kinds.items()})
    model: Any = loaded.model
    return OpenedSpec(kinds[model.kind], loaded, path)


def open_trace(opened: OpenedSpec) -> OpenedTrace:
    """The trace of a spec; a relative path is relative to the spec's own folder."""
    demand = opened.spec.demand
    recipe = reading(demand, opened.spec.speedup)
    return OpenedTrace(
        recipe, read_trace(_beside(opened.path, demand.trace), recipe, demand.format)
    )


def _beside(spec_path: str, trace: str) -> str:
    if trace == "-" or spec_path == "-":
        return trace
    return str(Path(spec_path).parent / trace)
