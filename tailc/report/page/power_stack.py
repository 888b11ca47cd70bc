"""Power of a datacentre over time: by source, against what is green, and what brown energy costs.

Each interval of a picture has the mean power of its time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from tailc.forms.plan.ledger import MJ_PER_KWH, Entry
from tailc.report.page.axis import linear
from tailc.report.page.content import Section
from tailc.report.page.figure import Figure, Numbers
from tailc.report.page.plot import Entry as Legend
from tailc.report.page.plot import Plot
from tailc.report.page.time_axis import Floats, Intervals
from tailc.report.plan_power import MW_PER_KW, PowerSeries

_IDENT = "power"
_ROOM = 1.05
_SMALL = 230.0
_UDOLLARS, _MG_PER_G = 1_000_000, 1_000
_SAYS = (
    "Mean power by source. Up to the demand, the solid line, servers draw green energy first, then "
    "a battery, then brown energy. Above it is green energy that a battery takes or that nothing "
    "takes; the dashed line is all green power."
)


class Layer(NamedTuple):
    """An area of the stack: its name, class and mean power by interval [kW]."""

    name: str
    tone: str
    power_kw: Floats


class Beside(NamedTuple):
    """What is drawn below the stack: values in a unit, one an interval."""

    ident: str
    title: str
    says: str
    unit: str
    values: Sequence[float]


def power_section(power: PowerSeries, figures: Sequence[Figure] = ()) -> Section:
    """The stack, `figures`, and whatever of price, CO2 and a battery's store varies."""
    times = Intervals(power.start_unix_s, power.edges_s)
    expected = "As the plan expects it." if power.is_expected else "As it came in the replay."
    beside = [_beside_figure(times, one) for one in _beside(power)]
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
    marks = [*_areas(plot, times.shown, layers)]
    marks += [plot.line(times.shown.steps(one.power_kw), one.tone) for one in lines]
    numbers = _numbers(times.shown, [*layers, *lines])
    svg = plot.drawn(_IDENT + "-stack", title, _SAYS, marks)
    return Figure(f"{_IDENT}-stack", title, _SAYS, (numbers,), svg)


def _layers(power: PowerSeries, times: Intervals) -> list[Layer]:
    """From the lowest on; those of a battery and what is spilled where there is any."""
    of = power.entries
    energy_mj = {
        ("green, used", "green-used"): [one.green_used_mj for one in of],
        ("from a battery", "battery"): [one.discharged_mj for one in of],
        ("brown", "brown"): [one.brown_mj for one in of],
        ("into a battery", "charged"): [one.charged_mj for one in of],
        ("green, spilled", "spilled"): [one.spilled_mj for one in of],
    }
    always = ("green, used", "brown")
    return [
        Layer(name, tone, times.means(power.kw(mj)))
        for (name, tone), mj in energy_mj.items()
        if any(mj) or name in always
    ]


def _lines(power: PowerSeries, times: Intervals) -> list[Layer]:
    """Demand, green power, and what was forecast of it where that is told."""
    of: tuple[Entry, ...] = power.entries
    said = "green, expected" if power.is_expected else "green, produced"
    found = [
        Layer("demand", "ink", times.means(power.kw([one.demand_mj for one in of]))),
        Layer(said, "supply", times.means(power.kw([one.green_mj for one in of]))),
    ]
    if power.forecast_mw is not None:
        forecast = times.means([mw / MW_PER_KW for mw in power.forecast_mw])
        found.append(Layer("green, forecast", "t3", forecast))
    return found


def _areas(plot: Plot, shown: Intervals, layers: Sequence[Layer]) -> Iterator[Markup]:
    low = np.zeros(len(shown.edges_s) - 1)
    for layer in layers:
        high = low + layer.power_kw
        yield plot.area(shown.steps(high), shown.steps(low), layer.tone, layer.name)
        low = high


def _numbers(shown: Intervals, columns: Sequence[Layer]) -> Numbers:
    heads = ("begins", *(f"{one.name} [kW]" for one in columns))
    values = zip(*(one.power_kw for one in columns), strict=True)
    rows = [(text, *(f"{kw:.6g}" for kw in row))
            for text, row in zip(shown.texts, values, strict=True)]  # fmt: skip
    return Numbers(f"{_IDENT}-stack", heads, tuple(rows))


def _beside(power: PowerSeries) -> Iterator[Beside]:
    price = [one.brown_udollars_per_kwh / _UDOLLARS for one in power.entries]
    carbon = [one.brown_mg_per_kwh / _MG_PER_G for one in power.entries]
    if len(set(price)) > 1:
        says = "What a kilowatt-hour of brown energy costs."
        yield Beside("price", "Price of brown energy over time", says, "$/kWh", price)
    if len(set(carbon)) > 1:
        says = "What a kilowatt-hour of brown energy emits."
        yield Beside("carbon", "CO2 of brown energy over time", says, "g/kWh", carbon)
    if power.stored_mj is not None:
        says = "What the battery holds at the end of each interval."
        stored = [mj / MJ_PER_KWH for mj in power.stored_mj[1:]]
        yield Beside("stored", "Energy in the battery over time", says, "kWh", stored)


def _beside_figure(times: Intervals, one: Beside) -> Figure:
    ident, values = f"{_IDENT}-{one.ident}", times.means(one.values)
    plot = Plot(times.axis, linear(one.unit, 0.0, max(values) * _ROOM), height=_SMALL)
    marks = [plot.line(times.shown.steps(values), "t0")]
    rows = zip(times.shown.texts, (f"{value:.6g}" for value in values), strict=True)
    numbers = Numbers(ident, ("begins", one.unit), tuple(rows))
    svg = plot.drawn(ident, one.title, one.says, marks)
    return Figure(ident, one.title, one.says, (numbers,), svg)
