"""The demand of requests: how many bring more than so much work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tailc.percentiles import PPM, percentile_rank
from tailc.report.page.axis import Axis, logarithmic
from tailc.report.page.figure import Figure, Numbers
from tailc.report.page.plot import Entry, Plot, Point
from tailc.report.page.tones import line_tone
from tailc.traces.profile import NS_PER_MS, DemandProfile
from tailc.traces.summary import GRID_PPM, DemandSummary
from tailc.traces.tail_fit import TailLaw, demand_tail
from tailc.units import format_ppm

# So many points are as good as all of them.
_POINTS = 160
_IDENT = "demand"
_TITLE = "Demand of requests"


@dataclass(frozen=True)
class Sample:
    """Where a demand came from, and the share of requests above some demands [ms].

    promised_ms: the demand at the percentile of the first objective, None without one.
    """

    name: str
    points: tuple[Point, ...]
    promised_ms: float | None = None
    fit: TailLaw | None = None


def sample_of(name: str, profile: DemandProfile, percentile_ppm: int | None) -> Sample:
    """Of measured requests, with the fit of their tail where there are enough."""
    order = np.argsort(profile.demand_ms, kind="stable")
    demand_ms, reached = profile.demand_ms[order], np.cumsum(profile.weight[order])
    total = int(reached[-1])
    shares = np.geomspace(1.0, 1.0 / total, _POINTS)
    ranks = [min(max(percentile_rank(max(round((1 - s) * PPM), 1), total), 1), total)
             for s in shares]  # fmt: skip
    places = np.unique(np.searchsorted(reached, ranks))
    points = tuple(
        (float(demand_ms[place]), float(1 - reached[place] / total))
        for place in places
        if reached[place] < total
    )
    promised_ms = None
    if percentile_ppm is not None:
        promised_ms = profile.demand_at(percentile_rank(percentile_ppm, total))
    return Sample(name, points, promised_ms, demand_tail(profile))


def sample_of_summary(name: str, summary: DemandSummary, percentile_ppm: int | None) -> Sample:
    """Of the quantiles that an artifact carries; between them there is no promised one."""
    points = [
        (at_ns / NS_PER_MS, 1 - ppm / PPM)
        for ppm, at_ns in zip(GRID_PPM, summary.quantiles_ns, strict=True)
        if 0 < ppm < PPM
    ]
    promised_ms = None
    if percentile_ppm in GRID_PPM:
        promised_ms = summary.quantiles_ns[GRID_PPM.index(percentile_ppm)] / NS_PER_MS
    return Sample(name, tuple(points), promised_ms)


def demand_figure(samples: Sequence[Sample], percentile_ppm: int | None) -> Figure:
    """All samples in one picture, with the quantile that the first objective is about."""
    says = "The share of requests that bring more work than so much, on logarithmic scales."
    promised_ms = samples[0].promised_ms
    if percentile_ppm is not None and promised_ms is not None:
        says += f" The {format_ppm(percentile_ppm)} quantile of {samples[0].name} is marked."
    fits = [sample for sample in samples if sample.fit is not None]
    for sample in fits:
        says += f" {_fit_text(sample)}"
    entries = [Entry(sample.name, line_tone(place)) for place, sample in enumerate(samples)]
    entries += [Entry(f"fit of the tail of {sample.name}", "fit") for sample in fits]
    plot = Plot(_demand_axis(samples), _share_axis(samples), tuple(entries))
    marks = [plot.line(sample.points, line_tone(place)) for place, sample in enumerate(samples)]
    marks += [plot.line(_fitted(sample.fit, plot), "fit") for sample in fits if sample.fit]
    if percentile_ppm is not None and promised_ms is not None:
        text = f"{format_ppm(percentile_ppm)}: {promised_ms:.4g} ms"
        marks.append(plot.upright(promised_ms, text))
    svg = plot.drawn(_IDENT, _TITLE, says, marks)
    return Figure(_IDENT, _TITLE, says, (_numbers(samples),), svg)


def _demand_axis(samples: Sequence[Sample]) -> Axis:
    return logarithmic("demand [ms]", [x for each in samples for x, _ in each.points])


def _share_axis(samples: Sequence[Sample]) -> Axis:
    return logarithmic("share above", [y for each in samples for _, y in each.points])


def _fitted(fit: TailLaw, plot: Plot) -> list[Point]:
    demands = np.geomspace(fit.start, plot.x.high, _POINTS // 4)
    points = [(float(x), fit.survival(float(x))) for x in demands]
    return [(x, y) for x, y in points if y >= plot.y.low]


def _fit_text(sample: Sample) -> str:
    fit = sample.fit
    assert fit is not None
    return (
        f"Above {fit.start:.4g} ms a generalized Pareto law of shape {fit.shape:.2f} and scale "
        f"{fit.scale:.4g} ms is fitted to {sample.name}; at 0 a tail is exponential, above 0 "
        "heavier."
    )


def _numbers(samples: Sequence[Sample]) -> Numbers:
    rows = [(each.name, f"{x:.6g}", f"{y:.6g}") for each in samples for x, y in each.points]
    return Numbers(_IDENT, ("sample", "demand [ms]", "share above"), tuple(rows))
