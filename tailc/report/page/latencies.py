"""The section of latencies: a spectrum for each arrival process, and percentiles by rate."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.artifact.envelope import Policy
from tailc.experiment.point import Comparison, Point, Run
from tailc.report.page.content import MOST_FIGURES, Section
from tailc.report.page.costs import cost_figure
from tailc.report.page.figure import Figure
from tailc.report.page.rates import rates_figure
from tailc.report.page.spectra import Spectrum, spectrum_figure
from tailc.report.page.tones import line_tone
from tailc.report.verdict.words import POLICY

_AXES = "Latency by percentile of requests; each further nine has the same width."
_BAND = (
    " The band is the policy's 95 % interval: it reaches the top where requests are too few to "
    "limit it."
)
_OVERLOADED = (
    " The policy overloads the server at this rate, so its latency has no percentile and no line."
)


def latency_section(policy: Policy, comparison: Comparison, replayed: str) -> Section:
    """`replayed` says which requests were; costs are those of the busiest arrivals."""
    points = comparison.points[:MOST_FIGURES]
    figures = [_spectrum(comparison, number, point) for number, point in enumerate(points)]
    slos = range(len(comparison.slos))[:MOST_FIGURES]
    figures += [rates_figure(comparison, number) for number in slos]
    busiest = busiest_point(comparison.points)
    if busiest is not None:
        figures.append(cost_figure(policy, comparison, comparison.points.index(busiest)))
    says = replayed
    if len(comparison.points) > MOST_FIGURES:
        says += f" Spectra of the first {MOST_FIGURES} of {len(comparison.points)} are shown."
    told = tuple(figure for figure in figures if figure is not None)
    return Section("latency", "Latency", told, says)


def without_latency(policy: Policy) -> str:
    """Why a compile predicts none; nothing of a policy that no request comes to."""
    if policy.plan is not None or policy.shares is not None:
        return ""
    return "no latency by percentile: the spec states no rates or no objective"


def busiest_point(points: Sequence[Point]) -> Point | None:
    """The highest rate that the policy keeps up with."""
    kept = [point for point in points if not point.policy.load.is_overloaded]
    return max(kept, key=lambda point: point.rate_mrps, default=None)


def _spectrum(comparison: Comparison, number: int, point: Point) -> Figure | None:
    """The policy and its baselines; the baselines alone if the policy overloads the server.

    None if there is no spectrum to show.
    """
    is_overloaded = point.policy.load.is_overloaded
    spectra = _baseline_spectra(point) if is_overloaded else shown_spectra(point)
    if not spectra or not all(spectrum.quantiles for spectrum in spectra):
        return None
    title = f"Latency by percentile at {point.arrivals}"
    says = _AXES + (_OVERLOADED if is_overloaded else _BAND)
    return spectrum_figure(f"spectrum-{number + 1}", title, spectra, comparison.slos, says)


def shown_spectra(point: Point) -> list[Spectrum]:
    """The policy's, and those of who is shown beside it."""
    return [Spectrum(POLICY, line_tone(0), point.policy.spectrum), *_baseline_spectra(point)]


def _baseline_spectra(point: Point) -> list[Spectrum]:
    """Of the first baseline, and of the best of the others, if they keep up."""
    return [
        Spectrum(run.subject, line_tone(place), run.spectrum)
        for place, run in enumerate(_beside(point), start=1)
    ]


def _beside(point: Point) -> list[Run]:
    """The first baseline, and of the others the best at the first objective."""
    kept = [run for run in point.baselines if run.spectrum and not run.load.is_overloaded]
    others = [run for run in kept if run is not point.baselines[0]]
    best = sorted(others, key=lambda run: run.estimates[0].estimate_us)[:1]
    return [run for run in kept if run is point.baselines[0]] + best
