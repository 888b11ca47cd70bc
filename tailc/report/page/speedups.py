"""Speed-up by threads or by rung: as measured, as the policy takes it, and what is between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tailc.forms.ladder.table import Ladder
from tailc.report.page.axis import linear
from tailc.report.page.figure import Figure, Numbers
from tailc.report.page.plot import Entry, Plot, Point
from tailc.report.page.speedup_curves import Speedups, speedups_of
from tailc.report.page.tones import line_tone
from tailc.traces.profile import DemandProfile

_IDENT, _TITLE = "speedups", "Speed-up"
_LEFT_IDENT, _LEFT_TITLE = "speedup-residuals", "Speed-up: what is left"
_USED, _LAW = "ink", "fit"
_ROOM = 1.05
_LOW_HEIGHT = 250.0
# Groups stand beside each other at a place, so far apart.
_ASIDE = 0.12
_PERCENT = 100
# Less than this is rounding of speed-ups that are kept in millionths.
_ROUNDING_PERCENT = 1e-3
_LEAST_PERCENT = 1.0


def speedup_figures(profile: DemandProfile, ladders: Sequence[Ladder], sample: str) -> list[Figure]:
    """Curves by threads, or where rungs are something else by rung, and residuals where there are
    any; nothing where the trace tells of one place. `sample` is what the requests are.
    """
    found = speedups_of(profile, ladders)
    if found is None:
        return []
    left = _residuals(found)
    return [_curves(found, sample), *([left] if left else [])]


def _curves(found: Speedups, sample: str) -> Figure:
    every = [*found.measured.values(), *([] if found.spread is None else found.spread)]
    tops = [float(speeds.max()) for speeds in every]
    top = max(*tops, *found.used.values(), *found.law.values(), 0.0)
    plot = Plot(found.axis, linear("speed-up", 0.0, top * _ROOM), _legend(found))
    marks = [plot.line(points, tone) for tone, points in _lines(found)]
    if found.spread is not None:
        ends = zip(found.places, *found.spread.tolist(), strict=True)
        marks += [plot.bar(place, low, high, line_tone(0)) for place, low, high in ends]
    for name, tone, at, place, speed in _measured(found):
        marks.append(plot.dot((at, speed), tone, f"{name}, {place}: {speed:.3g}"))
    says = _says(found, sample)
    svg = plot.drawn(_IDENT, _TITLE, says, marks)
    return Figure(_IDENT, _TITLE, says, (_numbers(found),), svg)


def _says(found: Speedups, sample: str) -> str:
    if found.spread is None:
        says = f"One speed-up curve for all of {sample}: it is given, or was measured as one."
    else:
        says = (
            f"Dots are the mean speed-up of {sample}, total work over total time; the longest and "
            "the shortest are each a twentieth of the requests, by demand. Nine of ten requests "
            "are within a bar."
        )
    if found.used:
        says += " The line is the speed of the policy's rungs."
    if found.serial is not None:
        share = f"{found.serial * _PERCENT:.3g} %"
        says += f" The nearest of Amdahl's laws has a serial part of {share}."
    return says + "".join(f" {odd[:1].upper()}{odd[1:]}." for odd in found.odd)


def _residuals(found: Speedups) -> Figure | None:
    """Against the policy's speeds, else against the law; None where nothing is left of any."""
    base, name = (found.used, "the policy's speed") if found.used else (found.law, "Amdahl's law")
    left = [(group, tone, at, place, _percent(speed, base[place]))
            for group, tone, at, place, speed in _measured(found) if place in base]  # fmt: skip
    law = [(float(place), _percent(speed, base[place]))
           for place, speed in found.law.items() if found.used and place in base]  # fmt: skip
    every = [*(each[-1] for each in left), *(y for _, y in law)]
    if max(map(abs, every), default=0.0) < _ROUNDING_PERCENT:
        return None
    low, high = min(*every, -_LEAST_PERCENT), max(*every, _LEAST_PERCENT)
    entries = tuple(Entry(group, line_tone(n), "dot") for n, group in enumerate(found.measured))
    entries += (Entry("Amdahl's law", _LAW),) * bool(law)
    axis = "residual [%]"
    plot = Plot(found.axis, linear(axis, low * _ROOM, high * _ROOM), entries, _LOW_HEIGHT)
    marks = [plot.line([(plot.x.low, 0.0), (plot.x.high, 0.0)], _USED)]
    marks += [plot.line(law, _LAW)] if law else []
    for group, tone, at, place, percent in left:
        marks.append(plot.bar(at, min(percent, 0.0), max(percent, 0.0), tone))
        marks.append(plot.dot((at, percent), tone, f"{group}, {place}: {percent:+.2f} %"))
    says = f"Measured speed-up less {name}, in percent of that; above 0 requests do better."
    rows = [(group, f"{place:g}", name, f"{percent:.6g}") for group, _, _, place, percent in left]
    rows += [("Amdahl's law", f"{place:g}", name, f"{percent:.6g}") for place, percent in law]
    numbers = Numbers(_LEFT_IDENT, ("requests", found.axis.title, "against", axis), tuple(rows))
    svg = plot.drawn(_LEFT_IDENT, _LEFT_TITLE, says, marks)
    return Figure(_LEFT_IDENT, _LEFT_TITLE, says, (numbers,), svg)


def _percent(speed: float, base: float) -> float:
    return (speed / base - 1) * _PERCENT


def _measured(found: Speedups) -> Iterator[tuple[str, str, float, int, float]]:
    """Group, tone, where it stands, place and mean speed-up."""
    middle = (len(found.measured) - 1) / 2
    aside = [0.0, _ASIDE, -_ASIDE] if middle else [0.0]
    for number, (name, speeds) in enumerate(found.measured.items()):
        for place, speed in zip(found.places, speeds.tolist(), strict=True):
            yield name, line_tone(number), place + aside[number], place, speed


def _lines(found: Speedups) -> Iterator[tuple[str, list[Point]]]:
    for tone, speeds in ((_LAW, found.law), (_USED, found.used)):
        if speeds:
            yield tone, [(float(place), speed) for place, speed in sorted(speeds.items())]


def _legend(found: Speedups) -> tuple[Entry, ...]:
    entries = [Entry(name, line_tone(n), "dot") for n, name in enumerate(found.measured)]
    entries += [Entry("used by the policy", _USED)] * bool(found.used)
    if found.serial is not None:
        entries.append(Entry(f"Amdahl's law, {found.serial * _PERCENT:.3g} % serial", _LAW))
    return tuple(entries)


def _numbers(found: Speedups) -> Numbers:
    rows = [
        (name, f"{place}", f"{speed:.6g}", _told(found.used, place), _told(found.law, place))
        for name, _, _, place, speed in _measured(found)
    ]
    if found.spread is not None:
        for share, speeds in zip(("5 %", "95 %"), found.spread.tolist(), strict=True):
            rows += [
                (f"{share} of requests are below", f"{place}", f"{speed:.6g}", "", "")
                for place, speed in zip(found.places, speeds, strict=True)
            ]
    heads = ("requests", found.axis.title, "speed-up", "used by the policy", "Amdahl's law")
    return Numbers(_IDENT, heads, tuple(rows))


def _told(speeds: Mapping[int, float], place: int) -> str:
    return f"{speeds[place]:.6g}" if place in speeds else ""
