"""Pictures of the supply curve of a server: least power and marginal power by batch work."""

from __future__ import annotations

import itertools

from tailc.report.pictures.axis import linear
from tailc.report.pictures.figure import Figure
from tailc.report.pictures.plot import LegendEntry, Plot
from tailc.studies.colocation_sizing import Colocation

_WORK = "batch work of the server [dedicated servers]"
_ROOM = 1.08


def supply_figures(sized: Colocation) -> list[Figure]:
    """Draw the least power of a server by amount of batch work, and the power of one unit more."""
    return [_power_figure(sized), _marginal_figure(sized)]


def _power_figure(sized: Colocation) -> Figure:
    points = [(corner.work, corner.power_w) for corner in sized.corners]
    best = sized.efficient
    plot = Plot(
        linear(_WORK, 0.0, max(work for work, _ in points) * _ROOM),
        linear("power of the server [W]", 0.0, max(power for _, power in points) * _ROOM),
        (LegendEntry("least power", "t0"), LegendEntry("most work per joule", "t1", "dot")),
    )
    marks = [_knee(plot, sized), plot.line(points, "t0")]
    marks += [plot.dot(point, "t0", f"{point[0]:.3f}: {point[1]:.1f} W") for point in points]
    tooltip = f"most work per joule: {best.work:.3f} with {best.power_w:.1f} W"
    marks += [plot.dot((best.work, best.power_w), "t1", tooltip)]
    caption = "Least power of the server by the batch work that it does while it serves requests."
    return plot.figure("supply-power", "Power of the server", caption, (), marks)


def _marginal_figure(sized: Colocation) -> Figure:
    slopes_w = [
        (low, high, (high.power_w - low.power_w) / (high.work - low.work))
        for low, high in itertools.pairwise(sized.corners)
    ]
    steps = [(corner.work, slope) for low, high, slope in slopes_w for corner in (low, high)]
    top = max([sized.dedicated.power_w, *(slope for _, slope in steps)])
    plot = Plot(
        linear(_WORK, 0.0, max(corner.work for corner in sized.corners) * _ROOM),
        linear("power of a further unit [W]", 0.0, top * _ROOM),
        (LegendEntry("on this server", "t0"),) * bool(steps),
    )
    marks = [_knee(plot, sized), *([plot.line(steps, "t0")] if steps else [])]
    marks.append(plot.level(sized.dedicated.power_w, "a dedicated server"))
    caption = "Power of a further unit of batch work, on this server and on a dedicated server."
    return plot.figure("supply-marginal", "Power of a further unit", caption, (), marks)


def _knee(plot: Plot, sized: Colocation) -> str:
    return plot.upright(sized.corners[sized.knee].work, "knee")
