"""Build the packages of a release: `python -m release FOLDER [--key FILE] [PACKAGE...]`.

By default all packages are built. With a key, the checksums are signed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from release.packages import PACKAGES
from release.records import (
    SIGNATURE,
    SUMS,
    read_key,
    sha256_of,
    write_provenance,
    write_sbom,
    write_signature,
)

_USAGE = 64


def main(arguments: list[str]) -> int:
    """Build the packages into a folder, with their records; 64 for wrong usage.

    What an earlier build left there is removed. A folder with any other file is refused.
    """
    try:
        given = _parser().parse_intermixed_args(arguments)
    except SystemExit as ended:
        return _USAGE if ended.code else 0
    # A wrong key ends the release before the build, which takes minutes.
    key = None if given.key is None else read_key(Path(given.key))
    folder = Path(given.folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    earlier = list(folder.iterdir())
    if others := [path.name for path in earlier if not _is_of_a_release(path)]:
        print(
            f"release: {folder} has `{min(others)}`, which is no file of a release: "
            "name an empty folder",
            file=sys.stderr,
        )
        return _USAGE
    for path in earlier:
        path.unlink()
    for name in given.packages or PACKAGES:
        PACKAGES[name](folder)
    write_sbom(folder)
    write_provenance(folder, given.packages or list(PACKAGES))
    (folder / SUMS).write_text("".join(map(_line, sorted(folder.glob("tailc*")))))
    if key is not None:
        write_signature(folder, key)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="release", description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--key", help="sign the checksums with this Ed25519 key (PEM)")
    # `choices` would refuse an empty list.
    parser.add_argument("packages", nargs="*", type=_package, metavar="PACKAGE")
    return parser


def _package(name: str) -> str:
    if name not in PACKAGES:
        raise argparse.ArgumentTypeError(f"`{name}` is none of {', '.join(PACKAGES)}")
    return name


def _is_of_a_release(path: Path) -> bool:
    return path.is_file() and (path.name in (SUMS, SIGNATURE) or path.name.startswith("tailc"))


def _line(path: Path) -> str:
    """A line as `sha256sum --check` reads it."""
    return f"{sha256_of(path)}  {path.name}\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
