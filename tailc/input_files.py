"""The one way this project opens what it reads: files and pipes, and nothing that never ends."""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from pathlib import Path

_STANDARD_INPUT = 0
_NO_FILES = (stat.S_ISCHR, stat.S_ISBLK, stat.S_ISSOCK)


def open_input(path: Path | str) -> BufferedReader:
    """The file or pipe at the path; OSError where it cannot be opened, or is no file."""
    try:
        found = Path(path).stat()
    except ValueError:  # a null character
        raise OSError(None, "not a path", str(path)) from None
    _refuse_device(found, str(path))
    return Path(path).open("rb")


def refuse_device_as_standard_input() -> None:
    """Raise OSError where standard input is a device that is no terminal."""
    found = os.fstat(_STANDARD_INPUT)
    if not (stat.S_ISSOCK(found.st_mode) or os.isatty(_STANDARD_INPUT)):
        _refuse_device(found, "<stdin>")


def _refuse_device(found: os.stat_result, name: str) -> None:
    is_no_file = any(is_kind(found.st_mode) for is_kind in _NO_FILES)
    # The null device is an empty file.
    if is_no_file and found.st_rdev != Path(os.devnull).stat().st_rdev:
        raise OSError(None, "it is a device or a socket, not a file", name)
