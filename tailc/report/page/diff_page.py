"""Page of a comparison of two policies."""

from __future__ import annotations

from tailc.artifact.envelope import Policy
from tailc.artifact.json_form import digest_of
from tailc.diff.behaviour import Behaviour, BehaviourPoint
from tailc.diff.compare import Diff
from tailc.experiment.quantile import Quantile
from tailc.forms.ladder.table import Ladder
from tailc.report.page.content import MOST_FIGURES, Page, Section
from tailc.report.page.parts import (
    HELD_OUT,
    certificate_section,
    demand_section,
    map_section,
    plan_section,
    present,
)
from tailc.report.pictures.diff_map import diff_map_figure, without_change_map
from tailc.report.pictures.figure import Figure
from tailc.report.pictures.spectra import Spectrum, spectrum_figure
from tailc.report.pictures.tones import line_tone
from tailc.specs.slo import Slo
from tailc.traces.profile import DemandProfile
from tailc.units import format_mrps

_LATENCY = "Latency before and after"
_CAPTION = (
    "Latency by percentile with the old and the new policy, on the same requests at the same "
    "times. The band is the 95 % interval of the new latency, from that of the change. If the "
    "whole band is on one side of the old line, the change is significant."
)


def compared_page(
    policies: tuple[Policy, Policy], diff: Diff, held_out: DemandProfile | None, text: str
) -> Page:
    """Build the page of a comparison of two policies.

    held_out: requests of the replay; None: not replayed. text: the whole comparison as text.
    """
    old, new = policies
    latency = None if held_out is None else _latency(diff.behaviour, policies)
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
    differs = diff.structure.differs
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
    """Section of latency spectra of both policies, or why there are none."""
    if behaviour is None:
        return Section("latency", _LATENCY, caption="Every request runs as before.")
    points = behaviour.points[:MOST_FIGURES]
    figures = [_spectrum(number, point, policies) for number, point in enumerate(points, start=1)]
    caption = f"Replayed on {behaviour.held_out_requests:,} held-out requests."
    if len(behaviour.points) > MOST_FIGURES:
        caption += f" Spectra of the first {MOST_FIGURES} of {len(behaviour.points)} are shown."
    drawn_figures = tuple(figure for figure in figures if figure is not None)
    if not drawn_figures:
        caption += " At every rate, one of the policies is overloaded."
    return Section("latency", _LATENCY, drawn_figures, caption)


def _spectrum(number: int, point: BehaviourPoint, policies: tuple[Policy, Policy]) -> Figure | None:
    """Draw both spectra at one point; None if either policy overloads the server."""
    spectra = comparison_spectra(point)
    if not spectra:
        return None
    title = f"Latency by percentile at {point.arrivals}"
    return spectrum_figure(f"spectrum-{number}", title, spectra, combined_slos(policies), _CAPTION)


def comparison_spectra(point: BehaviourPoint) -> list[Spectrum]:
    """Latency by percentile of the new and the old policy, for a picture of both.

    The new policy has the interval of the change. Empty if either policy is overloaded, or if the
    percentiles were not recorded.
    """
    if point.old_is_overloaded or point.new_is_overloaded or not point.spectrum:
        return []
    before = tuple(Quantile(ppm, change.old, None, None) for ppm, change in point.spectrum)
    after = tuple(
        Quantile(
            ppm, change.new, *(_add_change(change.old, end) for end in (change.low, change.high))
        )
        for ppm, change in point.spectrum
    )
    return [Spectrum("new", line_tone(0), after), Spectrum("old", line_tone(1), before)]


def combined_slos(policies: tuple[Policy, Policy]) -> tuple[Slo, ...]:
    """SLOs of either policy, without duplicates."""
    return tuple(dict.fromkeys(slo for policy in policies for slo in policy.slos))


def _add_change(old_us: int, change_us: int | None) -> int | None:
    return None if change_us is None else max(old_us + change_us, 1)


def _changes(old: Policy, new: Policy) -> Section | None:
    """Section with a map of the change of each ladder, or why there is none."""
    before = {ladder.request_class: ladder for ladder in old.ladders}
    parts = [
        _change(number, before.get(ladder.request_class), ladder)
        for number, ladder in enumerate(new.ladders[:MOST_FIGURES], start=1)
    ]
    figures = tuple(one for one in parts if isinstance(one, Figure))
    caption = " ".join(one for one in parts if isinstance(one, str))
    return Section("changes", "Map of the change", figures, caption) if parts else None


def _change(number: int, old: Ladder | None, new: Ladder) -> Figure | str:
    """Map of the change of one ladder, or a sentence why there is none."""
    suffix = "" if new.request_class is None else f", class {new.request_class}"
    title = f"Rungs by load and age, new against old{suffix}"
    figure = None if old is None else diff_map_figure(f"change-{number}", title, old, new)
    return figure or f"There is no map{suffix}: {without_change_map(old, new)}."
