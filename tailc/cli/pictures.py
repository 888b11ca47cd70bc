"""Options that name a picture's file."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click


def picture_format(plot: str | None) -> Literal["svg", "png"] | None:
    """What a picture's file ends in; a usage error for anything else, None without a file."""
    if plot is None:
        return None
    suffix = Path(plot).suffix.lower().removeprefix(".")
    if suffix == "svg" or suffix == "png":  # noqa: PLR1714 - so that a checker sees the literal
        return suffix
    from tailc.units import shorten

    raise click.BadParameter(f"`{shorten(plot)}` ends in neither `.svg` nor `.png`")
