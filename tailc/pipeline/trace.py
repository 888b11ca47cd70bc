"""The trace that a spec names, read as the spec says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tailc.pipeline.reading import reading
from tailc.pipeline.spec import OpenedSpec
from tailc.traces.reading import Reading
from tailc.traces.trace import Trace, read_trace


@dataclass(frozen=True)
class OpenedTrace:
    """A trace, and the reading it was read by."""

    reading: Reading
    trace: Trace


def open_trace(opened: OpenedSpec) -> OpenedTrace:
    """The trace of a spec; a relative path is relative to the spec's own folder."""
    spec = opened.spec
    recipe = reading(spec.demand, spec.speedup, spec.max_degree)
    path = _beside(opened.path, spec.demand.trace)
    return OpenedTrace(recipe, read_trace(path, recipe, spec.demand.format))


def _beside(spec_path: str, trace: str) -> str:
    if trace == "-" or spec_path == "-":
        return trace
    return str(Path(spec_path).parent / trace)
