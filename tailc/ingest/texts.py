"""Read inputs as text within limits."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tailc.errors import Code
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source

# The reports of load generators are a few kilobytes; what a compressed one may become.
MAX_REPORT_BYTES = 1 << 24
_DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class TextLine:
    """A line of an input, without its end; `number` counts from 1."""

    number: int
    text: str


def report(source: Source, most: int = MAX_REPORT_BYTES) -> bytes:
    """Read the decompressed bytes of a text report (such as a tool's output) within a limit.

    Raises TailcError if it is too long.
    """
    with source.plain() as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        message = f"`{source.name}` is longer than {most:,} bytes, the limit for a report"
        hint = "give only the report of the load generator"
        raise source.fault(Code.TRACE_TOO_LARGE, message, advice=hint)
    return data


def lines_of(source: Source) -> list[TextLine]:
    """Read the lines of a text report, such as a tool's output."""
    texts = report(source).decode("utf-8", errors="replace").splitlines()
    return [TextLine(number, text) for number, text in enumerate(texts, 1)]


def stated_unit(source: Source, unit: TimeUnit | None) -> TimeUnit:
    """Return the unit of times that the user states; TailcError if there is none."""
    if unit is None:
        message = f"`{source.name}` does not say the unit of its times"
        hint = "give it with `--unit ns`, `us`, `ms` or `s`"
        raise source.fault(Code.MISSING_UNIT, message, advice=hint)
    return unit


@lru_cache(maxsize=1)
def first_object(head: bytes) -> dict[str, Any]:
    """Parse the JSON object at the beginning of a text; empty if there is no complete one."""
    if not head.lstrip().startswith(b"{"):
        return {}
    try:
        return _DECODER.raw_decode(head.decode("utf-8", "replace").lstrip())[0]
    except (ValueError, RecursionError):
        return {}
