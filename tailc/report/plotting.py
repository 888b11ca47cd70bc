"""The library that draws, which may be missing, or there but broken."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

LIBRARY = "matplotlib"


@contextmanager
def needing_plots() -> Iterator[None]:
    """Import matplotlib in here: ImportError names it, whatever part of it cannot be loaded."""
    try:
        yield
    except ImportError as error:
        raise ImportError(str(error), name=LIBRARY) from error
