"""The formats that are known, one a file, found by a scan: adding one touches nothing else."""

from __future__ import annotations

import importlib
import pkgutil

from tailc.ingest.format import Format
from tailc.traces.source import Source


def find_formats() -> tuple[Format, ...]:
    """Every format, those that only their own files look like first, else in order of name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    found = [
        format_
        for name in names
        for format_ in importlib.import_module(f"{__name__}.{name}").FORMATS
    ]
    return tuple(sorted(found, key=lambda format_: format_.loose))


def format_written(source: Source) -> Format | None:
    """What a load generator or a tracing system wrote, by how it begins; None for anything else."""
    head = source.head()
    return next((each for each in find_formats() if each.matches(head)), None)
