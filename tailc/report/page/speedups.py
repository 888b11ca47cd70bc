"""Speed-up by degree of parallelism, of all requests, of the longest and of the shortest."""

from __future__ import annotations

from tailc.report.page.axis import counted, linear
from tailc.report.page.figure import Figure, Numbers
from tailc.report.page.plot import Entry, Plot
from tailc.report.page.tones import line_tone
from tailc.traces.profile import DemandProfile
from tailc.traces.speedup_check import speedup_summary

_IDENT = "speedups"
_TITLE = "Speed-up"
_SAYS = (
    "Mean speed-up of requests on so many threads, total work over total time. The longest and the "
    "shortest are each a twentieth of the requests, by demand."
)
_ROOM = 1.05


def speedup_figure(profile: DemandProfile) -> Figure | None:
    """None where the trace tells of one thread alone."""
    if profile.degrees < 2:
        return None
    found = speedup_summary(profile)
    groups = {"all requests": found.everyone, "longest 5 %": found.longest,
              "shortest 5 %": found.shortest}  # fmt: skip
    top = max(float(speeds.max()) for speeds in groups.values())
    plot = Plot(
        counted("threads", 1, profile.degrees),
        linear("speed-up", 0.0, top * _ROOM),
        tuple(Entry(name, line_tone(place)) for place, name in enumerate(groups)),
    )
    marks, rows = [], []
    for place, (name, speeds) in enumerate(groups.items()):
        points = [(float(degree), float(s)) for degree, s in enumerate(speeds, start=1)]
        marks.append(plot.line(points, line_tone(place)))
        marks += [plot.dot(p, line_tone(place), f"{name}, {p[0]:g}: {p[1]:.3g}") for p in points]
        rows += [(name, f"{degree:g}", f"{speed:.6g}") for degree, speed in points]
    numbers = Numbers(_IDENT, ("requests", "threads", "speed-up"), tuple(rows))
    return Figure(_IDENT, _TITLE, _SAYS, (numbers,), plot.drawn(_IDENT, _TITLE, _SAYS, marks))
