"""Options that name picture files, and their contents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tailc.report.pictures.figure import Figure

_SUFFIXES = (".svg", ".png")


class PictureType(click.ParamType):
    """Option type: the file of a picture, `.svg` or `.png`."""

    name = "picture"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        """Check that the file ends in `.svg` or `.png`; else a usage error."""
        path = Path(str(value))
        if path.suffix.lower() not in _SUFFIXES:
            from tailc.units import shorten

            self.fail(f"`{shorten(str(value))}` ends in neither `.svg` nor `.png`", param, ctx)
        return path


PICTURE = PictureType()


def picture_contents(
    path: Path | None, draw: Callable[[], Sequence[Figure]], heading: str = "", columns: int = 1
) -> list[tuple[Path, bytes]]:
    """Draw figures into the content of an SVG or PNG file.

    Returns the path with the content, or an empty list if no path is given.
    """
    if path is None:
        return []
    from tailc.report.pictures.picture_file import picture_bytes

    return [(path, picture_bytes(path, draw(), heading, columns))]


def write_files(contents: Sequence[tuple[Path, bytes]]) -> list[str]:
    """Write the files, all or none, and return their paths.

    contents: path and bytes of each file.
    """
    from tailc.atomic_files import replace_files

    replace_files(contents)
    return [str(path) for path, _ in contents]


def check_distinct_files(files: Mapping[str, str | Path | None]) -> None:
    """Raise a usage error if two options name the same file; None: the option is not given."""
    options: dict[Path, str] = {}
    for option, file in files.items():
        if file is not None:
            first = options.setdefault(Path(file).resolve(), option)
            if first != option:
                raise click.UsageError(f"{first} and {option} name the same file")
