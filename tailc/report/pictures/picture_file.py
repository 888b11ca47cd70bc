"""Files with pictures: SVG as on a page, or PNG that is rendered from it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from markupsafe import Markup

from tailc.errors import Code, Finding, TailcError
from tailc.report.pictures.figure import Figure, Picture
from tailc.report.pictures.plot import WIDTH
from tailc.report.pictures.styles import file_style
from tailc.report.pictures.svg import element

_MARGIN, _HEADING = 12.0, 26.0
# Of captions: height of a line, distance from the left edge, and characters that fit in a line.
_LINE, _INDENT, _CHARACTERS = 16.0, 20.0, 100
# Pixels of a PNG per unit of the SVG.
_ZOOM = 2


def picture_bytes(
    path: Path, figures: Sequence[Figure], heading: str = "", columns: int = 1
) -> bytes:
    """Render figures as one picture for the file `path`: PNG if it ends in `.png`, else SVG.

    The same figures give the same bytes. Raises TailcError (MISSING_PART) if a library for PNG is
    not installed.
    """
    svg = picture_svg(figures, heading, columns)
    if path.suffix.lower() == ".png":
        return _png(svg)
    return svg.encode("utf-8", "backslashreplace")


def picture_svg(figures: Sequence[Figure], heading: str = "", columns: int = 1) -> str:
    """Arrange figures with titles and captions in columns, each below the shortest one so far.

    heading: title of the whole, or empty.
    """
    ends = [_MARGIN + _HEADING * bool(heading)] * columns
    parts = [_heading(heading, WIDTH * columns / 2)] if heading else []
    for figure in figures:
        if figure.picture is not None:
            column = ends.index(min(ends))
            marks, height = _panel(figure, figure.picture)
            place = f"translate({WIDTH * column:g} {ends[column]:g})"
            parts.append(element("g", *marks, transform=place))
            ends[column] += height + _MARGIN
    wide, tall = WIDTH * columns, max(ends)
    whole = element(
        "svg",
        element("style", Markup(file_style())),
        element("rect", class_="ground", width=wide, height=tall),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        width=wide,
        height=tall,
        viewBox=f"0 0 {wide:g} {tall:g}",
    )
    return f"{whole}\n"


def _panel(figure: Figure, picture: Picture) -> tuple[list[Markup], float]:
    """A picture below its title and above its caption, and the height of the three."""
    marks = [_heading(figure.title, WIDTH / 2)]
    marks.append(element("g", picture.svg, transform=f"translate(0 {_HEADING:g})"))
    down = _HEADING + picture.height
    for line in textwrap.wrap(figure.caption, _CHARACTERS):
        down += _LINE
        marks.append(element("text", line, class_="legend", x=_INDENT, y=down))
    return marks, down


def _heading(text: str, across: float) -> Markup:
    return element("text", text, class_="heading middle", x=across, y=_HEADING - 8)


def _png(svg: str) -> bytes:
    try:
        from resvg_py import svg_to_bytes

        fonts = files("font_lato") / "files"
    except ImportError as error:
        message = f"a picture in a PNG file needs `{error.name}`, which cannot be imported: {error}"
        help_ = "`pip install 'tailc[plot]'`, or name the file FILE.svg, which needs no library"
        raise TailcError(Finding(Code.MISSING_PART, message, help=help_)) from None
    # The fonts of the system would make a picture differ between machines.
    return svg_to_bytes(
        svg_string=svg,
        zoom=_ZOOM,
        skip_system_fonts=True,
        font_dirs=[str(fonts)],
        sans_serif_family="Lato",
    )
