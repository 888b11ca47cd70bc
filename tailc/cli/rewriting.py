"""Files that a command writes anew: what changes in them, as a list, a diff or the files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


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
    """Replace each file as a whole: the one a link leads to, with the rights that it had."""
    from tailc.atomic_files import replace_files

    for file in files:
        place = Path(file.path).resolve()
        replace_files([(place, file.after.encode())], place.stat().st_mode & 0o777)
