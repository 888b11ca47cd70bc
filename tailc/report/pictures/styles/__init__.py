"""Style sheets of pictures: colours in light and dark mode, and marks in these colours."""

from __future__ import annotations

import re
from importlib.resources import files

_COLOUR = re.compile(r"(--[\w-]+): ([^;]+);")
_USE = re.compile(r"var\((--[\w-]+)\)")


def page_style() -> str:
    """Style sheet of a page: light mode, dark mode and print."""
    return _part("light.css") + _part("dark.css") + _part("marks.css")


def file_style() -> str:
    """Style sheet of a picture in a file of its own: light mode, without variables.

    Many programs that show SVG cannot read variables.
    """
    colours = dict(_COLOUR.findall(_part("light.css")))
    return _USE.sub(lambda use: colours[use[1]], _part("marks.css"))


def _part(name: str) -> str:
    return (files(__name__) / name).read_text(encoding="utf-8")
