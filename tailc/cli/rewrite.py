"""Files that a command rewrites: list of changes, diff, or the files themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tailc.errors import Code, Finding, Place, TailcError

# Write permissions in the mode of a file.
_ANY_WRITE = 0o222


@dataclass(frozen=True)
class Rewritten:
    """The text of a file before and after a command rewrites it; `path` as given by the user."""

    path: str
    before: str
    after: str

    @property
    def is_changed(self) -> bool:
        """Whether the bytes of the file would change, including line ends and byte order mark."""
        if self.path == "-":
            return self.before != self.after
        return Path(self.path).read_bytes() != self.after.encode()

    @property
    def diff(self) -> str:
        """Unified diff of the file's old and new text; empty if only line ends differ."""
        import difflib

        before, after = (text.splitlines(keepends=True) for text in (self.before, self.after))
        lines = difflib.unified_diff(before, after, self.path, self.path)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    @property
    def first_line(self) -> int:
        """First line, from 1, that changes; the last line if only line ends change."""
        pairs = zip(self.before.split("\n"), self.after.split("\n"), strict=False)
        others = (number for number, (before, after) in enumerate(pairs, 1) if before != after)
        return next(others, self.before.count("\n") + 1)


def replace_all(files: Sequence[Rewritten]) -> None:
    """Replace all files atomically, through links and with their permissions.

    Raises TailcError if a file is read-only, before any is written.
    """
    for file in files:
        _check_writable(file.path)
    for file in files:
        replace_in_place(Path(file.path), file.after.encode())


def replace_in_place(path: Path, content: bytes) -> None:
    """Replace the file at the path atomically, through links and with its permissions."""
    from tailc.atomic_files import replace_files

    _check_writable(str(path))
    place = path.resolve()
    replace_files([(place, content)], place.stat().st_mode & 0o777)


def _check_writable(path: str) -> None:
    """Refuse a read-only file.

    Permissions are checked because root could write the file nevertheless.
    """
    if not Path(path).stat().st_mode & _ANY_WRITE:
        message = f"cannot write `{path}`: it is read-only"
        hint = f"make it writable first: `chmod u+w {path}`"
        raise TailcError(Finding(Code.CANNOT_WRITE, message, Place(path), hint))
