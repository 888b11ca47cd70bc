"""Frequency responses of control loops: Bode plots and a Nyquist plot with stability margins."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from tailc.report.pictures.axis import Axis, logarithmic
from tailc.report.pictures.figure import Figure, Numbers
from tailc.report.pictures.plot import LegendEntry, Plot, Point
from tailc.report.pictures.tones import line_tone
from tailc.studies.loop_curves import LoopCurves

Floats = NDArray[np.float64]
# Range of the loop gain in Bode plots; outside it, the loop has no effect.
_FAR, _NEAR = 1e-2, 1e2
_LEFT, _RIGHT, _LOW, _HIGH = -2.6, 0.8, -1.9, 0.9
_HALF_TURN_DEG = 180.0
_MOST_POINTS = 160


class LoopUnits(NamedTuple):
    """Names of units in the pictures of a control loop.

    time: of time. each: of angular frequency (radians per time). output, input: of the plant's
    output and input.
    """

    time: str
    each: str
    output: str
    input: str


def thin_indices(count: int) -> NDArray[np.int64]:
    """Indices of evenly spaced points out of `count`, the first and the last included."""
    return np.unique(np.linspace(0, count - 1, min(count, _MOST_POINTS)).round().astype(np.int64))


def frequency_figures(loops: Sequence[LoopCurves], units: LoopUnits) -> list[Figure]:
    """Draw gain, phase and the Nyquist curve of the loops."""
    entries = tuple(LegendEntry(loop.name, line_tone(place)) for place, loop in enumerate(loops))
    x = logarithmic(f"frequency [rad/{units.each}]", _shown_frequencies(loops[0]))
    return [_gain(loops, x, entries), _phase(loops, x, entries), _nyquist(loops, entries, units)]


def _shown_frequencies(loop: LoopCurves) -> list[float]:
    gains = np.abs(loop.response)
    within = loop.omega[(gains <= _NEAR) & (gains >= _FAR)]
    return [float(within.min()), float(within.max())]


def _gain(loops: Sequence[LoopCurves], x: Axis, entries: tuple[LegendEntry, ...]) -> Figure:
    ident, title = "control-gain", "Open loop: gain (Bode)"
    margins = [loop.margins.gain_margin for loop in loops]
    caption = (
        "The loop's gain by frequency. The bar from a line to 1, where its phase is half a turn, "
        f"is the gain margin: {_margins_text(loops, margins, '')}."
    )
    plot = Plot(x, logarithmic("gain", [_FAR, _NEAR]), entries)
    marks = [plot.level(1.0, "gain 1")]
    for place, loop in reversed(list(enumerate(loops))):
        gains = _gains(loop)
        marks += _pieces(plot, loop.omega, gains, line_tone(place))
        at = _crossing(loop.omega, _phase_deg(loop) + _HALF_TURN_DEG)
        if at is not None and x.low < at <= x.high:
            gain = float(np.interp(at, loop.omega, gains))
            marks.append(plot.bar(at, max(gain, _FAR), 1.0, line_tone(place)))
    numbers = _bode_numbers(ident, loops, x, "gain", _gains)
    return plot.figure(ident, title, caption, (numbers,), marks)


def _phase(loops: Sequence[LoopCurves], x: Axis, entries: tuple[LegendEntry, ...]) -> Figure:
    ident, title = "control-phase", "Open loop: phase (Bode)"
    degrees = [loop.margins.phase_margin_deg for loop in loops]
    caption = (
        "The loop's phase by frequency. The bar from a line to half a turn, where its gain is 1, "
        f"is the phase margin: {_margins_text(loops, degrees, ' degrees')}."
    )
    turns = tuple((float(at), str(at)) for at in range(-360, 1, 90))
    plot = Plot(x, Axis("phase [degrees]", -360.0, 0.0, turns), entries)
    marks = [plot.level(-_HALF_TURN_DEG, "half a turn")]
    for place, loop in reversed(list(enumerate(loops))):
        phase = _phase_deg(loop)
        marks += _pieces(plot, loop.omega, phase, line_tone(place))
        at = _crossing(loop.omega, np.log(np.abs(loop.response)))
        if at is not None and x.low < at <= x.high:
            there = float(np.interp(at, loop.omega, phase))
            marks.append(plot.bar(at, -_HALF_TURN_DEG, there, line_tone(place)))
    numbers = _bode_numbers(ident, loops, x, plot.y.title, _phase_deg)
    return plot.figure(ident, title, caption, (numbers,), marks)


def _nyquist(
    loops: Sequence[LoopCurves], entries: tuple[LegendEntry, ...], units: LoopUnits
) -> Figure:
    """Draw the Nyquist curves, both axes with the same scale."""
    ident, title = "control-nyquist", "Open loop: Nyquist"
    sensitivity = loops[0].margins.max_sensitivity
    caption = (
        "The loop's response in the complex plane. The closer it is to -1, the more a "
        f"disturbance is amplified. The curve of {loops[0].name} is outside the circle, so its "
        f"amplification is at most {sensitivity:.3g}."
    )
    x, y = _plane("real part", _LEFT, _RIGHT), _plane("imaginary part", _LOW, _HIGH)
    circle = f"Ms above {sensitivity:.3g}"
    plot = Plot(x, y, (*entries, LegendEntry(circle, "disc limit", "area")))
    plot = plot.with_area(plot.width * (_HIGH - _LOW) / (_RIGHT - _LEFT))
    marks = [
        plot.disc((-1.0, 0.0), 1 / sensitivity, "limit", circle),
        plot.dot((-1.0, 0.0), "t1", "-1"),
    ]
    for place, loop in reversed(list(enumerate(loops))):
        marks += _pieces(plot, loop.response.real, loop.response.imag, line_tone(place))
    numbers = _margins("control-margins", loops, units)
    return plot.figure(ident, title, caption, (numbers,), marks)


def _plane(title: str, low: float, high: float) -> Axis:
    halves = range(math.ceil(2 * low), math.floor(2 * high) + 1)
    return Axis(title, low, high, tuple((at / 2, f"{at / 2:g}") for at in halves))


def _pieces(plot: Plot, across: Floats, up: Floats, tone: str) -> Iterator[Markup]:
    """Yield the parts of a curve inside the axes, each with a limited number of points."""
    inside = (across >= plot.x.low) & (across <= plot.x.high)
    inside &= (up >= plot.y.low) & (up <= plot.y.high)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], inside, [False]))))
    for first, past in zip(edges[::2], edges[1::2], strict=True):
        places = first + thin_indices(int(past - first))
        points: list[Point] = list(zip(across[places].tolist(), up[places].tolist(), strict=True))
        if len(points) > 1:
            yield plot.line(points, tone)


def _gains(loop: LoopCurves) -> Floats:
    return np.abs(loop.response)


def _phase_deg(loop: LoopCurves) -> Floats:
    return np.degrees(np.unwrap(np.angle(loop.response)))


def _crossing(omega: Floats, values: Floats) -> float | None:
    """Lowest frequency at which the values fall through 0; None if there is none."""
    fallen = np.flatnonzero((values[:-1] > 0) & (values[1:] <= 0))
    if not fallen.size:
        return None
    at = int(fallen[0])
    share = values[at] / (values[at] - values[at + 1])
    return float(omega[at] + share * (omega[at + 1] - omega[at]))


def _margins_text(loops: Sequence[LoopCurves], values: Sequence[float], unit: str) -> str:
    each = zip(loops, values, strict=True)
    return ", ".join(f"{loop.name} {_number(value)}{unit}" for loop, value in each)


def _number(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "infinite"


def _bode_numbers(
    name: str,
    loops: Sequence[LoopCurves],
    x: Axis,
    head: str,
    values_of: Callable[[LoopCurves], Floats],
) -> Numbers:
    rows = []
    for loop in loops:
        visible = np.flatnonzero((loop.omega >= x.low) & (loop.omega <= x.high))
        values = values_of(loop)
        rows += [(loop.name, f"{loop.omega[at]:.6g}", f"{values[at]:.6g}")
                 for at in visible[thin_indices(visible.size)]]  # fmt: skip
    return Numbers(name, ("loop", x.title, head), tuple(rows))


def _margins(name: str, loops: Sequence[LoopCurves], units: LoopUnits) -> Numbers:
    heads = ("loop", "gain margin", "phase margin [degrees]", f"delay margin [{units.time}]",
             "Ms", "overshoot", f"settles in [{units.time}]")  # fmt: skip
    rows = [
        (
            loop.name,
            _number(loop.margins.gain_margin),
            _number(loop.margins.phase_margin_deg),
            _number(loop.margins.delay_margin_epochs),
            _number(loop.margins.max_sensitivity),
            _number(loop.margins.overshoot),
            _number(loop.margins.settling_epochs),
        )
        for loop in loops
    ]
    return Numbers(name, heads, tuple(rows))
