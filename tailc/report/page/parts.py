"""Sections that several pages share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tailc.artifact.envelope import InputRole, Policy
from tailc.artifact.json_form import digest_of
from tailc.experiment.point import SloComparison
from tailc.report.estimates import estimates_text
from tailc.report.page.content import MOST_FIGURES, Section
from tailc.report.page.latencies import busiest_point
from tailc.report.pictures.budget_map import budget_figure
from tailc.report.pictures.certificate import certificate_figure
from tailc.report.pictures.demands import (
    DemandSample,
    demand_figure,
    sample_from_profile,
    sample_from_summary,
)
from tailc.report.pictures.estimates import estimates_figure
from tailc.report.pictures.figure import Figure
from tailc.report.pictures.policy_map import map_figure
from tailc.report.pictures.speedups import speedup_figures
from tailc.report.policy import policy_text
from tailc.traces.profile import DemandProfile
from tailc.units import format_mrps

if TYPE_CHECKING:
    from tailc.report.pictures.power_series import PowerSeries

_STEERED = (
    "A controller scales the ages while the server runs: these are they where it changes none."
)
DESIGN = "the sample of the compile"
HELD_OUT = "the held-out requests"


def policy_facts(policy: Policy) -> tuple[tuple[str, str], ...]:
    """Names and values that describe a policy at the top of a page."""
    return (
        ("Kind", policy.kind),
        ("Generation", str(policy.generation)),
        ("Objectives", "; ".join(map(str, policy.slos)) or "none"),
        ("Arrival rates", ", ".join(map(format_mrps, policy.rates_mrps)) or "none"),
        ("Policy digest", digest_of(policy)),
    )


def estimates_section(policy: Policy) -> Section | None:
    """Section of estimates: a table, and a picture per SLO; None if the policy has none."""
    estimates = policy.evidence.estimates
    if estimates is None:
        return None
    figures = [estimates_figure(policy, estimates, number) for number in range(len(policy.slos))]
    drawn_figures = tuple(figure for figure in figures if figure is not None)[:MOST_FIGURES]
    return Section("estimates", "Estimates", drawn_figures, text=estimates_text(policy))


def map_section(policy: Policy, comparison: SloComparison | None = None) -> Section | None:
    """Section with a map of each ladder: the rung by load and age.

    comparison: replays; the map then shows where requests spend their time at the highest rate
    without overload. A policy without a ladder has a sentence instead. None for a plan, which has
    power pictures.
    """
    if policy.plan is not None:
        return None
    if policy.budget_table is not None:
        return Section("map", "Policy map", (budget_figure(policy.budget_table),))
    if not policy.ladders:
        return Section("map", "Policy map", caption=f"There is {without_map(policy)}.")
    point = None if comparison is None else busiest_point(comparison.points)
    occupancy = point.policy.occupancy if point is not None else ()
    figures = []
    for number, ladder in enumerate(policy.ladders[:MOST_FIGURES]):
        title = "Rungs by load and age"
        if ladder.request_class is not None:
            title += f", class {ladder.request_class}"
        ladder_occupancy = occupancy[number] if number < len(occupancy) else None
        if ladder_occupancy is not None and point is not None:
            title += f", requests at {point.arrivals}"
        figures.append(map_figure(f"map-{number + 1}", title, ladder, ladder_occupancy))
    caption = [] if policy.controller is None else [_STEERED]
    if len(policy.ladders) > MOST_FIGURES:
        caption.append(
            f"Maps of the first {MOST_FIGURES} of {len(policy.ladders)} ladders are shown."
        )
    return Section("map", "Policy map", tuple(figures), " ".join(caption))


def without_map(policy: Policy) -> str:
    """Reason why a policy without a ladder has no map, and what contains its decisions."""
    if policy.plan is not None:
        return "no map: a plan has no ladder; a page of pictures shows its power and its servers"
    if policy.tail_table is not None:
        return "no map: frequencies follow a tail table, which `tailc inspect` prints"
    if policy.budget_table is not None:
        return "no map: `tailc inspect` prints token budgets, and a page draws them"
    return "no map: CPU shares have no ladder; `tailc inspect` prints them"


def demand_section(policy: Policy, measured: Sequence[tuple[str, DemandProfile]]) -> Section | None:
    """Section of demand: measured requests, the design trace, and the speed-ups of requests.

    None if neither demand is known.
    """
    percentile_ppm = policy.slos[0].percentile_ppm if policy.slos else None
    samples = [sample_from_profile(name, profile, percentile_ppm) for name, profile in measured]
    if all(name != DESIGN for name, _ in measured):
        samples += _design(policy, percentile_ppm)
    if not samples:
        return None
    figures = [demand_figure(samples, percentile_ppm)]
    for name, profile in measured[:1]:
        figures += speedup_figures(profile, policy.ladders, name)
    return Section("demand", "Demand", tuple(figures))


def plan_section(policy: Policy) -> Section | None:
    """Section of expected power and servers of a plan; None if the policy is not a plan."""
    if policy.plan is None:
        return None
    from tailc.report.pictures.job_stack import jobs_figure
    from tailc.report.pictures.power_series import power_from_plan

    jobs = [jobs_figure(policy.plan)] if policy.plan.jobs else []
    return power_section(power_from_plan(policy.plan), jobs)


def power_section(power: PowerSeries, jobs: Sequence[Figure] = ()) -> Section:
    """Section of power over time; the figures of jobs come after the first."""
    from tailc.report.pictures.power_stack import power_figures

    stack, *others = power_figures(power)
    expected = "As the plan expects it." if power.is_expected else "As it came in the replay."
    return Section("power", "Power", (stack, *jobs, *others), expected)


def certificate_section(policy: Policy, course: Figure | None = None) -> Section:
    """Section of what is proved about a policy: objective, bound and gap at each load.

    course: picture of the search's progress, if known.
    """
    figures = (certificate_figure(policy), *([course] if course else []))
    return Section("proof", "Certificate", figures)


def words_section(policy: Policy) -> Section:
    """Section of a report page with the whole policy as text."""
    return Section("words", "The policy in words", text=policy_text(policy))


def present(*sections: Section | None) -> tuple[Section, ...]:
    """Return the sections that are not None."""
    return tuple(section for section in sections if section is not None)


def _design(policy: Policy, percentile_ppm: int | None) -> list[DemandSample]:
    return [
        sample_from_summary(DESIGN, part.demand, percentile_ppm)
        for part in policy.inputs
        if part.role is InputRole.DESIGN and part.demand is not None
    ]
