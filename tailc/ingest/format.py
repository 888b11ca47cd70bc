"""Definition of an input format: how to recognise and read it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tailc.ingest.input_times import InputTimes, Loop
from tailc.ingest.loops import always
from tailc.ingest.options import InputOptions
from tailc.traces.source import Source

_NO_LOOP = always(None)


def begins_with_names(*names: str) -> Callable[[bytes], bool]:
    """Make a test whether an input begins with these column names.

    The test ignores quotes and marks that a spreadsheet writes around names.
    """
    cells = (rb'"?' + re.escape(name.encode()) + rb'"?' for name in names)
    header = re.compile(rb"\s*" + rb"[,;\t|]".join(cells) + rb"[,;\t|\r\n]")
    return lambda head: header.match(head) is not None


@dataclass(frozen=True)
class Format:
    """An input format: how to recognise it, how to read it, and which options apply.

    matches: gets the first bytes of an input. read: raises TailcError for bad input. loose: other
    text can look like this format, so it is tried last. has_spans: `--attribute` applies.
    has_metrics: `--metric` and `--label` apply. has_tags: `--tag` applies. has_rows: false for text
    whose rows are points of a distribution. loop: determines whether requests were sent in a closed
    loop, for a format that is also a table; None for other formats.
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
