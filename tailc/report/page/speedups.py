"""Speed-up by threads or by rung: of all requests, of the longest and of the shortest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tailc.forms.ladder.table import Ladder
from tailc.forms.ladder.units import degrees
from tailc.report.page.axis import Axis, counted, linear
from tailc.report.page.figure import Figure, Numbers
from tailc.report.page.plot import Entry, Plot
from tailc.report.page.tones import line_tone
from tailc.traces.profile import DemandProfile
from tailc.traces.speedup_check import speedup_summary

_IDENT = "speedups"
_TITLE = "Speed-up"
_SAYS = (
    "Mean speed-up of requests, total work over total time. The longest and the shortest are each "
    "a twentieth of the requests, by demand."
)
_ROOM = 1.05


def speedup_figure(profile: DemandProfile, ladders: Sequence[Ladder]) -> Figure | None:
    """By threads, or where rungs are something else by rung; None where the trace tells of one."""
    if profile.degrees < 2:
        return None
    axis = _axis(profile, ladders)
    found = speedup_summary(profile)
    groups = {"all requests": found.everyone, "longest 5 %": found.longest,
              "shortest 5 %": found.shortest}  # fmt: skip
    top = max(float(speeds.max()) for speeds in groups.values())
    plot = Plot(
        axis,
        linear("speed-up", 0.0, top * _ROOM),
        tuple(Entry(name, line_tone(place)) for place, name in enumerate(groups)),
    )
    marks, rows = [], []
    for place, (name, speeds) in enumerate(groups.items()):
        points = [(float(degree), float(s)) for degree, s in enumerate(speeds, start=1)]
        marks.append(plot.line(points, line_tone(place)))
        marks += [plot.dot(p, line_tone(place), f"{name}, {p[0]:g}: {p[1]:.3g}") for p in points]
        rows += [(name, f"{degree:g}", f"{speed:.6g}") for degree, speed in points]
    numbers = Numbers(_IDENT, ("requests", axis.title, "speed-up"), tuple(rows))
    return Figure(_IDENT, _TITLE, _SAYS, (numbers,), plot.drawn(_IDENT, _TITLE, _SAYS, marks))


def _axis(profile: DemandProfile, ladders: Sequence[Ladder]) -> Axis:
    """Rungs by name where there are as many as columns of the trace, and they are no threads."""
    places = counted("threads", 1, profile.degrees)
    if not ladders or degrees(ladders[0]) is not None:
        return places
    names = [rung.name for rung in ladders[0].rungs]
    if len(names) != profile.degrees:
        return places
    ticks = tuple((float(place), name) for place, name in enumerate(names, start=1))
    return replace(places, title="rung", ticks=ticks)
