"""Options that name a picture's file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import click


def picture_format(picture_file: str | None) -> Literal["svg", "png"] | None:
    """What a picture's file ends in; a usage error for anything else, None without a file."""
    if picture_file is None:
        return None
    suffix = Path(picture_file).suffix.lower().removeprefix(".")
    if suffix == "svg" or suffix == "png":  # noqa: PLR1714 - so that a checker sees the literal
        return suffix
    from tailc.units import shorten

    raise click.BadParameter(f"`{shorten(picture_file)}` ends in neither `.svg` nor `.png`")


def check_apart(files: Mapping[str, str | None]) -> None:
    """A usage error where two options name one file; None: that option is not given."""
    options: dict[Path, str] = {}
    for option, file in files.items():
        if file is not None:
            first = options.setdefault(Path(file).resolve(), option)
            if first != option:
                raise click.UsageError(f"{first} and {option} name the same file")
