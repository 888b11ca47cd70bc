"""Files that a spec names: where they are, and who asked for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tailc.errors import Finding, TailcError
from tailc.specs.load import LoadedSpec


def path_of(file: str, folder: Path | None) -> str:
    """The path of a file named by a spec in `folder`; None: relative to where the process runs."""
    return file if folder is None else str(folder / file)


@contextmanager
def asked_for(loaded: LoadedSpec, *path: str) -> Iterator[None]:
    """Adds to findings about a file on which line of the spec it is named."""
    try:
        yield
    except TailcError as error:
        place = loaded.place(*path)
        seen = f"named on line {place.line} of {place.source}"
        raise TailcError([_with_help(finding, seen) for finding in error.findings]) from None


def _with_help(finding: Finding, seen: str) -> Finding:
    return replace(finding, help=f"{finding.help}; {seen}" if finding.help else seen)
