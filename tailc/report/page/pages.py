"""The pages of each command and their sections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tailc.artifact.envelope import Policy
from tailc.errors import ExitCode
from tailc.report.page.content import Page, Section
from tailc.report.page.latencies import latency_section
from tailc.report.page.parts import (
    HELD_OUT,
    certificate_section,
    demand_section,
    estimates_section,
    map_section,
    plan_section,
    policy_facts,
    power_section,
    present,
    words_section,
)
from tailc.report.verdict import as_text
from tailc.report.verdict.words import reason
from tailc.traces.profile import DemandProfile
from tailc.verify.verdict import Verdicts

if TYPE_CHECKING:
    from tailc.report.pictures.power_series import PowerSeries

_RULINGS = {ExitCode.OK: "pass", ExitCode.MISSED: "fail", ExitCode.UNDECIDED: "undecided"}


def policy_page(policy: Policy) -> Page:
    """Build the page of a policy alone: its content and its evidence."""
    sections = (
        estimates_section(policy),
        map_section(policy),
        plan_section(policy),
        demand_section(policy, ()),
        certificate_section(policy),
        words_section(policy),
    )
    return Page(policy.name, "Policy", policy_facts(policy), present(*sections))


def text_page(policy: Policy, text: str, exit_code: ExitCode) -> Page:
    """Build the report page of a verdict that has text but no pictures."""
    words = Section("verdict", "Verdict in words", text=text)
    sections = (words, map_section(policy), certificate_section(policy), words_section(policy))
    facts = policy_facts(policy)
    return Page(policy.name, "Verdict", facts, present(*sections), _RULINGS.get(exit_code, ""))


def plan_verdict_page(policy: Policy, power: PowerSeries, text: str, exit_code: ExitCode) -> Page:
    """Build the page of a plan's verdict, with the power of the first held-out window."""
    words = Section("verdict", "Verdict in words", text=text)
    sections = (words, power_section(power), certificate_section(policy), words_section(policy))
    facts = policy_facts(policy)
    return Page(policy.name, "Verdict", facts, present(*sections), _RULINGS.get(exit_code, ""))


def verdict_page(
    policy: Policy, verdicts: Verdicts, held_out: DemandProfile, rungs: Sequence[str]
) -> Page:
    """Build the page of a verdict on held-out requests."""
    replayed = f"Replayed on {verdicts.held_out_requests:,} held-out requests."
    if verdicts.is_compile_trace:
        count = f"{verdicts.held_out_requests:,} requests"
        replayed = f"Replayed on {count} that the policy was compiled from."
    words = Section("verdict", "Verdict in words", text=as_text(verdicts, rungs))
    sections = (
        latency_section(policy, verdicts, replayed),
        map_section(policy, verdicts),
        demand_section(policy, [(HELD_OUT, held_out)]),
        certificate_section(policy),
        words,
        words_section(policy),
    )
    facts = (*policy_facts(policy), ("Held-out requests", f"{verdicts.held_out_requests:,}"))
    ruling, why = verdicts.ruling.value, reason(verdicts)
    return Page(policy.name, "Verdict", facts, present(*sections), ruling, why)
