"""Build the packages of a release: `python -m release FOLDER [PACKAGE...]`; by default all."""

from __future__ import annotations

import hashlib
import shutil
import sys
from pathlib import Path

from release.packages import PACKAGES

_SUMS = "SHA256SUMS"


def main(arguments: list[str]) -> int:
    """Build the packages into an empty folder, with their checksums; 64 for wrong usage."""
    if not arguments or not PACKAGES.keys() >= set(arguments[1:]):
        print(f"usage: python -m release FOLDER [{' | '.join(PACKAGES)}]...", file=sys.stderr)
        return 64
    folder = Path(arguments[0]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in arguments[1:] or PACKAGES:
        PACKAGES[name](folder)
    (folder / _SUMS).write_text("".join(map(_line, sorted(folder.glob("tailc*")))))
    return 0


def _line(path: Path) -> str:
    """A line as `sha256sum --check` reads it."""
    return f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
