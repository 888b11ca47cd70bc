"""Pictures of speed-ups by threads or rungs: measured, assumed by the policy, and residuals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tailc.forms.ladder.table import Ladder
from tailc.report.pictures.axis import linear
from tailc.report.pictures.figure import Figure, Numbers
from tailc.report.pictures.plot import LegendEntry, Plot, Point
from tailc.report.pictures.speedup_curves import SpeedupPlotData, compute_speedup_curves
from tailc.report.pictures.tones import line_tone
from tailc.traces.profile import DemandProfile

_IDENT, _TITLE = "speedups", "Speed-up"
_LEFT_IDENT, _LEFT_TITLE = "speedup-residuals", "Speed-up: residuals"
_USED, _LAW = "ink", "fit"
_ROOM = 1.05
_LOW_HEIGHT = 250.0
# Distance between the dots of groups at one place.
_ASIDE = 0.12
_PERCENT = 100
# Smaller residuals are rounding errors, since speed-ups are stored in millionths.
_ROUNDING_PERCENT = 1e-3
_LEAST_PERCENT = 1.0


def speedup_figures(profile: DemandProfile, ladders: Sequence[Ladder], sample: str) -> list[Figure]:
    """Draw speed-up curves, and residuals if there are any.

    sample: name of the requests. Empty if the trace has speed-ups at a single degree only.
    """
    curves = compute_speedup_curves(profile, ladders)
    if curves is None:
        return []
    dots = _residuals(curves)
    return [_curves(curves, sample), *([dots] if dots else [])]


def _curves(curves: SpeedupPlotData, sample: str) -> Figure:
    every = [*curves.measured.values(), *([] if curves.spread is None else curves.spread)]
    tops = [float(speeds.max()) for speeds in every]
    top = max(*tops, *curves.used.values(), *curves.law.values(), 0.0)
    plot = Plot(curves.axis, linear("speed-up", 0.0, top * _ROOM), _legend(curves))
    marks = [plot.line(points, tone) for tone, points in _lines(curves)]
    if curves.spread is not None:
        ends = zip(curves.places, *curves.spread.tolist(), strict=True)
        marks += [plot.bar(place, low, high, line_tone(0)) for place, low, high in ends]
    for name, tone, position, place, speed in _measured_dots(curves):
        marks.append(plot.dot((position, speed), tone, f"{name}, {place}: {speed:.3g}"))
    caption = _caption(curves, sample)
    return plot.figure(_IDENT, _TITLE, caption, (_numbers(curves),), marks)


def _caption(curves: SpeedupPlotData, sample: str) -> str:
    if curves.spread is None:
        caption = (
            f"One speed-up curve for all of {sample}, from the spec or measured for all together."
        )
    else:
        caption = (
            f"Dots are the mean speed-up of {sample}, total work over total time; the longest and "
            "the shortest are each a twentieth of the requests, by demand. A bar contains "
            "nine of ten requests."
        )
    if curves.used:
        caption += " The line is the speed of the policy's rungs."
    if curves.serial is not None:
        share = f"{curves.serial * _PERCENT:.3g} %"
        caption += f" The nearest of Amdahl's laws has a serial part of {share}."
    return caption + "".join(f" {odd[:1].upper()}{odd[1:]}." for odd in curves.odd)


def _residuals(curves: SpeedupPlotData) -> Figure | None:
    """Draw residuals against the policy's speeds, or against Amdahl's law; None if all are 0."""
    base, name = (
        (curves.used, "the policy's speed") if curves.used else (curves.law, "Amdahl's law")
    )
    dots = [
        (group, tone, position, place, _percent(speed, base[place]))
        for group, tone, position, place, speed in _measured_dots(curves)
        if place in base
    ]
    law = [(float(place), _percent(speed, base[place]))
           for place, speed in curves.law.items() if curves.used and place in base]  # fmt: skip
    every = [*(each[-1] for each in dots), *(y for _, y in law)]
    if max(map(abs, every), default=0.0) < _ROUNDING_PERCENT:
        return None
    low, high = min(*every, -_LEAST_PERCENT), max(*every, _LEAST_PERCENT)
    entries = tuple(
        LegendEntry(group, line_tone(n), "dot") for n, group in enumerate(curves.measured)
    )
    entries += (LegendEntry("Amdahl's law", _LAW),) * bool(law)
    axis = "residual [%]"
    plot = Plot(curves.axis, linear(axis, low * _ROOM, high * _ROOM), entries, _LOW_HEIGHT)
    marks = [plot.line([(plot.x.low, 0.0), (plot.x.high, 0.0)], _USED)]
    marks += [plot.line(law, _LAW)] if law else []
    for group, tone, position, place, percent in dots:
        marks.append(plot.bar(position, min(percent, 0.0), max(percent, 0.0), tone))
        marks.append(plot.dot((position, percent), tone, f"{group}, {place}: {percent:+.2f} %"))
    caption = f"Measured speed-up minus {name}, in percent of {name}."
    rows = [(group, f"{place:g}", name, f"{percent:.6g}") for group, _, _, place, percent in dots]
    rows += [("Amdahl's law", f"{place:g}", name, f"{percent:.6g}") for place, percent in law]
    numbers = Numbers(_LEFT_IDENT, ("requests", curves.axis.title, "against", axis), tuple(rows))
    return plot.figure(_LEFT_IDENT, _LEFT_TITLE, caption, (numbers,), marks)


def _percent(speed: float, base: float) -> float:
    return (speed / base - 1) * _PERCENT


def _measured_dots(curves: SpeedupPlotData) -> Iterator[tuple[str, str, float, int, float]]:
    """Yield group, CSS class, horizontal position, place and mean speed-up of each dot."""
    middle = (len(curves.measured) - 1) / 2
    aside = [0.0, _ASIDE, -_ASIDE] if middle else [0.0]
    for number, (name, speeds) in enumerate(curves.measured.items()):
        for place, speed in zip(curves.places, speeds.tolist(), strict=True):
            yield name, line_tone(number), place + aside[number], place, speed


def _lines(curves: SpeedupPlotData) -> Iterator[tuple[str, list[Point]]]:
    for tone, speeds in ((_LAW, curves.law), (_USED, curves.used)):
        if speeds:
            yield tone, [(float(place), speed) for place, speed in sorted(speeds.items())]


def _legend(curves: SpeedupPlotData) -> tuple[LegendEntry, ...]:
    entries = [LegendEntry(name, line_tone(n), "dot") for n, name in enumerate(curves.measured)]
    entries += [LegendEntry("used by the policy", _USED)] * bool(curves.used)
    if curves.serial is not None:
        entries.append(LegendEntry(f"Amdahl's law, {curves.serial * _PERCENT:.3g} % serial", _LAW))
    return tuple(entries)


def _numbers(curves: SpeedupPlotData) -> Numbers:
    rows = [
        (
            name,
            f"{place}",
            f"{speed:.6g}",
            _value_text(curves.used, place),
            _value_text(curves.law, place),
        )
        for name, _, _, place, speed in _measured_dots(curves)
    ]
    if curves.spread is not None:
        for share, speeds in zip(("5 %", "95 %"), curves.spread.tolist(), strict=True):
            rows += [
                (f"{share} of requests are below", f"{place}", f"{speed:.6g}", "", "")
                for place, speed in zip(curves.places, speeds, strict=True)
            ]
    heads = ("requests", curves.axis.title, "speed-up", "used by the policy", "Amdahl's law")
    return Numbers(_IDENT, heads, tuple(rows))


def _value_text(speeds: Mapping[int, float], place: int) -> str:
    return f"{speeds[place]:.6g}" if place in speeds else ""
