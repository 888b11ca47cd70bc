"""Picture of a tuned loop: step response, load response, Bode plot and Nyquist plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tailc.report.drawing import PictureFormat, render_picture
from tailc.report.tune_pid import transfer_function
from tailc.studies.loop_curves import LoopCurves
from tailc.studies.tune_pid import Study, fitted_curve, stable_loop_curves
from tailc.units import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_SIZE_IN = (11.0, 8.0)
_COLOURS = ("#0b5fa5", "#d1701f", "#3c8d40", "#8a8a8a")
_POINTS = 600
# Upper end of the Nyquist curve, in multiples of the crossover frequency: above it, a dead time
# winds the curve around 0.
_NYQUIST_UP_TO = 10.0
_FAR, _NEAR = 1e-2, 1e2
"""Range of the loop gain in Bode plots."""


def picture(study: Study, kind: PictureFormat) -> bytes:
    """Render the tuned loop in front of the stable loops of other tuning rules."""
    return render_picture(lambda figure: _draw(figure, study), _SIZE_IN, kind)


def _draw(figure: Figure, study: Study) -> None:
    loops = stable_loop_curves(study)
    figure.suptitle(f"{study.wish.structure.upper()} controller for {transfer_function(study)}")
    halves: Any = figure.subfigures(1, 2)
    times, frequencies = halves
    has_data = study.data is not None
    step, load, *more = np.ravel(times.subplots(2 + has_data, 1))
    _draw_time(step, study, loops, "after_step", "unit step of the set point")
    _draw_time(load, study, loops, "after_load", "unit step of a load at the plant's input")
    for axes in more:
        _draw_data(axes, study)
    handles, labels = step.get_legend_handles_labels()
    step.legend(handles[::-1], labels[::-1], loc="lower right", fontsize=8)
    _draw_frequencies(frequencies, study, loops)


def _draw_time(
    axes: Axes, study: Study, loops: tuple[LoopCurves, ...], curve_name: str, title: str
) -> None:
    until = loops[0].times[-1]
    for loop, colour in _back_to_front(loops):
        shown = slice(None, None, max(1, loop.times.size // _POINTS))
        values = getattr(loop, curve_name)
        style: Any = {"drawstyle": "steps-post"} if study.wish.sample_time else {}
        axes.plot(loop.times[shown], values[shown], color=colour, label=loop.name, **style)
    front = getattr(loops[0], curve_name)
    low, high = float(front.min()), float(front.max())
    others = [float(np.abs(getattr(loop, curve_name)).max()) for loop in loops]
    high = max(high, min(2 * high, max(others)))
    room = 0.08 * (high - low)
    axes.set(xlim=(0, until), ylim=(min(low, 0.0) - room, high + room), title=title)
    axes.set_xlabel(f"time [{printable(study.units.time)}]")
    unit = printable(study.units.output)
    axes.set_ylabel("output / set point" if curve_name == "after_step" else f"output [{unit}]")
    axes.grid(alpha=0.3)


def _draw_data(axes: Axes, study: Study) -> None:
    fitted = fitted_curve(study)
    if study.data is None or fitted is None:
        return
    data, unit = study.data, printable(study.units.output)
    axes.plot(data.times, data.response, ".", color="#777777", markersize=3, label="measured")
    axes.plot(*fitted, color="#b01030", linewidth=1.2, label="identified plant")
    axes.set(title="measured step response", ylabel=f"change of output [{unit}]")
    axes.set_xlabel(f"time since the step [{printable(study.units.time)}]")
    axes.legend(loc="lower right", fontsize=8)
    axes.grid(alpha=0.3)


def _draw_frequencies(figure: SubFigure, study: Study, loops: tuple[LoopCurves, ...]) -> None:
    gain, phase, nyquist = figure.subplots(3, 1, height_ratios=(1, 1, 2))
    low, high = _shown_frequencies(loops[0])
    unit = printable(study.units.time)
    for loop, colour in _back_to_front(loops):
        shown = (loop.omega >= low) & (loop.omega <= high)
        response = loop.response[shown]
        gain.loglog(loop.omega[shown], np.abs(response), color=colour)
        angle = np.degrees(np.unwrap(np.angle(loop.response)))
        phase.semilogx(loop.omega[shown], angle[shown], color=colour)
        near = loop.response[loop.omega <= _NYQUIST_UP_TO * _crossing(loops[0])]
        nyquist.plot(near.real, near.imag, color=colour)
    gain.axhline(1.0, color="black", linewidth=0.6)
    gain.set(title="open loop: Bode", ylabel="gain", xlim=(low, high), ylim=(_FAR, _NEAR))
    phase.axhline(-180.0, color="black", linewidth=0.6)
    phase.set(ylabel="phase [degrees]", xlim=(low, high), ylim=(-360, 0))
    phase.set_yticks(range(-360, 1, 90))
    phase.set_xlabel(f"frequency [rad/{unit}]")
    for axes in (gain, phase, nyquist):
        axes.grid(alpha=0.3)
    _finish_nyquist(nyquist, study)


def _finish_nyquist(axes: Axes, study: Study) -> None:
    """Draw the circle around -1 outside which the sensitivity is within its limit."""
    from matplotlib.patches import Circle

    limit = study.wish.max_sensitivity
    circle = Circle((-1, 0), 1 / limit, fill=True, facecolor="#f3d9d9", edgecolor="#b01030")
    circle.set_label(f"Ms > {limit:g}")
    axes.add_patch(circle)
    axes.plot([-1], [0], "+", color="#b01030")
    axes.set(xlim=(-2.6, 0.8), ylim=(-1.9, 0.9), aspect="equal", title="Nyquist")
    axes.set(xlabel="real part", ylabel="imaginary part")
    axes.legend(handles=[circle], loc="lower right", fontsize=8)


def _shown_frequencies(loop: LoopCurves) -> tuple[float, float]:
    """Range of frequencies to plot: where the tuned loop's gain is between _FAR and _NEAR."""
    gains = np.abs(loop.response)
    within = loop.omega[(gains <= _NEAR) & (gains >= _FAR)]
    return float(within.min()), float(min(within.max(), 100 * _crossing(loop)))


def _crossing(loop: LoopCurves) -> float:
    """Frequency at which the gain is nearest to 1."""
    return float(loop.omega[np.argmin(np.abs(np.log(np.abs(loop.response))))])


def _back_to_front(loops: tuple[LoopCurves, ...]) -> Sequence[tuple[LoopCurves, str]]:
    """Pair the loops with colours, the tuned loop last, so that it is drawn in front."""
    return list(zip(loops, _COLOURS, strict=False))[::-1]
