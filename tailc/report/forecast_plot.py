"""Picture of a solar power forecast with the measured power and sampled scenarios."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tailc.forecasts.forecasts import Floats, Forecasts, Ints
from tailc.report.drawing import PictureFormat, render_picture
from tailc.traces.series.series import SECONDS_PER_HOUR, TimeSeries
from tailc.traces.zones import utc_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE_IN = (9.0, 6.0)
_HOURS_BETWEEN_TICKS = 12
_W_PER_KW = 1_000.0
_CAME, _FORECAST, _MISSED = "0.2", "C0", "C1"


@dataclass(frozen=True)
class ForecastPlot:
    """What the picture shows: the forecast at `index`, and the one-step forecasts after it.

    scenarios: float64 (scenarios, steps) [W], drawn behind the forecast; None: not drawn.
    """

    actual: TimeSeries
    forecasts: Forecasts
    index: int
    scenarios: Floats | None = None

    def __post_init__(self) -> None:
        of, by = self.actual, self.forecasts
        if (of.start_unix_s, of.step_s) != (by.start_unix_s, by.step_s):
            raise ValueError("forecasts and what came are on one grid")
        if not 0 <= self.index < len(by.issue):
            raise ValueError("there is no such forecast")

    @property
    def issue(self) -> int:
        """Step at whose start the forecast was issued."""
        return int(self.forecasts.issue[self.index])

    def hours(self, step: Ints) -> Floats:
        """Convert steps of the series to hours since the forecast was issued."""
        return (step - self.issue) * self.actual.step_s / SECONDS_PER_HOUR


def picture(plot: ForecastPlot, kind: PictureFormat) -> bytes:
    """Render the picture: one forecast above, and one-step forecasts of the same hours below."""

    def draw(figure: Figure) -> None:
        ahead, next_step = figure.subplots(2, 1, sharex=True, sharey=True)
        _draw_one(ahead, plot)
        _draw_steps_ahead(next_step, plot)
        for axes in (ahead, next_step):
            axes.set_ylabel("power [kW]")
            axes.set_ylim(bottom=0)
            axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, frameon=False)
        made = utc_text(plot.actual.start_unix_s + plot.issue * plot.actual.step_s)
        next_step.set_xlabel(f"hours after {made}")
        last_h = float(plot.hours(np.array([plot.issue + plot.forecasts.steps]))[0])
        next_step.set_xlim(-_HOURS_BETWEEN_TICKS, last_h)
        next_step.set_xticks(np.arange(-_HOURS_BETWEEN_TICKS, last_h + 1, _HOURS_BETWEEN_TICKS))

    return render_picture(draw, _SIZE_IN, kind)


def _draw_one(axes: Axes, plot: ForecastPlot) -> None:
    target = plot.forecasts.target[plot.index]
    edges = plot.hours(np.append(target, target[-1] + 1))
    for number, way in enumerate(() if plot.scenarios is None else plot.scenarios):
        label = "with errors of past days" if number == 0 else None
        axes.stairs(way / _W_PER_KW, edges, baseline=None, color="0.8", label=label)
    _draw_came(axes, plot)
    forecast = plot.forecasts.value[plot.index] / _W_PER_KW
    line: Any = {"baseline": None, "color": _FORECAST, "linewidth": 1.6}
    axes.stairs(forecast, edges, label="forecast at hour 0", **line)
    axes.axvline(0.0, color="0.6", linestyle=":")


def _draw_steps_ahead(axes: Axes, plot: ForecastPlot) -> None:
    steps = plot.forecasts.target[plot.index]
    made = {int(step): index for index, step in enumerate(plot.forecasts.issue)}
    ahead = [plot.forecasts.value[made[step], 0] if step in made else np.nan for step in steps]
    forecast = np.array(ahead) / _W_PER_KW
    edges = plot.hours(np.append(steps, steps[-1] + 1))
    error: Any = {"baseline": _came(plot, steps), "fill": True, "alpha": 0.4, "linewidth": 0}
    axes.stairs(forecast, edges, color=_MISSED, label="error", **error)
    _draw_came(axes, plot)
    line: Any = {"baseline": None, "color": _FORECAST, "linewidth": 1.6}
    axes.stairs(forecast, edges, label="forecast a step ahead", **line)


def _draw_came(axes: Axes, plot: ForecastPlot) -> None:
    """Draw the measured power, from half a day before the forecast on."""
    before = _HOURS_BETWEEN_TICKS * SECONDS_PER_HOUR // plot.actual.step_s
    steps = np.arange(max(plot.issue - before, 0), plot.issue + plot.forecasts.steps)
    edges = plot.hours(np.append(steps, steps[-1] + 1))
    came = _came(plot, steps)
    axes.stairs(came, edges, baseline=None, color=_CAME, linewidth=1.2, label="what came")


def _came(plot: ForecastPlot, steps: Ints) -> Floats:
    """Measured power of the steps [kW]; NaN where unknown, which leaves a gap in the line."""
    within = np.minimum(steps, plot.actual.steps - 1)
    known = plot.actual.known[within] & (steps < plot.actual.steps)
    return np.where(known, plot.actual.value[within] / _W_PER_KW, np.nan)
