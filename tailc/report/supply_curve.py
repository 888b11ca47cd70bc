"""Picture of the supply curve of a server: least power and marginal power by batch work."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from tailc.report.drawing import PictureFormat, render_picture
from tailc.studies.colocation_sizing import Colocation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE_IN = (9.0, 3.8)


def picture(sized: Colocation, kind: PictureFormat) -> bytes:
    """Render least power (left), and marginal power here and on a dedicated server (right)."""

    def draw(figure: Figure) -> None:
        power, marginal = figure.subplots(1, 2, sharex=True)
        _draw_power(power, sized)
        _draw_marginal(marginal, sized)
        for axes in (power, marginal):
            axes.axvline(sized.corners[sized.knee].work, color="0.6", linestyle=":", label="knee")
            axes.set_xlabel("batch work of the server [dedicated servers]")
            axes.legend()

    return render_picture(draw, _SIZE_IN, kind)


def _draw_power(axes: Axes, sized: Colocation) -> None:
    work = [corner.work for corner in sized.corners]
    axes.plot(work, [corner.power_w for corner in sized.corners], marker="o", label="least power")
    best = sized.efficient
    axes.plot([best.work], [best.power_w], marker="s", linestyle="", label="most work per joule")
    axes.set_ylabel("power of the server [W]")


def _draw_marginal(axes: Axes, sized: Colocation) -> None:
    corners = sized.corners
    slopes = [
        (high.power_w - low.power_w) / (high.work - low.work)
        for low, high in itertools.pairwise(corners)
    ]
    if slopes:
        axes.stairs(slopes, [corner.work for corner in corners], label="beside requests")
    axes.axhline(sized.dedicated.power_w, color="C1", label="dedicated")
    axes.set_ylabel("power of a further unit [W]")
