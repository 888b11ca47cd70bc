"""Pictures of a datacentre's power over time by source, its jobs, its battery and brown energy.

Each interval of a picture has the mean power of its time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, tzinfo
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from tailc.forms.plan.ledger import MJ_PER_KWH, LedgerEntry
from tailc.report.pictures.axis import Axis, linear
from tailc.report.pictures.figure import Figure, Numbers
from tailc.report.pictures.plot import LegendEntry as Legend
from tailc.report.pictures.plot import Plot, Point
from tailc.report.pictures.power_series import MW_PER_KW, PowerSeries
from tailc.report.pictures.time_axis import Floats, Intervals

_IDENT = "power"
_ROOM = 1.05
_SMALL = 230.0
# Of the height of the picture of events; numbers that are nearer to 0 have no label.
_LEAST_APART = 0.12
_BEGUN, _REFUSED = "t0", "t1"
_UDOLLARS, _MG_PER_G = 1_000_000, 1_000
_CAPTION = (
    "Mean power by source. Servers use green energy first, then the battery, then brown energy, up "
    "to the demand (solid line). Above the demand is green energy that is stored or unused; the "
    "dashed line is all green power."
)


class PowerLayer(NamedTuple):
    """An area or line of the picture of power: name, CSS class, and mean power [kW].

    power_kw: float64 (intervals,).
    """

    name: str
    tone: str
    power_kw: Floats


def power_figures(power: PowerSeries, zone: tzinfo = UTC) -> list[Figure]:
    """Draw power over time as a stack, the events of jobs, and price, CO2 and charge.

    The last three are drawn where they vary.
    """
    times = Intervals(power.start_unix_s, power.edges_s, zone)
    events = [_events(power, times)] if power.begun or power.refused else []
    stored = [] if power.stored_mj is None else [_stored(power.stored_mj, times)]
    return [_stack(power, times), *events, *_brown_figures(power, times), *stored]


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
    return plot.figure(_IDENT + "-stack", title, _CAPTION, (numbers,), marks)


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


def _events(power: PowerSeries, times: Intervals) -> Figure:
    """Draw jobs that begin as bars above 0, and jobs that are refused as bars below 0."""
    ident, title = f"{_IDENT}-events", "Jobs that begin and that are refused"
    caption = (
        "The number of jobs that begin in each interval, upwards, and of jobs that are refused, "
        "downwards."
    )
    begun, refused = (_counts(of, times.coarse) for of in (power.begun, power.refused))
    entries = [Legend("jobs begin", f"solid {_BEGUN}", "area")] * bool(begun)
    entries += [Legend("jobs refused", f"solid {_REFUSED}", "area")] * bool(refused)
    plot = Plot(times.axis, _events_axis(begun, refused), tuple(entries), _SMALL)
    edges_s = times.coarse.edges_s
    marks = [plot.bar(edges_s[at], 0, count, _BEGUN) for at, count in begun.items()]
    marks += [plot.bar(edges_s[at], -count, 0, _REFUSED) for at, count in refused.items()]
    texts = times.coarse.texts
    rows = [(texts[at], str(begun.get(at, 0)), str(refused.get(at, 0)))
            for at in sorted({*begun, *refused})]  # fmt: skip
    numbers = Numbers(ident, ("interval begins", "jobs begin", "jobs refused"), tuple(rows))
    return plot.figure(ident, title, caption, (numbers,), marks)


def _events_axis(begun: Mapping[int, int], refused: Mapping[int, int]) -> Axis:
    """Axis from the most refused jobs, below 0, to the most that begin."""
    low, high = -max(refused.values(), default=0), max(begun.values(), default=0)
    apart = _LEAST_APART * (high - low)
    ends = [low] * (-low > apart) + [0] + [high] * (high > apart)
    ticks = tuple((float(end), str(abs(end))) for end in ends)
    return Axis("jobs", _ROOM * low, _ROOM * high, ticks)


def _counts(events: Mapping[int, int], intervals: Intervals) -> dict[int, int]:
    """Number of events in each interval that has some; the last one includes its end."""
    counts: dict[int, int] = {}
    for moment_s, count in events.items():
        at = bisect_right(intervals.edges_s, moment_s, hi=len(intervals.edges_s) - 1) - 1
        counts[at] = counts.get(at, 0) + count
    return counts


def _stored(stored_mj: Sequence[int], times: Intervals) -> Figure:
    title, caption = "Energy in the battery over time", "Energy in the battery."
    values = times.at_edges([mj / MJ_PER_KWH for mj in stored_mj])
    points = list(zip(map(float, times.coarse.edges_s), values, strict=True))
    return _small_figure(times, f"{_IDENT}-stored", title, caption, "kWh", points, values[1:])


def _brown_figures(power: PowerSeries, times: Intervals) -> Iterator[Figure]:
    price = [one.brown_udollars_per_kwh / _UDOLLARS for one in power.entries]
    carbon = [one.brown_mg_per_kwh / _MG_PER_G for one in power.entries]
    for ident, title, caption, unit, values in (
        ("price", "Price of brown energy over time",
         "Price of a kilowatt-hour of brown energy.", "$/kWh", price),
        ("carbon", "CO2 of brown energy over time",
         "CO2 of a kilowatt-hour of brown energy.", "g/kWh", carbon),
    ):  # fmt: skip
        if len(set(values)) > 1:
            means = times.means(values).tolist()
            points = times.coarse.steps(means)
            yield _small_figure(times, f"{_IDENT}-{ident}", title, caption, unit, points, means)


def _small_figure(
    times: Intervals,
    ident: str,
    title: str,
    caption: str,
    unit: str,
    points: Sequence[Point],
    values: Sequence[float],
) -> Figure:
    """Draw a line; the numbers are a value of each interval."""
    plot = Plot(times.axis, linear(unit, 0.0, max(y for _, y in points) * _ROOM), height=_SMALL)
    rows = zip(times.coarse.texts, (f"{value:.6g}" for value in values), strict=True)
    numbers = Numbers(ident, ("begins", unit), tuple(rows))
    return plot.figure(ident, title, caption, (numbers,), [plot.line(points, "t0")])
