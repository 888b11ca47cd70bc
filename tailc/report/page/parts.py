"""Sections that several pages share."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.artifact.envelope import InputRole, Policy
from tailc.artifact.json_form import digest_of
from tailc.experiment.point import Comparison
from tailc.report.page.certificate import certificate_figure
from tailc.report.page.content import MOST_FIGURES, Section
from tailc.report.page.demands import Sample, demand_figure, sample_of, sample_of_summary
from tailc.report.page.figure import Figure
from tailc.report.page.job_stack import jobs_figure
from tailc.report.page.latencies import busiest_point
from tailc.report.page.policy_map import map_figure
from tailc.report.page.power_stack import power_section
from tailc.report.page.speedups import speedup_figures
from tailc.report.plan_power import power_from_plan
from tailc.report.policy import policy_text
from tailc.traces.profile import DemandProfile
from tailc.units import format_mrps

_STEERED = (
    "A controller scales the ages while the server runs: these are they where it changes none."
)
DESIGN = "the sample of the compile"
HELD_OUT = "the held-out requests"


def policy_facts(policy: Policy) -> tuple[tuple[str, str], ...]:
    """What a policy is, in a few lines."""
    return (
        ("Kind", policy.kind),
        ("Generation", str(policy.generation)),
        ("Objectives", "; ".join(map(str, policy.slos)) or "none"),
        ("Arrival rates", ", ".join(map(format_mrps, policy.rates_mrps)) or "none"),
        ("Policy digest", digest_of(policy)),
    )


def map_section(policy: Policy, comparison: Comparison | None = None) -> Section | None:
    """A map for each ladder, with the occupancy of the busiest arrivals that the server keeps up
    with; of a policy without a ladder why there is none, and None of a plan, which has its power.
    """
    if policy.plan is not None:
        return None
    if not policy.ladders:
        return Section("map", "Policy map", says=f"There is {without_map(policy)}.")
    point = None if comparison is None else busiest_point(comparison.points)
    occupancy = point.policy.occupancy if point is not None else ()
    figures = []
    for number, ladder in enumerate(policy.ladders[:MOST_FIGURES]):
        title = "Rungs by load and age"
        if ladder.request_class is not None:
            title += f", class {ladder.request_class}"
        of = occupancy[number] if number < len(occupancy) else None
        if of is not None and point is not None:
            title += f", requests at {point.arrivals}"
        figures.append(map_figure(f"map-{number + 1}", title, ladder, of))
    says = [] if policy.controller is None else [_STEERED]
    if len(policy.ladders) > MOST_FIGURES:
        says.append(f"Maps of the first {MOST_FIGURES} of {len(policy.ladders)} ladders are shown.")
    return Section("map", "Policy map", tuple(figures), " ".join(says))


def without_map(policy: Policy) -> str:
    """Why a policy without a ladder has no map, and what shows it instead."""
    if policy.plan is not None:
        return "no map: a plan has no ladder; a page of pictures shows its power and its servers"
    if policy.tail_table is not None:
        return "no map: frequencies follow a tail table, which `tailc inspect` prints"
    return "no map: CPU shares have no ladder; `tailc inspect` prints them"


def demand_section(policy: Policy, measured: Sequence[tuple[str, DemandProfile]]) -> Section | None:
    """Demand of what was measured and of what the policy was compiled from, and the speed-ups of
    the first; None where neither is known.
    """
    percentile_ppm = policy.slos[0].percentile_ppm if policy.slos else None
    samples = [sample_of(name, profile, percentile_ppm) for name, profile in measured]
    if all(name != DESIGN for name, _ in measured):
        samples += _design(policy, percentile_ppm)
    if not samples:
        return None
    figures = [demand_figure(samples, percentile_ppm)]
    for name, profile in measured[:1]:
        figures += speedup_figures(profile, policy.ladders, name)
    return Section("demand", "Demand", tuple(figures))


def plan_section(policy: Policy) -> Section | None:
    """Power and servers as a plan expects them; None where a policy is no plan."""
    if policy.plan is None:
        return None
    jobs = jobs_figure(policy.plan)
    return power_section(power_from_plan(policy.plan), [jobs] if jobs else [])


def certificate_section(policy: Policy, course: Figure | None = None) -> Section:
    """What is proved, and `course`, how the search got there, where that is known."""
    figures = (certificate_figure(policy), *([course] if course else []))
    return Section("proof", "Certificate", figures)


def words_section(policy: Policy) -> Section:
    """The whole policy in words."""
    return Section("words", "The policy in words", text=policy_text(policy))


def present(*sections: Section | None) -> tuple[Section, ...]:
    """Those that there are."""
    return tuple(section for section in sections if section is not None)


def _design(policy: Policy, percentile_ppm: int | None) -> list[Sample]:
    return [
        sample_of_summary(DESIGN, part.demand, percentile_ppm)
        for part in policy.inputs
        if part.role is InputRole.DESIGN and part.demand is not None
    ]
