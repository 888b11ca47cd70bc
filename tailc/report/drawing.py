"""Pictures with the same bytes for the same content.

No date, no version, no settings of the user's, and a fixed salt for the names that an SVG gives its
parts.
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


def drawn(
    draw: Callable[[Figure], None], size_in: tuple[float, float], kind: PictureFormat
) -> bytes:
    """The file of a picture that `draw` fills, as wide and high as that in inches."""
    with needing_plots():
        import matplotlib
        from matplotlib.figure import Figure

    # A user's own settings would change the bytes.
    settings: Any = {**matplotlib.rcParamsDefault, "svg.hashsalt": _SALT, "font.size": 9.0}
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=size_in, dpi=_DPI, layout="constrained")
        draw(figure)
        written = io.BytesIO()
        # Without these keys an SVG would have a date, and a PNG a version.
        nothing = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
        figure.savefig(written, format=kind, metadata=nothing)
    return written.getvalue()
