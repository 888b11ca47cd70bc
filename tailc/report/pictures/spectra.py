"""Picture of latency by percentile with intervals; each further nine is equally wide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from tailc.experiment.quantile import Quantile
from tailc.report.pictures.axis import logarithmic, spectrum
from tailc.report.pictures.figure import Figure, Numbers
from tailc.report.pictures.plot import LegendEntry, Plot
from tailc.specs.slo import Slo
from tailc.units import format_ppm, format_us

_US_PER_MS = 1_000


@dataclass(frozen=True)
class Spectrum:
    """Latency quantiles of a policy or baseline, and the CSS class of its line."""

    name: str
    tone: str
    quantiles: tuple[Quantile, ...]


def spectrum_figure(
    ident: str, title: str, spectra: Sequence[Spectrum], slos: Sequence[Slo], caption: str
) -> Figure:
    """Draw all spectra in one picture; mark the SLOs that apply to all requests."""
    every_quantile = [one for each in spectra for one in each.quantiles]
    times_us = [one.estimate_us for one in every_quantile]
    times_us += [
        end for one in every_quantile for end in (one.low_us, one.high_us) if end is not None
    ]
    limits_us = [slo.latency_us for slo in slos if slo.request_class is None]
    plot = Plot(
        spectrum("percentile of requests", max(one.percentile_ppm for one in every_quantile)),
        logarithmic("latency [ms]", [max(us, 1) / _US_PER_MS for us in (*times_us, *limits_us)]),
        tuple(LegendEntry(each.name, each.tone) for each in spectra),
    )
    marks = [mark for each in spectra for mark in _marks(plot, each)]
    marks += [_objective(plot, slo) for slo in slos if slo.request_class is None]
    return plot.figure(ident, title, caption, (_numbers(ident, spectra),), marks)


def _marks(plot: Plot, each: Spectrum) -> Iterable[Markup]:
    bounded = [one for one in each.quantiles if one.low_us is not None]
    if bounded:
        upper = [
            (one.percentile_ppm, plot.y.high if one.high_us is None else one.high_us / _US_PER_MS)
            for one in bounded
        ]
        lower = [(one.percentile_ppm, (one.low_us or 0) / _US_PER_MS) for one in bounded]
        yield plot.band(upper, lower, each.tone)
    points = [(float(one.percentile_ppm), one.estimate_us / _US_PER_MS) for one in each.quantiles]
    yield plot.line(points, each.tone)
    for point, one in zip(points, each.quantiles, strict=True):
        yield plot.dot(point, each.tone, f"{each.name}: {_quantile(one)}")


def _quantile(one: Quantile) -> str:
    text = f"{format_ppm(one.percentile_ppm)} within {format_us(one.estimate_us)}"
    if one.low_us is None:
        return text
    high = "unknown" if one.high_us is None else format_us(one.high_us)
    return f"{text}, 95 % interval {format_us(one.low_us)} to {high}"


def _objective(plot: Plot, slo: Slo) -> Markup:
    """Corner that marks an SLO; the spectrum has to pass below it."""
    at = plot.to_canvas(slo.percentile_ppm, slo.latency_us / _US_PER_MS)
    return plot.corner(at, str(slo))


def _numbers(name: str, spectra: Sequence[Spectrum]) -> Numbers:
    rows = [
        (
            each.name,
            format_ppm(one.percentile_ppm).replace(" %", ""),
            str(one.estimate_us / _US_PER_MS),
            "" if one.low_us is None else str(one.low_us / _US_PER_MS),
            "" if one.high_us is None else str(one.high_us / _US_PER_MS),
        )
        for each in spectra
        for one in each.quantiles
    ]
    heads = ("subject", "percentile", "latency [ms]", "low [ms]", "high [ms]")
    return Numbers(name, heads, tuple(rows))
