"""Render matplotlib pictures to bytes that depend on the content alone.

Files contain no date and no version, user settings are ignored, and SVG ids have a fixed salt.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tailc.report.plotting import needing_plots

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PictureFormat: TypeAlias = Literal["svg", "png"]
_SALT, _DPI = "tailc", 110


def render_picture(
    draw: Callable[[Figure], None], size_in: tuple[float, float], kind: PictureFormat
) -> bytes:
    """Render a figure to the bytes of an SVG or PNG file.

    draw: adds the content to the empty figure. size_in: width and height in inches.
    """
    with needing_plots():
        import matplotlib
        from matplotlib.figure import Figure

    # A user's own settings would change the bytes.
    settings: Any = {**matplotlib.rcParamsDefault, "svg.hashsalt": _SALT, "font.size": 9.0}
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=size_in, dpi=_DPI, layout="constrained")
        draw(figure)
        buffer = io.BytesIO()
        # Without these keys an SVG contains a date, and a PNG a version.
        nothing = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
        figure.savefig(buffer, format=kind, metadata=nothing)
    return buffer.getvalue()
