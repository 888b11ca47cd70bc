"""Archives of tracked files, with the same bytes for the same files."""

from __future__ import annotations

import gzip
import io
import subprocess
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

# The first second that a zip archive can state.
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
_READABLE = 0o644


def write_tar(path: Path, folder: Path, top: str, parts: Sequence[str]) -> None:
    """Write the tracked files of `parts` of `folder` below `top` into a `.tar.gz`."""
    write_tar_of(path, top, _tracked(folder, parts))


def write_tar_of(path: Path, top: str, files: Iterable[tuple[str, bytes]]) -> None:
    """Write files, each a name and its content, below `top` into a `.tar.gz`."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in files:
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mode = len(data), _READABLE
            archive.addfile(entry, io.BytesIO(data))
    path.write_bytes(gzip.compress(packed.getvalue(), mtime=0))


def write_zip(path: Path, folder: Path, top: str) -> None:
    """Write all tracked files of `folder` below `top` into a `.zip`."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in _tracked(folder, ["."]):
            entry = zipfile.ZipInfo(f"{top}/{name}", _ZIP_TIME)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, _READABLE << 16
            archive.writestr(entry, data)


def _tracked(folder: Path, parts: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file that git tracks, in order of name."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *parts], cwd=folder, check=True, capture_output=True
    )
    for name in sorted(listed.stdout.decode().split("\0")):
        if name:
            yield name, (folder / name).read_bytes()
