"""Verdicts on plans as text for a terminal, and as Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.models.columns import UsageColumn
from tailc.models.datacentre.quantities import JobQuantity
from tailc.report.plan_verdict.words import (
    HEADS,
    figure,
    heading,
    limits,
    printed_quantities,
    promise,
    remarks,
)
from tailc.report.table import columns_aligned, columns_markdown, escaped_markdown, pack_tables
from tailc.report.verdict_layout import verdict_markdown, verdict_text
from tailc.verify.plan.judge import JudgedPlan
from tailc.verify.plan.verdict import PlanMeans, PlanVerdict

_WIDTH = 100


def as_text(judged_plan: JudgedPlan) -> str:
    """Format the SLO, results of the policy and the baselines, gains, and remarks."""
    verdict, name = judged_plan.verdict, judged_plan.policy_name
    body = [
        f"promise: {promise(verdict)}",
        *(columns_aligned(table) for table in _means(verdict)),
        *(columns_aligned(table) for table in _gains(verdict)),
        verdict.words.legend,
    ]
    return verdict_text(name, heading(judged_plan), body, remarks(judged_plan), verdict.ruling)


def as_markdown(judged_plan: JudgedPlan) -> str:
    """Format the verdict as Markdown; the gains are in a collapsed section."""
    verdict = judged_plan.verdict
    return verdict_markdown(
        judged_plan.policy_name,
        verdict.ruling,
        heading(judged_plan),
        [
            escaped_markdown(f"promise: {promise(verdict)}"),
            *(columns_markdown(table).rstrip() for table in _means(verdict)),
        ],
        remarks(judged_plan),
        "intervals and gains",
        [columns_markdown(table).rstrip() for table in _gains(verdict)],
    )


def _means(verdict: PlanVerdict) -> Sequence[tuple[UsageColumn, ...]]:
    """Tables with one row for the policy and one per baseline."""
    rows = (verdict.policy, *verdict.baselines)
    groups = [[_mean_column(quantity, rows)] for quantity in _quantities(verdict)]
    return pack_tables(
        UsageColumn("", tuple(row.name for row in rows), is_number=False), groups, _WIDTH
    )


def _quantities(verdict: PlanVerdict) -> tuple[JobQuantity, ...]:
    return printed_quantities([row.means for row in (verdict.policy, *verdict.baselines)])


def _mean_column(quantity: JobQuantity, rows: Sequence[PlanMeans]) -> UsageColumn:
    return UsageColumn(
        HEADS[quantity], tuple(figure(quantity, row.means[quantity].value) for row in rows)
    )


def _gains(verdict: PlanVerdict) -> Sequence[tuple[UsageColumn, ...]]:
    """Tables with one row per quantity: the policy's interval, and its gain over each baseline."""
    quantities, means = _quantities(verdict), verdict.policy.means
    first = UsageColumn("", tuple(HEADS[each] for each in quantities), is_number=False)
    own = [
        UsageColumn("policy", tuple(figure(each, means[each].value) for each in quantities)),
        UsageColumn("95 % interval", tuple(limits(each, means[each]) for each in quantities)),
    ]
    return pack_tables(
        first, [own, *(_gain_columns(row, quantities) for row in verdict.baselines)], _WIDTH
    )


def _gain_columns(row: PlanMeans, quantities: Sequence[JobQuantity]) -> list[UsageColumn]:
    gains = [(each, row.gains[each]) for each in quantities]
    return [
        UsageColumn(
            f"over {row.name}",
            tuple(figure(each, gain.value, is_signed=True) for each, gain in gains),
        ),
        UsageColumn(
            "95 % interval", tuple(limits(each, gain, is_signed=True) for each, gain in gains)
        ),
    ]
