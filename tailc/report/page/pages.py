"""Which sections the page of each command has."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.artifact.envelope import Policy
from tailc.errors import ExitCode
from tailc.report.page.content import Page, Section
from tailc.report.page.estimates import estimates_section
from tailc.report.page.latencies import latency_section
from tailc.report.page.parts import (
    HELD_OUT,
    certificate_section,
    demand_section,
    map_section,
    plan_section,
    policy_facts,
    present,
    words_section,
)
from tailc.report.page.power_stack import power_section
from tailc.report.plan_power import PowerSeries
from tailc.report.verdict import as_text
from tailc.report.verdict.words import reason
from tailc.traces.profile import DemandProfile
from tailc.verify.verdict import Verdicts

_RULINGS = {ExitCode.OK: "pass", ExitCode.MISSED: "fail", ExitCode.UNDECIDED: "undecided"}


def policy_page(policy: Policy) -> Page:
    """An artifact alone: what it does, and what stands behind it."""
    sections = (
        estimates_section(policy),
        map_section(policy),
        plan_section(policy),
        demand_section(policy, ()),
        certificate_section(policy),
        words_section(policy),
    )
    return Page(policy.name, "Policy", policy_facts(policy), present(*sections))


def told_page(policy: Policy, text: str, exit_code: ExitCode) -> Page:
    """A verdict that has no pictures yet, in words."""
    words = Section("verdict", "Verdict in words", text=text)
    sections = (words, map_section(policy), certificate_section(policy), words_section(policy))
    facts = policy_facts(policy)
    return Page(policy.name, "Verdict", facts, present(*sections), _RULINGS.get(exit_code, ""))


def judged_plan_page(policy: Policy, power: PowerSeries, text: str, exit_code: ExitCode) -> Page:
    """A plan on held-out days: its verdict in words, and the power of the first window of them."""
    words = Section("verdict", "Verdict in words", text=text)
    sections = (words, power_section(power), certificate_section(policy), words_section(policy))
    facts = policy_facts(policy)
    return Page(policy.name, "Verdict", facts, present(*sections), _RULINGS.get(exit_code, ""))


def judged_page(
    policy: Policy, verdicts: Verdicts, held_out: DemandProfile, rungs: Sequence[str]
) -> Page:
    """An artifact on held-out requests."""
    said = f"Replayed on {verdicts.held_out_requests:,} held-out requests."
    if verdicts.is_compile_trace:
        said = f"Replayed on {verdicts.held_out_requests:,} requests that the policy was made from."
    words = Section("verdict", "Verdict in words", text=as_text(verdicts, rungs))
    sections = (
        latency_section(policy, verdicts, said),
        map_section(policy, verdicts),
        demand_section(policy, [(HELD_OUT, held_out)]),
        certificate_section(policy),
        words,
        words_section(policy),
    )
    facts = (*policy_facts(policy), ("Held-out requests", f"{verdicts.held_out_requests:,}"))
    ruling, why = verdicts.ruling.value, reason(verdicts)
    return Page(policy.name, "Verdict", facts, present(*sections), ruling, why)
