"""Build the packages of a release: `python -m release FOLDER [PACKAGE...]`; by default all."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from release.packages import PACKAGES

_SUMS = "SHA256SUMS"


def main(arguments: list[str]) -> int:
    """Build the packages into a folder, with their checksums; 64 for wrong usage.

    What an earlier build left there is removed. A folder with any other file is refused.
    """
    if not arguments or not PACKAGES.keys() >= set(arguments[1:]):
        print(f"usage: python -m release FOLDER [{' | '.join(PACKAGES)}]...", file=sys.stderr)
        return 64
    folder = Path(arguments[0]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    earlier = list(folder.iterdir())
    if others := [path.name for path in earlier if not _is_of_a_release(path)]:
        print(
            f"release: {folder} has `{min(others)}`, which is no file of a release: "
            "name an empty folder",
            file=sys.stderr,
        )
        return 64
    for path in earlier:
        path.unlink()
    for name in arguments[1:] or PACKAGES:
        PACKAGES[name](folder)
    (folder / _SUMS).write_text("".join(map(_line, sorted(folder.glob("tailc*")))))
    return 0


def _is_of_a_release(path: Path) -> bool:
    return path.is_file() and (path.name == _SUMS or path.name.startswith("tailc"))


def _line(path: Path) -> str:
    """A line as `sha256sum --check` reads it."""
    return f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
