"""Every second worker of pytest-xdist imports modules of tests from the last to the first.

In a fresh clone each module is compiled, and its assertions are rewritten, by whoever imports it
first, and kept for the others: workers that go the same way would do all of it twice.
"""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]


def import_from_the_end(arguments: Iterable[str]) -> None:
    """Import what is about to be collected, if this is such a worker."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    if int(worker.removeprefix("gw")) % 2:
        for path in sorted(_modules(arguments), reverse=True):
            # What cannot be imported, or is skipped, is told when it is collected.
            with contextlib.suppress(BaseException):
                importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


def _modules(arguments: Iterable[str]) -> Iterator[Path]:
    for argument in arguments:
        place = (ROOT / argument.partition("::")[0]).resolve()
        yield from place.rglob("test_*.py") if place.is_dir() else [place]
