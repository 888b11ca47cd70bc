"""The known formats, one per file, found by a scan; adding one changes no other file."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

from tailc.traces.source import PARQUET_MAGIC, Source

if TYPE_CHECKING:
    from tailc.ingest.format import Format


def find_formats() -> tuple[Format, ...]:
    """All formats: unambiguous ones first, then by name."""
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
    if head.startswith(PARQUET_MAGIC):
        return None
    return next((each for each in find_formats() if each.matches(head)), None)
