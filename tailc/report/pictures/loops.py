"""Responses of control loops to steps of target and load, frequency responses, and margins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from tailc.percentiles import PPM
from tailc.report.pictures.axis import linear
from tailc.report.pictures.figure import Figure, Numbers
from tailc.report.pictures.loop_frequencies import LoopUnits, frequency_figures, thin_indices
from tailc.report.pictures.plot import LegendEntry, Plot, Point
from tailc.report.pictures.tones import line_tone
from tailc.studies.loop_curves import LoopCurves, curves_of, shown_duration
from tailc.studies.tune_pid import Study, fitted_curve, stable_loop_curves
from tailc.units import format_mrps

if TYPE_CHECKING:
    from tailc.pipeline.controller import TunedController
    from tailc.pipeline.loops import RateInterval

_US_PER_MS = 1_000
_ROOM = 0.08
_EPOCHS = LoopUnits("epochs", "epoch", "ms", "the whole output")


@dataclass(frozen=True)
class _Fit:
    """A measured step response, the plant's response, and their root mean square difference."""

    name: str
    measured: Sequence[Point]
    fitted: Sequence[Point]
    residual: float


def controller_figures(tuned: TunedController) -> list[Figure]:
    """Draw the control loop of each interval of rates."""
    settling = max(each.margins.settling_epochs for each in tuned.intervals)
    loops, fits = [], []
    for each in tuned.intervals:
        name = f"{format_mrps(each.gains.first_rate_mrps)} to {format_mrps(each.last_rate_mrps)}"
        until = shown_duration(each.plant.plant, settling)
        loops.append(curves_of(name, each.plant.plant, tuned.gains_of(each), each.margins, until))
        fits.append(_fit_from_interval(name, each))
    return [*_figures(loops, _EPOCHS), _fits(fits, _EPOCHS)]


def study_figures(study: Study) -> list[Figure]:
    """Draw the controller tuned for a plant, compared with the stable tuning rules."""
    units = LoopUnits(study.units.time, study.units.time, study.units.output, "the plant's input")
    figures = _figures(stable_loop_curves(study), units)
    fitted = fitted_curve(study)
    if study.data is not None and fitted is not None:
        measured = _points(study.data.times, study.data.response)
        fit = _Fit("identified plant", measured, _points(*fitted), study.residual or 0.0)
        figures.append(_fits([fit], units))
    return figures


def _figures(loops: Sequence[LoopCurves], units: LoopUnits) -> list[Figure]:
    step = _time_figure(
        "control-step",
        "After a step of the target",
        "Controlled value, as a share of a step of its target: 1 is the new target.",
        "share of the step",
        loops,
        [loop.after_step for loop in loops],
        units,
    )
    load = _time_figure(
        "control-load",
        "After a disturbance",
        f"Controlled value after a lasting change of {units.input} by 1 %, which the controller "
        "compensates.",
        f"change [{units.output}]",
        loops,
        [loop.after_load / 100 for loop in loops],
        units,
    )
    return [step, load, *frequency_figures(loops, units)]


def _time_figure(
    ident: str,
    title: str,
    caption: str,
    axis: str,
    loops: Sequence[LoopCurves],
    values: Sequence[NDArray[np.float64]],
    units: LoopUnits,
) -> Figure:
    """Draw responses over time; the first loop determines the ranges of both axes."""
    until = float(loops[0].times[-1])
    low, high = _limits(values)
    entries = tuple(LegendEntry(loop.name, line_tone(place)) for place, loop in enumerate(loops))
    plot = Plot(linear(f"time [{units.time}]", 0.0, until), linear(axis, low, high), entries)
    lines = [_points(loop.times, of) for loop, of in zip(loops, values, strict=True)]
    marks = list(_in_front(plot, lines))
    rows = [(loop.name, f"{x:.6g}", f"{y:.6g}")
            for loop, line in zip(loops, lines, strict=True) for x, y in line]  # fmt: skip
    numbers = Numbers(ident, ("loop", f"time [{units.time}]", axis), tuple(rows))
    return plot.figure(ident, title, caption, (numbers,), marks)


def _limits(values: Sequence[NDArray[np.float64]]) -> tuple[float, float]:
    """Range of values: all of the first response, the others up to twice its range."""
    low, high = min(0.0, float(values[0].min())), max(0.0, float(values[0].max()))
    least, most = (end([float(getattr(of, end.__name__)()) for of in values]) for end in (min, max))
    reach = high - low or 1.0
    low, high = max(least, low - reach), min(max(most, high), high + reach)
    low = min(low, 0.0)
    return low - _ROOM * (low < 0) * reach, high + _ROOM * reach


def _in_front(plot: Plot, lines: Sequence[Sequence[Point]]) -> Iterable[Markup]:
    """Yield the lines in reverse, so that the first is in front."""
    for place in reversed(range(len(lines))):
        clipped = [(x, min(max(y, plot.y.low), plot.y.high)) for x, y in lines[place]]
        yield plot.line([p for p in clipped if p[0] <= plot.x.high], line_tone(place))


def _points(times: NDArray[np.float64], values: NDArray[np.float64]) -> list[Point]:
    places = thin_indices(times.size)
    return list(zip(times[places].tolist(), values[places].tolist(), strict=True))


def _fit_from_interval(name: str, each: RateInterval) -> _Fit:
    changes_ms = [us / _US_PER_MS for us in each.operation.response_us]
    epochs = range(1, len(changes_ms) + 1)
    size = each.operation.step_ppm / PPM
    fitted = each.plant.plant.step_response(len(changes_ms)) * size
    return _Fit(
        name,
        [(float(x), y) for x, y in zip(epochs, changes_ms, strict=True)],
        [(float(x), y) for x, y in zip(epochs, fitted.tolist(), strict=True)],
        each.plant.residual_ms,
    )


def _fits(fits: Sequence[_Fit], units: LoopUnits) -> Figure:
    """Draw measured step responses as dots and those of the fitted plants as lines."""
    ident, title = "control-fit", "Measured step response and plant"
    residuals = "; ".join(f"{fit.name} {fit.residual:.3g} {units.output}" for fit in fits)
    caption = (
        "Dots are the measured change after a step of the input; lines are the response of the "
        f"fitted plant. Root mean square of the residuals: {residuals}."
    )
    every = [y for fit in fits for _, y in (*fit.measured, *fit.fitted)]
    low, high = min(0.0, *every), max(0.0, *every)
    room = _ROOM * (high - low)
    until = max(x for fit in fits for x, _ in fit.measured)
    axis = f"change [{units.output}]"
    plot = Plot(
        linear(f"time since the step [{units.time}]", 0.0, until),
        linear(axis, low - room * (low < 0), high + room * (high > 0)),
        (
            *(LegendEntry(fit.name, line_tone(place)) for place, fit in enumerate(fits)),
            LegendEntry("measured", line_tone(0), "dot"),
        ),
    )
    marks = [plot.line(fit.fitted, line_tone(place)) for place, fit in enumerate(fits)]
    marks += [
        plot.dot(point, line_tone(place), f"{fit.name}: {point[1]:.4g} {units.output}")
        for place, fit in enumerate(fits)
        for point in fit.measured
    ]
    rows = [(fit.name, kind, f"{x:.6g}", f"{y:.6g}")
            for fit in fits for kind, points in (("measured", fit.measured), ("plant", fit.fitted))
            for x, y in points]  # fmt: skip
    numbers = Numbers(ident, ("loop", "of", f"time [{units.time}]", axis), tuple(rows))
    return plot.figure(ident, title, caption, (numbers,), marks)
