"""Section of latencies: a spectrum per arrival process, and percentiles by rate."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.artifact.envelope import Policy
from tailc.experiment.point import Point, Run, SloComparison
from tailc.report.page.content import MOST_FIGURES, Section
from tailc.report.pictures.costs import cost_figure
from tailc.report.pictures.figure import Figure
from tailc.report.pictures.rates import rates_figure
from tailc.report.pictures.spectra import Spectrum, spectrum_figure
from tailc.report.pictures.tones import line_tone
from tailc.report.verdict.words import POLICY

_AXES = "Latency by percentile of requests; each further nine has the same width."
_BAND = (
    " The band is the policy's 95 % interval: it reaches the top where requests are too few to "
    "limit it."
)
_OVERLOADED = (
    " The policy overloads the server at this rate, so its latency has no percentile and no line."
)


def latency_section(policy: Policy, comparison: SloComparison, replayed: str) -> Section:
    """Build the page section of latency and cost, by arrival process and by rate.

    Costs are those at the highest rate that does not overload the policy's server. replayed: a
    sentence that says which requests were replayed.
    """
    points = comparison.points[:MOST_FIGURES]
    figures = [_spectrum(comparison, number, point) for number, point in enumerate(points)]
    slos = range(len(comparison.slos))[:MOST_FIGURES]
    figures += [rates_figure(comparison, number) for number in slos]
    busiest = busiest_point(comparison.points)
    if busiest is not None:
        figures.append(cost_figure(policy, comparison, comparison.points.index(busiest)))
    caption = replayed
    if len(comparison.points) > MOST_FIGURES:
        caption += f" Spectra of the first {MOST_FIGURES} of {len(comparison.points)} are shown."
    drawn_figures = tuple(figure for figure in figures if figure is not None)
    return Section("latency", "Latency", drawn_figures, caption)


def without_latency(policy: Policy) -> str:
    """Reason why a compile predicts no latency; empty for policies without requests."""
    if not policy.ladders and policy.tail_table is None:
        return ""
    return "no latency by percentile: the spec states no rates or no objective"


def busiest_point(points: Sequence[Point]) -> Point | None:
    """The results at the highest rate that does not overload the policy's server, or None."""
    stable = [point for point in points if not point.policy.load.is_overloaded]
    return max(stable, key=lambda point: point.rate_mrps, default=None)


def _spectrum(comparison: SloComparison, number: int, point: Point) -> Figure | None:
    """Draw the spectra of the policy and its baselines, or of the baselines alone in overload.

    None if there is no spectrum.
    """
    is_overloaded = point.policy.load.is_overloaded
    spectra = _baseline_spectra(point) if is_overloaded else drawn_spectra(point)
    if not spectra or not all(spectrum.quantiles for spectrum in spectra):
        return None
    title = f"Latency by percentile at {point.arrivals}"
    caption = _AXES + (_OVERLOADED if is_overloaded else _BAND)
    return spectrum_figure(f"spectrum-{number + 1}", title, spectra, comparison.slos, caption)


def drawn_spectra(point: Point) -> list[Spectrum]:
    """Latency distributions of the policy and of the baselines that are drawn with it."""
    return [Spectrum(POLICY, line_tone(0), point.policy.spectrum), *_baseline_spectra(point)]


def _baseline_spectra(point: Point) -> list[Spectrum]:
    """Spectra of the baselines that are drawn, as far as they keep up."""
    return [
        Spectrum(run.subject, line_tone(place), run.spectrum)
        for place, run in enumerate(_drawn_baselines(point), start=1)
    ]


def _drawn_baselines(point: Point) -> list[Run]:
    """The first baseline, and the best of the others for the first SLO."""
    stable = [run for run in point.baselines if run.spectrum and not run.load.is_overloaded]
    others = [run for run in stable if run is not point.baselines[0]]
    best = sorted(others, key=lambda run: run.estimates[0].estimate_us)[:1]
    return [run for run in stable if run is point.baselines[0]] + best
