"""A format that measurements come in: how it is recognised, and how it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tailc.ingest.input_times import InputTimes, Loop
from tailc.ingest.loops import always
from tailc.ingest.options import InputOptions
from tailc.traces.source import Source

_NO_LOOP = always(None)


@dataclass(frozen=True)
class Format:
    """`matches` is given the first bytes of an input; `read` raises TailcError for bad ones.

    `loose`: other text can look like it, so formats that cannot are asked first. `has_spans`: whose
    attributes can be asked for. `has_metrics`: of which one can be asked for, by name and labels.
    `has_tags`: whose intervals can be chosen by tag.
    `has_rows`: false of text whose rows look like a table, but are points of a distribution.
    `loop`: of one that can be read as a table, too: how the requests in its rows were sent; None of
    one that cannot.
    """

    name: str
    matches: Callable[[bytes], bool]
    read: Callable[[Source, InputOptions], InputTimes]
    loose: bool = False
    has_spans: bool = False
    has_metrics: bool = False
    has_tags: bool = False
    has_rows: bool = True
    loop: Callable[[Source], Loop | None] = _NO_LOOP
