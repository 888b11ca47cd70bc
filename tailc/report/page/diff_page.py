"""The page of a comparison: two policies before and after, and what differs between them."""

from __future__ import annotations

from tailc.artifact.envelope import Policy
from tailc.artifact.json_form import digest_of
from tailc.diff.behaviour import Behaviour, Point
from tailc.diff.compare import Diff
from tailc.experiment.quantile import Quantile
from tailc.forms.ladder.table import Ladder
from tailc.report.page.content import MOST_FIGURES, Page, Section
from tailc.report.page.diff_map import diff_map_figure, without_change_map
from tailc.report.page.figure import Figure
from tailc.report.page.parts import (
    HELD_OUT,
    certificate_section,
    demand_section,
    map_section,
    plan_section,
    present,
)
from tailc.report.page.spectra import Spectrum, spectrum_figure
from tailc.report.page.tones import line_tone
from tailc.specs.slo import Slo
from tailc.traces.profile import DemandProfile
from tailc.units import format_mrps

_LATENCY = "Latency before and after"
_SAYS = (
    "Latency that so many requests stay within, before and after, on the same requests at the "
    "same times. The band is where the new line may lie by the 95 % interval of the change: where "
    "all of it is to one side of the old line, the change is shown."
)


def compared_page(
    policies: tuple[Policy, Policy], found: Diff, held_out: DemandProfile | None, text: str
) -> Page:
    """`held_out` None: nothing was replayed; `text` is all that was found, in words."""
    old, new = policies
    latency = None if held_out is None else _latency(found.behaviour, policies)
    measured = [] if held_out is None else [(HELD_OUT, held_out)]
    sections = (
        latency,
        _changes(old, new),
        map_section(new),
        plan_section(new),
        demand_section(new, measured),
        certificate_section(new),
        Section("words", "What changes, in words", text=text),
    )
    differs = found.structure.differs
    facts = (*_facts("Old", old), *_facts("New", new), ("They differ", "yes" if differs else "no"))
    return Page(new.name, "Comparison", facts, present(*sections))


def _facts(side: str, policy: Policy) -> tuple[tuple[str, str], ...]:
    rates = ", ".join(map(format_mrps, policy.rates_mrps))
    return (
        (f"{side} policy", f"{policy.name} ({policy.kind}), generation {policy.generation}"),
        (f"{side} objectives", "; ".join(map(str, policy.slos)) or "none"),
        (f"{side} rates", rates or "none"),
        (f"{side} digest", digest_of(policy)),
    )


def _latency(behaviour: Behaviour | None, policies: tuple[Policy, Policy]) -> Section:
    """Spectra before and after, or why there are none."""
    if behaviour is None:
        return Section("latency", _LATENCY, says="Every request runs as before.")
    shown = behaviour.points[:MOST_FIGURES]
    figures = [_spectrum(number, point, policies) for number, point in enumerate(shown, start=1)]
    says = f"Replayed on {behaviour.held_out_requests:,} held-out requests."
    if len(behaviour.points) > MOST_FIGURES:
        says += f" Spectra of the first {MOST_FIGURES} of {len(behaviour.points)} are shown."
    told = tuple(figure for figure in figures if figure is not None)
    if not told:
        says += " At no arrivals do both policies keep up."
    return Section("latency", _LATENCY, told, says)


def _spectrum(number: int, point: Point, policies: tuple[Policy, Policy]) -> Figure | None:
    """None where either is overloaded, so that no percentile exists."""
    spectra = spectra_of(point)
    if not spectra:
        return None
    title = f"Latency by percentile at {point.arrivals}"
    return spectrum_figure(f"spectrum-{number}", title, spectra, promised(policies), _SAYS)


def spectra_of(point: Point) -> list[Spectrum]:
    """New and old, the new one with the interval of the change beside it; none where either is
    overloaded, or nobody asked for pictures.
    """
    if point.old_is_overloaded or point.new_is_overloaded or not point.spectrum:
        return []
    before = tuple(Quantile(ppm, change.old, None, None) for ppm, change in point.spectrum)
    after = tuple(
        Quantile(ppm, change.new, *(_beside(change.old, end) for end in (change.low, change.high)))
        for ppm, change in point.spectrum
    )
    return [Spectrum("new", line_tone(0), after), Spectrum("old", line_tone(1), before)]


def promised(policies: tuple[Policy, Policy]) -> tuple[Slo, ...]:
    """The objectives of either policy, each once."""
    return tuple(dict.fromkeys(slo for policy in policies for slo in policy.slos))


def _beside(old_us: int, change_us: int | None) -> int | None:
    return None if change_us is None else max(old_us + change_us, 1)


def _changes(old: Policy, new: Policy) -> Section | None:
    """A map of the change for each ladder of the new policy, or why there is none."""
    before = {ladder.request_class: ladder for ladder in old.ladders}
    told = [
        _change(number, before.get(ladder.request_class), ladder)
        for number, ladder in enumerate(new.ladders[:MOST_FIGURES], start=1)
    ]
    figures = tuple(one for one in told if isinstance(one, Figure))
    says = " ".join(one for one in told if isinstance(one, str))
    return Section("changes", "Map of the change", figures, says) if told else None


def _change(number: int, old: Ladder | None, new: Ladder) -> Figure | str:
    """The map, or a sentence."""
    of = "" if new.request_class is None else f", class {new.request_class}"
    title = f"Rungs by load and age, new against old{of}"
    drawn = None if old is None else diff_map_figure(f"change-{number}", title, old, new)
    return drawn or f"There is no map{of}: {without_change_map(old, new)}."
