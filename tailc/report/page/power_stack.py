"""Pictures of a datacentre's power over time by source, and of price and CO2 of brown energy.

Each interval of a picture has the mean power of its time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from tailc.forms.plan.ledger import MJ_PER_KWH, LedgerEntry
from tailc.report.page.axis import linear
from tailc.report.page.content import Section
from tailc.report.page.figure import Figure, Numbers
from tailc.report.page.plot import LegendEntry as Legend
from tailc.report.page.plot import Plot
from tailc.report.page.time_axis import Floats, Intervals
from tailc.report.plan_power import MW_PER_KW, PowerSeries

_IDENT = "power"
_ROOM = 1.05
_SMALL = 230.0
_UDOLLARS, _MG_PER_G = 1_000_000, 1_000
_CAPTION = (
    "Mean power by source. Up to the demand, the solid line, servers draw green energy first, then "
    "a battery, then brown energy. Above it is green energy that a battery takes or that nothing "
    "takes; the dashed line is all green power."
)


class PowerLayer(NamedTuple):
    """An area or line of the picture: name, CSS class, and mean power by interval [kW]."""

    name: str
    tone: str
    power_kw: Floats


class SmallPicture(NamedTuple):
    """A small picture below the stack: one value per interval, with a unit."""

    ident: str
    title: str
    caption: str
    unit: str
    values: Sequence[float]


def power_section(power: PowerSeries, figures: Sequence[Figure] = ()) -> Section:
    """Build the section: the stack, `figures`, and price, CO2 and charge where they vary."""
    times = Intervals(power.start_unix_s, power.edges_s)
    expected = "As the plan expects it." if power.is_expected else "As it came in the replay."
    beside = [_small_figure(times, one) for one in _small_pictures(power)]
    return Section(_IDENT, "Power", (_stack(power, times), *figures, *beside), expected)


def _stack(power: PowerSeries, times: Intervals) -> Figure:
    layers = _layers(power, times)
    demand, green, *forecast = _lines(power, times)
    title = "Power by source over time"
    top = max(float(np.max(sum(one.power_kw for one in layers))), float(max(green.power_kw)))
    top = max([top, *(float(max(one.power_kw)) for one in forecast)])
    lines = [green, *forecast, demand]
    entries = [Legend(one.name, one.tone, "area") for one in layers]
    entries += [Legend(one.name, one.tone) for one in lines]
    plot = Plot(times.axis, linear("power [kW]", 0.0, top * _ROOM), tuple(entries))
    marks = [*_areas(plot, times.coarse, layers)]
    marks += [plot.line(times.coarse.steps(one.power_kw), one.tone) for one in lines]
    numbers = _numbers(times.coarse, [*layers, *lines])
    svg = plot.render(_IDENT + "-stack", title, _CAPTION, marks)
    return Figure(f"{_IDENT}-stack", title, _CAPTION, (numbers,), svg)


def _layers(power: PowerSeries, times: Intervals) -> list[PowerLayer]:
    """Areas of the stack, lowest first; battery and spilled energy only if there is any."""
    entries = power.entries
    energy_mj = {
        ("green, used", "green-used"): [one.green_used_mj for one in entries],
        ("from a battery", "battery"): [one.discharged_mj for one in entries],
        ("brown", "brown"): [one.brown_mj for one in entries],
        ("into a battery", "charged"): [one.charged_mj for one in entries],
        ("green, spilled", "spilled"): [one.spilled_mj for one in entries],
    }
    always = ("green, used", "brown")
    return [
        PowerLayer(name, tone, times.means(power.kw(mj)))
        for (name, tone), mj in energy_mj.items()
        if any(mj) or name in always
    ]


def _lines(power: PowerSeries, times: Intervals) -> list[PowerLayer]:
    """Lines over the stack: demand, green power, and its forecast if known."""
    entries: tuple[LedgerEntry, ...] = power.entries
    green_name = "green, expected" if power.is_expected else "green, produced"
    drawn_lines = [
        PowerLayer("demand", "ink", times.means(power.kw([one.demand_mj for one in entries]))),
        PowerLayer(green_name, "supply", times.means(power.kw([one.green_mj for one in entries]))),
    ]
    if power.forecast_mw is not None:
        forecast = times.means([mw / MW_PER_KW for mw in power.forecast_mw])
        drawn_lines.append(PowerLayer("green, forecast", "t3", forecast))
    return drawn_lines


def _areas(plot: Plot, intervals: Intervals, layers: Sequence[PowerLayer]) -> Iterator[Markup]:
    low = np.zeros(len(intervals.edges_s) - 1)
    for layer in layers:
        high = low + layer.power_kw
        yield plot.area(intervals.steps(high), intervals.steps(low), layer.tone, layer.name)
        low = high


def _numbers(intervals: Intervals, columns: Sequence[PowerLayer]) -> Numbers:
    heads = ("begins", *(f"{one.name} [kW]" for one in columns))
    values = zip(*(one.power_kw for one in columns), strict=True)
    rows = [(text, *(f"{kw:.6g}" for kw in row))
            for text, row in zip(intervals.texts, values, strict=True)]  # fmt: skip
    return Numbers(f"{_IDENT}-stack", heads, tuple(rows))


def _small_pictures(power: PowerSeries) -> Iterator[SmallPicture]:
    price = [one.brown_udollars_per_kwh / _UDOLLARS for one in power.entries]
    carbon = [one.brown_mg_per_kwh / _MG_PER_G for one in power.entries]
    if len(set(price)) > 1:
        caption = "What a kilowatt-hour of brown energy costs."
        yield SmallPicture("price", "Price of brown energy over time", caption, "$/kWh", price)
    if len(set(carbon)) > 1:
        caption = "What a kilowatt-hour of brown energy emits."
        yield SmallPicture("carbon", "CO2 of brown energy over time", caption, "g/kWh", carbon)
    if power.stored_mj is not None:
        caption = "What the battery holds at the end of each interval."
        stored = [mj / MJ_PER_KWH for mj in power.stored_mj[1:]]
        yield SmallPicture("stored", "Energy in the battery over time", caption, "kWh", stored)


def _small_figure(times: Intervals, one: SmallPicture) -> Figure:
    ident, values = f"{_IDENT}-{one.ident}", times.means(one.values)
    plot = Plot(times.axis, linear(one.unit, 0.0, max(values) * _ROOM), height=_SMALL)
    marks = [plot.line(times.coarse.steps(values), "t0")]
    rows = zip(times.coarse.texts, (f"{value:.6g}" for value in values), strict=True)
    numbers = Numbers(ident, ("begins", one.unit), tuple(rows))
    svg = plot.render(ident, one.title, one.caption, marks)
    return Figure(ident, one.title, one.caption, (numbers,), svg)
