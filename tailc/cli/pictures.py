"""Checks of options that name picture files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import click


def picture_format(picture_file: str | None) -> Literal["svg", "png"] | None:
    """Format of a picture file by its ending; a usage error for others, None without a file."""
    if picture_file is None:
        return None
    suffix = Path(picture_file).suffix.lower().removeprefix(".")
    if suffix == "svg" or suffix == "png":  # noqa: PLR1714 - so that a checker sees the literal
        return suffix
    from tailc.units import shorten

    raise click.BadParameter(f"`{shorten(picture_file)}` ends in neither `.svg` nor `.png`")


def check_distinct_files(files: Mapping[str, str | None]) -> None:
    """Usage error if two options name the same file; None: the option is not given."""
    options: dict[Path, str] = {}
    for option, file in files.items():
        if file is not None:
            first = options.setdefault(Path(file).resolve(), option)
            if first != option:
                raise click.UsageError(f"{first} and {option} name the same file")
