"""Import guard for matplotlib, which may be missing or broken."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

LIBRARY = "matplotlib"


@contextmanager
def needing_plots() -> Iterator[None]:
    """Context for imports of matplotlib: every ImportError in it names matplotlib."""
    try:
        yield
    except ImportError as error:
        raise ImportError(str(error), name=LIBRARY) from error
