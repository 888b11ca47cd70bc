"""Power over time, stacked by source, with demand, supply, forecast, jobs and prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, Any

from tailc.report.drawing import PictureFormat, drawn
from tailc.report.plan_power import Floats, Power
from tailc.report.time_axis import set_time_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH_IN, _POWER_IN, _PANEL_IN, _AROUND_IN = 9.0, 3.4, 0.75, 1.2
# So many entries of a legend fit beside one another.
_LEGEND_COLUMNS = 6
_UDOLLARS, _MG_PER_G = 1_000_000, 1_000
# Told apart by lightness too: in print, and by people who do not see red or green.
_GREEN, _BROWN, _SPILLED = "#66c2a5", "#6b4a2b", "#d9f0e8"
_DEMAND, _SUPPLY, _FORECAST = "black", "#00604a", "#0072b2"
_BEGUN, _REFUSED = "#0072b2", "#d55e00"


def picture(power: Power, kind: PictureFormat, zone: tzinfo = UTC) -> bytes:
    """The file of the picture; the same bytes for the same books."""
    panels = len(_panels(power))
    size_in = (_WIDTH_IN, _POWER_IN + _AROUND_IN + panels * _PANEL_IN)
    return drawn(lambda figure: draw(figure, power, zone), size_in, kind)


def draw(figure: Figure, power: Power, zone: tzinfo = UTC) -> None:
    """Power on top; below it jobs, and the price and CO2 of brown energy, where they vary."""
    panels = _panels(power)
    heights = [_POWER_IN, *(_PANEL_IN for _ in panels)]
    on_top, *below = figure.subplots(
        len(heights), 1, sharex=True, squeeze=False, height_ratios=heights
    )[:, 0]
    _draw_sources(on_top, power)
    _draw_lines(on_top, power)
    for axes, (draw_panel, values) in zip(below, panels, strict=True):
        draw_panel(axes, power, values)
    on_top.set_ylabel("power [kW]")
    on_top.set_ylim(bottom=0)
    on_top.yaxis.set_major_formatter("{x:,g}")
    _add_legend(on_top, figure.axes)
    set_time_axis(below[-1] if below else on_top, power.start_unix_s, power.length_s, zone)
    figure.align_ylabels()


def _add_legend(above: Axes, every: Sequence[Axes]) -> None:
    """What all axes have drawn, told above the first, in rows of about as many."""
    found = [axes.get_legend_handles_labels() for axes in every]
    handles = [handle for handles, _ in found for handle in handles]
    labels = [label for _, labels in found for label in labels]
    rows = -(-len(labels) // _LEGEND_COLUMNS)
    place: Any = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "frameon": False}
    above.legend(handles, labels, ncols=-(-len(labels) // rows), **place)


def _panels(power: Power) -> list[Any]:
    """How to draw each panel below, and its values."""
    found: list[Any] = []
    if power.begun or power.refused:
        found.append((_draw_jobs, None))
    prices = [one.brown_udollars_per_kwh / _UDOLLARS for one in power.entries]
    carbon = [one.brown_mg_per_kwh / _MG_PER_G for one in power.entries]
    if len(set(prices)) > 1:
        found.append((_draw_price, prices))
    if len(set(carbon)) > 1:
        found.append((_draw_carbon, carbon))
    return found


def _draw_sources(axes: Axes, power: Power) -> None:
    """Areas on one another; the last that is drawn from ends at the demand."""
    of = power.entries
    base = power.kw([0] * len(of))
    met = power.kw([one.green_used_mj for one in of])
    demand = power.kw([one.demand_mj for one in of])
    full = power.kw([one.demand_mj + one.spilled_mj for one in of])
    _fill(axes, power, base, met, facecolor=_GREEN, label="green, used")
    _fill(axes, power, met, demand, facecolor=_BROWN, label="brown")
    if (full > demand).any():
        spilled: Any = {"facecolor": _SPILLED, "edgecolor": _GREEN, "hatch": "////"}
        _fill(axes, power, demand, full, label="green, spilled", **spilled)


def _fill(axes: Axes, power: Power, low: Floats, high: Floats, **how: Any) -> None:
    axes.stairs(high, power.edges_s, baseline=low, fill=True, linewidth=0, **how)


def _draw_lines(axes: Axes, power: Power) -> None:
    of = power.entries
    produced = power.kw([one.green_mj for one in of])
    label = "green, expected" if power.is_expected else "green, produced"
    _line(axes, power, produced, color=_SUPPLY, linewidth=1.2, label=label)
    if power.forecast_mw is not None:
        lengths_s = [b - a for a, b in zip(power.edges_s[:-1], power.edges_s[1:], strict=True)]
        pairs = zip(power.forecast_mw, lengths_s, strict=True)
        forecast = power.kw([mw * length_s for mw, length_s in pairs])
        _line(axes, power, forecast, color=_FORECAST, linestyle="--", label="green, forecast")
    demand = power.kw([one.demand_mj for one in of])
    _line(axes, power, demand, color=_DEMAND, linewidth=1.6, label="demand")


def _line(axes: Axes, power: Power, values: Sequence[float] | Floats, **how: Any) -> None:
    axes.stairs(values, power.edges_s, baseline=None, **how)


def _draw_jobs(axes: Axes, power: Power, _: None) -> None:
    """A tick at each moment, as long as it has jobs: begun ones above, refused below."""
    _tick(axes, power.begun, 1, color=_BEGUN, label="jobs begin")
    _tick(axes, power.refused, -1, color=_REFUSED, label="jobs refused")
    axes.axhline(0, color="0.4", linewidth=0.6)
    ends = {-max(power.refused.values(), default=0), 0, max(power.begun.values(), default=0)}
    axes.set_yticks(sorted(ends), [str(abs(end)) for end in sorted(ends)])
    axes.set_ylabel("jobs")


def _tick(axes: Axes, counts: Mapping[int, int], sign: int, **how: Any) -> None:
    if counts:
        ends = [sign * count for count in counts.values()]
        # A tick at the start is on the frame, and seen if it is above it.
        axes.vlines(list(counts), 0, ends, linewidth=1.4, clip_on=False, zorder=3, **how)


def _draw_price(axes: Axes, power: Power, values: Sequence[float]) -> None:
    _line(axes, power, values, color=_BROWN, linewidth=1.2)
    axes.set_ylabel("brown\n[$/kWh]")


def _draw_carbon(axes: Axes, power: Power, values: Sequence[float]) -> None:
    _line(axes, power, values, color=_BROWN, linewidth=1.2)
    axes.set_ylabel("CO2\n[g/kWh]")
