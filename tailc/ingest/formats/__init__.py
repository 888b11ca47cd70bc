"""The formats that are known, one a file, found by a scan: adding one touches nothing else."""

from __future__ import annotations

import importlib
import pkgutil

from tailc.ingest.format import Format


def find_formats() -> tuple[Format, ...]:
    """Every format, those that only their own files look like first, else in order of name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    found = [
        format_
        for name in names
        for format_ in importlib.import_module(f"{__name__}.{name}").FORMATS
    ]
    return tuple(sorted(found, key=lambda format_: format_.loose))
