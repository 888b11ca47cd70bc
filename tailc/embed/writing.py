"""Write a source file; an existing file is replaced only if this command wrote it."""

from __future__ import annotations

import os
from pathlib import Path

from tailc.atomic_files import replace_files
from tailc.embed.language import MARK
from tailc.errors import Code, Finding, Place, TailcError


def write_source(path: Path, text: str) -> None:
    """Write a source file atomically.

    Raises TailcError if it cannot be written, and if the file there was not written by tailc.
    """
    # A folder is refused below; a device, a pipe or a dangling link would be replaced.
    is_taken = os.path.lexists(path) and not path.is_dir()
    if is_taken and not (path.is_file() and _is_ours(path)):
        message = f"`{path}` exists, and `tailc embed` did not write it, so it is not replaced"
        help_ = "give another path, or remove it"
        raise TailcError(Finding(Code.CANNOT_WRITE, message, Place(str(path)), help_))
    replace_files([(path, text.encode())])


def _is_ours(path: Path) -> bool:
    """Whether the first line of the file is the mark."""
    try:
        with path.open("rb") as file:
            begins = file.read(len(MARK))
    except OSError as error:
        message = f"cannot write `{path}`: {error.strerror or error}"
        raise TailcError(Finding(Code.CANNOT_WRITE, message, Place(str(path)))) from error
    return begins in (b"", MARK.encode())
