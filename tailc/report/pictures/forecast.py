"""Pictures of a solar power forecast with the measured power and sampled scenarios."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from tailc.forecasts.forecasts import Floats, Forecasts, Ints
from tailc.report.pictures.axis import Axis, linear
from tailc.report.pictures.figure import Figure
from tailc.report.pictures.plot import LegendEntry, Plot, Point
from tailc.traces.series.series import SECONDS_PER_HOUR, TimeSeries
from tailc.traces.zones import utc_text

_HOURS_BETWEEN_TICKS = 12
_W_PER_KW = 1_000.0
_ROOM = 1.05


@dataclass(frozen=True)
class ForecastPlot:
    """What pictures of a forecast show: the forecast at `index`, and later one-step forecasts.

    scenarios: float64 (scenarios, steps) [W], drawn behind the forecast; None: not drawn.
    """

    actual: TimeSeries
    forecasts: Forecasts
    index: int
    scenarios: Floats | None = None

    def __post_init__(self) -> None:
        of, by = self.actual, self.forecasts
        if (of.start_unix_s, of.step_s) != (by.start_unix_s, by.step_s):
            raise ValueError("forecasts and measured power must have the same start and steps")
        if not 0 <= self.index < len(by.issue):
            raise ValueError("`index` must be the number of a forecast, counted from 0")

    @property
    def issue(self) -> int:
        """Index of the step at whose start the forecast was issued."""
        return int(self.forecasts.issue[self.index])

    def hours(self, step: Ints | int) -> Floats:
        """Convert steps of the series to hours since the forecast was issued."""
        return np.asarray((step - self.issue) * self.actual.step_s / SECONDS_PER_HOUR)


class _Power(NamedTuple):
    """A line of a picture: name, CSS class, start of each step [h], and power [kW] or NaN."""

    name: str
    tone: str
    hours: Floats
    power_kw: Floats

    def pieces(self, step_h: float) -> Iterator[list[Point]]:
        """Yield the parts of the line between gaps; the power is constant in each step."""
        edges = np.flatnonzero(np.diff(np.isfinite(self.power_kw), prepend=False, append=False))
        for first, past in zip(edges[::2], edges[1::2], strict=True):
            steps = zip(self.hours[first:past].tolist(), self.power_kw[first:past].tolist(),
                        strict=True)  # fmt: skip
            yield [(hour + side, kw) for hour, kw in steps for side in (0.0, step_h)]


def forecast_figures(plot: ForecastPlot) -> list[Figure]:
    """Draw one forecast, and the one-step forecasts of the same hours."""
    steps = plot.forecasts.target[plot.index]
    hours, shown = plot.hours(steps), _measured_steps(plot)
    measured = _Power("measured", "ink", plot.hours(shown), _measured_kw(plot, shown))
    ahead = _Power("forecast at hour 0", "t0", hours, plot.forecasts.value[plot.index] / _W_PER_KW)
    next_step = _Power("forecast a step ahead", "t0", hours, _one_step_kw(plot, steps))
    scenarios = [_Power("with errors of past days", "faint", hours, way / _W_PER_KW)
                 for way in (() if plot.scenarios is None else plot.scenarios)]  # fmt: skip
    axes = _axes(plot, [measured, ahead, next_step, *scenarios])
    step_h = plot.actual.step_s / SECONDS_PER_HOUR
    error = _bands(next_step, _measured_kw(plot, steps), step_h)
    return [
        _ahead_figure(axes, [*scenarios, measured, ahead], step_h),
        _next_figure(axes, [measured, next_step], step_h, error),
    ]


def _ahead_figure(axes: tuple[Axis, Axis], lines: Sequence[_Power], step_h: float) -> Figure:
    plot = Plot(*axes, _entries(lines))
    marks = [*_lines(plot, lines, step_h), plot.upright(0.0, "issued")]
    caption = "Power forecast at hour 0, and the measured power."
    return plot.figure("forecast-ahead", "One forecast", caption, (), marks)


def _next_figure(
    axes: tuple[Axis, Axis],
    lines: Sequence[_Power],
    step_h: float,
    error: Sequence[tuple[list[Point], list[Point]]],
) -> Figure:
    plot = Plot(*axes, (*_entries(lines), LegendEntry("error", "band t1", "area")))
    marks = [plot.band(upper, lower, "t1") for upper, lower in error]
    marks += _lines(plot, lines, step_h)
    caption = "Power forecast for the next step at each step, and the measured power."
    return plot.figure("forecast-next", "Forecasts a step ahead", caption, (), marks)


def _entries(lines: Sequence[_Power]) -> tuple[LegendEntry, ...]:
    return tuple(dict.fromkeys(LegendEntry(one.name, one.tone) for one in reversed(lines)))


def _lines(plot: Plot, lines: Sequence[_Power], step_h: float) -> list[Markup]:
    return [plot.line(piece, line.tone) for line in lines for piece in line.pieces(step_h)]


def _bands(
    forecast: _Power, measured_kw: Floats, step_h: float
) -> list[tuple[list[Point], list[Point]]]:
    """Both sides of the areas between a forecast and the measured power, where both are known."""
    known = np.isfinite(measured_kw + forecast.power_kw)
    sides = [
        forecast._replace(power_kw=np.where(known, power_kw, np.nan)).pieces(step_h)
        for power_kw in (forecast.power_kw, measured_kw)
    ]
    return list(zip(*sides, strict=True))


def _axes(plot: ForecastPlot, lines: Sequence[_Power]) -> tuple[Axis, Axis]:
    last_h = float(plot.hours(plot.issue + plot.forecasts.steps))
    hours = range(-_HOURS_BETWEEN_TICKS, int(last_h) + 1, _HOURS_BETWEEN_TICKS)
    made = utc_text(plot.actual.start_unix_s + plot.issue * plot.actual.step_s)
    x = Axis(f"hours after {made}", float(-_HOURS_BETWEEN_TICKS), last_h,
             tuple((float(hour), str(hour)) for hour in hours))  # fmt: skip
    top = max(float(np.nanmax(np.append(line.power_kw, 0.0))) for line in lines)
    return x, linear("power [kW]", 0.0, top * _ROOM)


def _measured_steps(plot: ForecastPlot) -> Ints:
    """Steps with the measured power, from half a day before the forecast on."""
    before = _HOURS_BETWEEN_TICKS * SECONDS_PER_HOUR // plot.actual.step_s
    return np.arange(max(plot.issue - before, 0), plot.issue + plot.forecasts.steps)


def _measured_kw(plot: ForecastPlot, steps: Ints) -> Floats:
    """Measured power of the steps [kW]; NaN where unknown, which leaves a gap in the line."""
    within = np.minimum(steps, plot.actual.steps - 1)
    known = plot.actual.known[within] & (steps < plot.actual.steps)
    return np.where(known, plot.actual.value[within] / _W_PER_KW, np.nan)


def _one_step_kw(plot: ForecastPlot, steps: Ints) -> Floats:
    """Power forecast for each step at the step before; NaN where there is no forecast."""
    made = {int(step): index for index, step in enumerate(plot.forecasts.issue)}
    ahead = [plot.forecasts.value[made[step], 0] if step in made else np.nan for step in steps]
    return np.array(ahead) / _W_PER_KW
