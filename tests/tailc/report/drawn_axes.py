"""What a picture's axes hold, for tests that look at drawn numbers."""

from __future__ import annotations

from matplotlib.figure import Figure


def axes_of(draw, *arguments):
    """The axes that `draw` fills a figure with."""
    figure = Figure(figsize=(9, 5), layout="constrained")
    draw(figure, *arguments)
    return figure.axes


def steps_of(axes):
    """Stairs by label: (values, edges, baseline)."""
    return {patch.get_label(): patch.get_data() for patch in axes.patches}


def ticks_at(axes):
    """Ends of vertical ticks by label and place."""
    return {
        lines.get_label(): {
            float(segment[0][0]): float(segment[1][1]) for segment in lines.get_segments()
        }
        for lines in axes.collections
    }
