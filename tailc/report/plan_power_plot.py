"""Picture of power over time, stacked by source, with demand, forecast, jobs and prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, Any

from tailc.forms.plan.ledger import MJ_PER_KWH, LedgerEntry
from tailc.report.drawing import PictureFormat, render_picture
from tailc.report.plan_power import MW_PER_KW, Floats, PowerSeries
from tailc.report.time_axis import set_time_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH_IN, _POWER_IN, _PANEL_IN, _AROUND_IN = 9.0, 3.4, 0.75, 1.2
# Number of legend entries per row.
_LEGEND_COLUMNS = 6
_UDOLLARS, _MG_PER_G = 1_000_000, 1_000
# The colours differ in lightness too, for print and for colour-blind readers.
_GREEN, _BROWN, _SPILLED = "#66c2a5", "#6b4a2b", "#d9f0e8"
_BATTERY, _BATTERY_INK = "#f0e442", "#b5a800"
_HATCH, _HATCH_BACK = "////", "\\\\\\\\"
_ALWAYS = ("green, used", "brown")
_DEMAND, _SUPPLY, _FORECAST = "black", "#00604a", "#0072b2"
_BEGUN, _REFUSED = "#0072b2", "#d55e00"


def picture(power: PowerSeries, kind: PictureFormat, zone: tzinfo = UTC) -> bytes:
    """Render the picture; the same data give the same bytes."""
    panels = len(_panels(power))
    size_in = (_WIDTH_IN, _POWER_IN + _AROUND_IN + panels * _PANEL_IN)
    return render_picture(lambda figure: draw(figure, power, zone), size_in, kind)


def draw(figure: Figure, power: PowerSeries, zone: tzinfo = UTC) -> None:
    """Draw power on top; below it jobs, and price and CO2 of brown energy where they vary."""
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
    """Add one legend of all axes above the first, in rows of about equal length."""
    collected = [axes.get_legend_handles_labels() for axes in every]
    handles = [handle for handles, _ in collected for handle in handles]
    labels = [label for _, labels in collected for label in labels]
    rows = -(-len(labels) // _LEGEND_COLUMNS)
    place: Any = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "frameon": False}
    above.legend(handles, labels, ncols=-(-len(labels) // rows), **place)


def _panels(power: PowerSeries) -> list[Any]:
    """Drawing function and values of each panel below the power."""
    collected: list[Any] = []
    if power.begun or power.refused:
        collected.append((_draw_jobs, None))
    if power.stored_mj is not None:
        collected.append((_draw_stored, [mj / MJ_PER_KWH for mj in power.stored_mj]))
    prices = [one.brown_udollars_per_kwh / _UDOLLARS for one in power.entries]
    carbon = [one.brown_mg_per_kwh / _MG_PER_G for one in power.entries]
    if len(set(prices)) > 1:
        collected.append((_draw_price, prices))
    if len(set(carbon)) > 1:
        collected.append((_draw_carbon, carbon))
    return collected


def _draw_sources(axes: Axes, power: PowerSeries) -> None:
    """Draw the stacked areas: sources up to the demand, then charging and spilled energy."""
    low_mj = [0] * len(power.entries)
    for label, energy_mj, how in _areas(power.entries):
        high_mj = [low + mj for low, mj in zip(low_mj, energy_mj, strict=True)]
        filled: Any = {"fill": True, "linewidth": 0, "label": label} | how
        axes.stairs(power.kw(high_mj), power.edges_s, baseline=power.kw(low_mj), **filled)
        low_mj = high_mj


def _areas(books: Sequence[LedgerEntry]) -> list[tuple[str, list[int], dict[str, str]]]:
    """Name, energy by interval and style of each area, lowest first.

    Areas without energy are omitted, unless they are always drawn.
    """
    discharging_style = {"facecolor": _BATTERY}
    charging_style = {"facecolor": "white", "edgecolor": _BATTERY_INK, "hatch": _HATCH_BACK}
    spilled = {"facecolor": _SPILLED, "edgecolor": _GREEN, "hatch": _HATCH}
    areas = [
        ("green, used", [one.green_used_mj for one in books], {"facecolor": _GREEN}),
        ("from a battery", [one.discharged_mj for one in books], discharging_style),
        ("brown", [one.brown_mj for one in books], {"facecolor": _BROWN}),
        ("into a battery", [one.charged_mj for one in books], charging_style),
        ("green, spilled", [one.spilled_mj for one in books], spilled),
    ]
    return [area for area in areas if any(area[1]) or area[0] in _ALWAYS]


def _draw_lines(axes: Axes, power: PowerSeries) -> None:
    entries = power.entries
    produced = power.kw([one.green_mj for one in entries])
    label = "green, expected" if power.is_expected else "green, produced"
    _line(axes, power, produced, color=_SUPPLY, linewidth=1.2, label=label)
    if power.forecast_mw is not None:
        forecast = [mw / MW_PER_KW for mw in power.forecast_mw]
        line_style: Any = {"linewidth": 1.4, "linestyle": "--", "path_effects": _rim()}
        _line(axes, power, forecast, color=_FORECAST, label="green, forecast", **line_style)
    demand = power.kw([one.demand_mj for one in entries])
    _line(axes, power, demand, color=_DEMAND, linewidth=1.6, label="demand")


def _rim() -> list[Any]:
    """White outline that makes a line visible on a dark area."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=3.0, foreground="white")]


def _line(axes: Axes, power: PowerSeries, values: Sequence[float] | Floats, **how: Any) -> None:
    axes.stairs(values, power.edges_s, baseline=None, **how)


def _draw_jobs(axes: Axes, power: PowerSeries, _: None) -> None:
    """Draw a tick per moment: begun jobs up, refused jobs down, as long as their number."""
    _tick(axes, power.begun, 1, color=_BEGUN, label="jobs begin")
    _tick(axes, power.refused, -1, color=_REFUSED, label="jobs refused")
    axes.axhline(0, color="0.4", linewidth=0.6)
    ends = {-max(power.refused.values(), default=0), 0, max(power.begun.values(), default=0)}
    axes.set_yticks(sorted(ends), [str(abs(end)) for end in sorted(ends)])
    axes.set_ylabel("jobs")


def _tick(axes: Axes, counts: Mapping[int, int], sign: int, **how: Any) -> None:
    if counts:
        ends = [sign * count for count in counts.values()]
        # The frame hides a tick at the start unless the tick is drawn above it.
        axes.vlines(list(counts), 0, ends, linewidth=1.4, clip_on=False, zorder=3, **how)


def _draw_stored(axes: Axes, power: PowerSeries, values: Sequence[float]) -> None:
    axes.plot(power.edges_s, values, color=_BATTERY_INK, linewidth=1.4)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("stored\n[kWh]")


def _draw_price(axes: Axes, power: PowerSeries, values: Sequence[float]) -> None:
    _line(axes, power, values, color=_BROWN, linewidth=1.2)
    axes.set_ylabel("brown\n[$/kWh]")


def _draw_carbon(axes: Axes, power: PowerSeries, values: Sequence[float]) -> None:
    _line(axes, power, values, color=_BROWN, linewidth=1.2)
    axes.set_ylabel("CO2\n[g/kWh]")
