"""Picture of the demand of requests: share of requests above each demand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tailc.percentiles import PPM, percentile_rank
from tailc.report.pictures.axis import Axis, logarithmic
from tailc.report.pictures.figure import Figure, Numbers
from tailc.report.pictures.plot import LegendEntry, Plot, Point
from tailc.report.pictures.tones import line_tone
from tailc.traces.profile import NS_PER_MS, DemandProfile
from tailc.traces.summary import GRID_PPM, DemandSummary
from tailc.traces.tail_fit import TailLaw, demand_tail
from tailc.units import format_ppm

# More points would not change the curve visibly.
_POINTS = 160
_IDENT = "demand"
_TITLE = "Demand of requests"


@dataclass(frozen=True)
class DemandSample:
    """A distribution of demand: shares of requests above some demands [ms].

    promised_ms: demand at the percentile of the first SLO; None without an SLO. fit: a fitted law
    of the tail, or None.
    """

    name: str
    points: tuple[Point, ...]
    promised_ms: float | None = None
    fit: TailLaw | None = None


def sample_from_profile(
    name: str, profile: DemandProfile, percentile_ppm: int | None
) -> DemandSample:
    """Build the distribution of measured demands, with a fit of its tail if there are enough."""
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
    return DemandSample(name, points, promised_ms, demand_tail(profile))


def sample_from_summary(
    name: str, summary: DemandSummary, percentile_ppm: int | None
) -> DemandSample:
    """Build the distribution from the quantiles in an artifact.

    `promised_ms` is None if the percentile of the SLO is not on the grid of quantiles.
    """
    points = [
        (at_ns / NS_PER_MS, 1 - ppm / PPM)
        for ppm, at_ns in zip(GRID_PPM, summary.quantiles_ns, strict=True)
        if 0 < ppm < PPM
    ]
    promised_ms = None
    if percentile_ppm in GRID_PPM:
        promised_ms = summary.quantiles_ns[GRID_PPM.index(percentile_ppm)] / NS_PER_MS
    return DemandSample(name, tuple(points), promised_ms)


def demand_figure(samples: Sequence[DemandSample], percentile_ppm: int | None) -> Figure:
    """Draw all distributions in one picture, and mark the percentile of the first SLO."""
    caption = "Share of requests with a larger demand, by demand, on logarithmic scales."
    promised_ms = samples[0].promised_ms
    if percentile_ppm is not None and promised_ms is not None:
        caption += f" The {format_ppm(percentile_ppm)} quantile of {samples[0].name} is marked."
    fits = [sample for sample in samples if sample.fit is not None]
    for sample in fits:
        caption += f" {_fit_text(sample)}"
    entries = [LegendEntry(sample.name, line_tone(place)) for place, sample in enumerate(samples)]
    entries += [LegendEntry(f"fit of the tail of {sample.name}", "fit") for sample in fits]
    plot = Plot(_demand_axis(samples), _share_axis(samples), tuple(entries))
    marks = [plot.line(sample.points, line_tone(place)) for place, sample in enumerate(samples)]
    marks += [plot.line(_fit_points(sample.fit, plot), "fit") for sample in fits if sample.fit]
    if percentile_ppm is not None and promised_ms is not None:
        text = f"{format_ppm(percentile_ppm)}: {promised_ms:.4g} ms"
        marks.append(plot.upright(promised_ms, text))
    return plot.figure(_IDENT, _TITLE, caption, (_numbers(samples),), marks)


def _demand_axis(samples: Sequence[DemandSample]) -> Axis:
    return logarithmic("demand [ms]", [x for each in samples for x, _ in each.points])


def _share_axis(samples: Sequence[DemandSample]) -> Axis:
    return logarithmic("share above", [y for each in samples for _, y in each.points])


def _fit_points(fit: TailLaw, plot: Plot) -> list[Point]:
    demands = np.geomspace(fit.start, plot.x.high, _POINTS // 4)
    points = [(float(x), fit.survival(float(x))) for x in demands]
    return [(x, y) for x, y in points if y >= plot.y.low]


def _fit_text(sample: DemandSample) -> str:
    fit = sample.fit
    assert fit is not None
    return (
        f"Above {fit.start:.4g} ms a generalized Pareto law of shape {fit.shape:.2f} and scale "
        f"{fit.scale:.4g} ms is fitted to {sample.name}; with shape 0 "
        "a tail is exponential, with a larger shape heavier."
    )


def _numbers(samples: Sequence[DemandSample]) -> Numbers:
    rows = [(each.name, f"{x:.6g}", f"{y:.6g}") for each in samples for x, y in each.points]
    return Numbers(_IDENT, ("sample", "demand [ms]", "share above"), tuple(rows))
