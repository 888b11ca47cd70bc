"""Files that a command writes anew: what changes in them, as a list, a diff or the files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tailc.errors import Code, Finding, Place, TailcError

# In the mode of a file.
_ANY_WRITE = 0o222


@dataclass(frozen=True)
class Rewritten:
    """The text of a file before and after; `path` as the user named it."""

    path: str
    before: str
    after: str

    @property
    def is_changed(self) -> bool:
        """Whether the file would have other bytes, ends of lines and a byte order mark included."""
        if self.path == "-":
            return self.before != self.after
        return Path(self.path).read_bytes() != self.after.encode()

    @property
    def diff(self) -> str:
        """A unified diff of the texts; empty where only ends of lines differ."""
        import difflib

        before, after = (text.splitlines(keepends=True) for text in (self.before, self.after))
        lines = difflib.unified_diff(before, after, self.path, self.path)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    @property
    def first_line(self) -> int:
        """The first line, from 1, that is another one after; else the last."""
        pairs = zip(self.before.split("\n"), self.after.split("\n"), strict=False)
        others = (number for number, (before, after) in enumerate(pairs, 1) if before != after)
        return next(others, self.before.count("\n") + 1)


def write(files: Sequence[Rewritten]) -> None:
    """Replace each file as a whole: the one a link leads to, with the rights that it had.

    Raises TailcError for one that its owner has kept from being written, before any is.
    """
    for file in files:
        _check_writable(file.path)
    for file in files:
        replace_in_place(Path(file.path), file.after.encode())


def replace_in_place(path: Path, content: bytes) -> None:
    """Replace the file that the path leads to, by links too, with the rights that it has."""
    from tailc.atomic_files import replace_files

    _check_writable(str(path))
    place = path.resolve()
    replace_files([(place, content)], place.stat().st_mode & 0o777)


def _check_writable(path: str) -> None:
    """By its rights, which say nothing to root, nor to a folder in which files are replaced."""
    if not Path(path).stat().st_mode & _ANY_WRITE:
        message = f"cannot write `{path}`: it is read-only"
        hint = f"make it writable first: `chmod u+w {path}`"
        raise TailcError(Finding(Code.CANNOT_WRITE, message, Place(path), hint))
