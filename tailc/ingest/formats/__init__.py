"""The known formats, one per file, found by a scan; adding one changes no other file."""

from __future__ import annotations

import importlib
import pkgutil
from itertools import accumulate
from typing import TYPE_CHECKING

from tailc.traces.source import PARQUET_MAGIC, Source

if TYPE_CHECKING:
    from tailc.ingest.format import Format


# Of the lines above an output: what a shell or a program printed before.
_MOST_LINES, _MOST_BYTES = 20, 1 << 16


def find_formats() -> tuple[Format, ...]:
    """All input formats that `tailc ingest` reads: unambiguous ones first, then by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    found = [
        format_
        for name in names
        for format_ in importlib.import_module(f"{__name__}.{name}").FORMATS
    ]
    return tuple(sorted(found, key=lambda format_: format_.loose))


def format_written(source: Source) -> Format | None:
    """Recognise the format of a load generator or tracing system; None for other inputs.

    None of them writes Parquet.
    """
    head = source.head()
    return None if head.startswith(PARQUET_MAGIC) else _format_of(head)


def line_of_format(source: Source) -> tuple[int, Format] | None:
    """Find the first line, below others, from which on a text is in a known format.

    Returns its number and the format; None if there is no such line near the beginning.
    """
    lines = source.head()[:_MOST_BYTES].splitlines(keepends=True)
    begins = accumulate(map(len, lines[:_MOST_LINES]))
    rests = (b"".join(lines)[at:] for at in begins)
    # A blank line is how protobuf may begin.
    numbered = ((at, rest) for at, rest in enumerate(rests, 2) if rest[:1] not in b"\r\n")
    found = ((number, _format_of(rest)) for number, rest in numbered)
    return next(((number, format_) for number, format_ in found if format_ is not None), None)


def _format_of(head: bytes) -> Format | None:
    return next((each for each in find_formats() if each.matches(head)), None)
