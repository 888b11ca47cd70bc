"""Files that a spec names: their paths, and the spec's line in findings about them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tailc.errors import Finding, TailcError
from tailc.specs.load import LoadedSpec


def path_of(file: str, folder: Path | None) -> str:
    """The path of a file that a spec in `folder` names; None: the working directory."""
    return file if folder is None else str(folder / file)


@contextmanager
def asked_for(loaded: LoadedSpec, *path: str) -> Iterator[None]:
    """Context that adds to each finding raised in it the line of the spec that names the file.

    path: keys of the spec to the name of the file.
    """
    try:
        yield
    except TailcError as error:
        place = loaded.place(*path)
        seen = f"named on line {place.line} of {place.source}"
        raise TailcError([_with_help(finding, seen) for finding in error.findings]) from None


def _with_help(finding: Finding, seen: str) -> Finding:
    return replace(finding, help=f"{finding.help}; {seen}" if finding.help else seen)
