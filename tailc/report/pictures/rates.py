"""Picture of the SLO percentile by arrival rate, for the policy and all baselines."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from tailc.experiment.point import Point, Run, SloComparison, SloEstimate
from tailc.report.pictures.axis import linear, logarithmic
from tailc.report.pictures.figure import Figure, Numbers
from tailc.report.pictures.plot import LegendEntry, Plot
from tailc.report.pictures.tones import line_tone
from tailc.report.verdict.words import POLICY, percentile
from tailc.specs.slo import Slo
from tailc.units import format_mrps, format_ppm, format_us

_US_PER_MS = 1_000
_MRPS = 1_000
_ROOM = 1.05


def rates_figure(comparison: SloComparison, number: int) -> Figure | None:
    """Draw the percentile of SLO `number`; None unless two Poisson rates or more were replayed.

    An overloaded server has no dot: its percentile grows with the length of the replay.
    """
    points = sorted(
        (point for point in comparison.points if point.arrivals == format_mrps(point.rate_mrps)),
        key=lambda point: point.rate_mrps,
    )
    slo = comparison.slos[number]
    names = [POLICY, *(run.subject for run in points[0].baselines)] if points else []
    if len(points) < 2 or not _stable_runs(points):
        return None
    ident = f"rates-{number + 1}"
    title = f"{percentile(slo)} latency by rate"
    caption = (
        f"The {format_ppm(slo.percentile_ppm)} percentile of latency at each arrival rate, with "
        "the policy's 95 % interval. Rates at which a server is overloaded have no dot."
    )
    plot = Plot(
        linear("requests per second", 0.0, points[-1].rate_mrps / _MRPS * _ROOM),
        logarithmic("latency [ms]", list(_times_ms(points, slo, number))),
        tuple(LegendEntry(name, line_tone(place)) for place, name in enumerate(names)),
    )
    marks = [mark for place in reversed(range(len(names)))
             for mark in _marks(plot, points, number, place, names[place])]  # fmt: skip
    marks.append(plot.level(slo.latency_us / _US_PER_MS, str(slo)))
    return plot.figure(ident, title, caption, (_numbers(ident, points, number),), marks)


def _stable_runs(points: list[Point]) -> list[Run]:
    """All runs without overload."""
    return [run for point in points for run in _runs(point) if not run.load.is_overloaded]


def _runs(point: Point) -> tuple[Run, ...]:
    return (point.policy, *point.baselines)


def _times_ms(points: list[Point], slo: Slo, number: int) -> Iterable[float]:
    yield slo.latency_us / _US_PER_MS
    for run in _stable_runs(points):
        verdict = run.estimates[number]
        yield max(verdict.estimate_us, 1) / _US_PER_MS
    for run in (point.policy for point in points if not point.policy.load.is_overloaded):
        verdict = run.estimates[number]
        yield max(verdict.low_us, 1) / _US_PER_MS
        yield max(verdict.high_us or verdict.estimate_us, 1) / _US_PER_MS


def _marks(plot: Plot, points: list[Point], number: int, place: int, name: str) -> Iterable[Markup]:
    tone = line_tone(place)
    by_rate = [(point.rate_mrps / _MRPS, _runs(point)[place]) for point in points]
    stable = [(rate, run.estimates[number]) for rate, run in by_rate if not run.load.is_overloaded]
    dots = [(rate, verdict.estimate_us / _US_PER_MS) for rate, verdict in stable]
    if dots:
        yield plot.line(dots, tone)
    for dot, (rate, verdict) in zip(dots, stable, strict=True):
        if place == 0:
            high = plot.y.high if verdict.high_us is None else verdict.high_us / _US_PER_MS
            yield plot.bar(rate, verdict.low_us / _US_PER_MS, high, tone)
        yield plot.dot(dot, tone, f"{name} at {rate:g}/s: {_estimate(verdict)}")


def _estimate(verdict: SloEstimate) -> str:
    high = "unknown" if verdict.high_us is None else format_us(verdict.high_us)
    limits = f"{format_us(verdict.low_us)} to {high}"
    return f"{format_us(verdict.estimate_us)}, 95 % interval {limits}"


def _numbers(name: str, points: list[Point], number: int) -> Numbers:
    rows = [
        (
            f"{point.rate_mrps / _MRPS:g}",
            POLICY if place == 0 else run.subject,
            run.note,
            str(run.estimates[number].estimate_us / _US_PER_MS),
            str(run.estimates[number].low_us / _US_PER_MS),
            "" if (high := run.estimates[number].high_us) is None else str(high / _US_PER_MS),
            "yes" if run.load.is_overloaded else "no",
        )
        for point in points
        for place, run in enumerate(_runs(point))
    ]
    heads = ("rate [1/s]", "subject", "note", "latency [ms]", "low [ms]", "high [ms]", "overloaded")
    return Numbers(name, heads, tuple(rows))
