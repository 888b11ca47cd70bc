"""Page of a compile.

It is separate from the other pages because it alone plots the data that a controller was tuned on.
"""

from __future__ import annotations

from tailc.artifact.envelope import Policy
from tailc.experiment.point import SloComparison
from tailc.pipeline.compile import AnyCompiled
from tailc.pipeline.controller import TunedController
from tailc.report.page.content import Page, Section
from tailc.report.page.controllers import control_section
from tailc.report.page.latencies import latency_section, without_latency
from tailc.report.page.parts import (
    DESIGN,
    certificate_section,
    demand_section,
    estimates_section,
    map_section,
    plan_section,
    policy_facts,
    present,
    words_section,
)
from tailc.report.pictures.search_course import compiled_course
from tailc.traces.profile import DemandProfile

_ON_DESIGN = (
    "Replayed on the sample that the policy was compiled from, so these are predictions. Verdicts "
    "need held-out requests: see tailc verify."
)


def compiled_page(compiled: AnyCompiled, estimate: SloComparison | None) -> Page:
    """Build the page of a newly compiled policy and its design trace.

    estimate: latencies predicted on the design trace; None: not replayed.
    """
    policy, design = compiled.policy, compiled.design
    measured = [(DESIGN, design)] if isinstance(design, DemandProfile) else []
    sections = (
        estimates_section(policy),
        _latency(policy, estimate),
        map_section(policy, estimate),
        plan_section(policy),
        *map(control_section, compiled.additions_of(TunedController)),
        demand_section(policy, measured),
        certificate_section(policy, compiled_course(compiled)),
        words_section(policy),
    )
    return Page(policy.name, "Compiled policy", policy_facts(policy), present(*sections))


def _latency(policy: Policy, estimate: SloComparison | None) -> Section | None:
    """Section of predicted latencies, or why there are none; None for policies without requests."""
    if estimate is not None:
        return latency_section(policy, estimate, _ON_DESIGN)
    why = without_latency(policy)
    return Section("latency", "Latency", caption=f"There is {why}.") if why else None
