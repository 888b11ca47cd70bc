"""Picture of the gains of the services of a fleet, from the least to the greatest."""

from __future__ import annotations

from collections.abc import Iterable

from tailc.artifact.estimates import Standing
from tailc.report.pictures.axis import count_axis, linear
from tailc.report.pictures.figure import Figure, Numbers
from tailc.report.pictures.plot import LegendEntry, Plot
from tailc.studies.fleet import PolicySummary

_PPM_PER_PERCENT = 10_000
_ROOM = 1.08


def gains_figure(policies: Iterable[tuple[str, PolicySummary]]) -> Figure | None:
    """Draw a dot for each service, by name, that has a gain; None if no service has one."""
    gains = sorted(
        (-policy.change_ppm / _PPM_PER_PERCENT, name, policy.standing)
        for name, policy in policies
        if policy.standing and policy.change_ppm is not None
    )
    if not gains:
        return None
    low, high = min(0.0, gains[0][0]), max(1.0, gains[-1][0])
    plot = Plot(
        count_axis("services, by gain", 1, len(gains)),
        linear("gain [%]", low * _ROOM, high * _ROOM),
        (LegendEntry("passes", "t0", "dot"), LegendEntry("does not pass", "t1", "dot")),
    )
    marks = [plot.level(0.0, "best setting by hand")]
    for number, (gain, name, standing) in enumerate(gains, start=1):
        tone = "t0" if standing is Standing.PASS else "t1"
        marks.append(plot.dot((number, gain), tone, f"{name}: {gain:.1f} %, {standing.value}"))
    caption = (
        "How far the percentile of each service (or its cost, if that is minimised) is below that "
        "of its best setting by hand, at the rate where it is least."
    )
    rows = tuple((name, f"{gain:.4f}", standing.value) for gain, name, standing in gains)
    numbers = Numbers("gains", ("service", "gain_percent", "estimate"), rows)
    return plot.figure("gains", "Gains", caption, (numbers,), marks)
