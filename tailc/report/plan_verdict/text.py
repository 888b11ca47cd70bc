"""Verdicts on plans as text for a terminal, and as Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.models.columns import Column
from tailc.models.datacentre.quantities import Quantity
from tailc.report.plan_verdict.words import (
    HEADS,
    figure,
    heading,
    limits,
    printed_quantities,
    promise,
    remarks,
)
from tailc.report.table import columns_aligned, columns_markdown, escaped_markdown, packed
from tailc.units import printable
from tailc.verify.plan.judge import JudgedPlan
from tailc.verify.plan.verdict import Figures, PlanVerdict

_WIDTH = 100


def as_text(judged_plan: JudgedPlan) -> str:
    """Format the SLO, results of the policy and the baselines, gains, and remarks."""
    verdict = judged_plan.verdict
    parts = [
        f"policy `{printable(judged_plan.policy_name)}`, {heading(judged_plan)}",
        f"promise: {promise(verdict)}",
        *(columns_aligned(table) for table in _means(verdict)),
        *(columns_aligned(table) for table in _gains(verdict)),
        verdict.words.legend,
        "\n".join(remarks(judged_plan)),
        f"verdict: {verdict.ruling.value}",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def as_markdown(judged_plan: JudgedPlan) -> str:
    """Format the verdict as Markdown; the gains are in a collapsed section."""
    verdict = judged_plan.verdict
    parts = [
        f"### {escaped_markdown(judged_plan.policy_name)}: {verdict.ruling.value}",
        escaped_markdown(heading(judged_plan)),
        escaped_markdown(f"promise: {promise(verdict)}"),
        *(columns_markdown(table).rstrip() for table in _means(verdict)),
        "\n".join(f"- {escaped_markdown(remark)}" for remark in remarks(judged_plan)),
        "<details><summary>intervals and gains</summary>",
        *(columns_markdown(table).rstrip() for table in _gains(verdict)),
        "</details>",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _means(verdict: PlanVerdict) -> Sequence[tuple[Column, ...]]:
    """Tables with one row for the policy and one per baseline."""
    rows = (verdict.policy, *verdict.baselines)
    groups = [[_mean_column(quantity, rows)] for quantity in _quantities(verdict)]
    return packed(Column("", tuple(row.name for row in rows), is_number=False), groups, _WIDTH)


def _quantities(verdict: PlanVerdict) -> tuple[Quantity, ...]:
    return printed_quantities([row.means for row in (verdict.policy, *verdict.baselines)])


def _mean_column(quantity: Quantity, rows: Sequence[Figures]) -> Column:
    return Column(
        HEADS[quantity], tuple(figure(quantity, row.means[quantity].value) for row in rows)
    )


def _gains(verdict: PlanVerdict) -> Sequence[tuple[Column, ...]]:
    """Tables with one row per quantity: the policy's interval, and its gain over each baseline."""
    quantities, means = _quantities(verdict), verdict.policy.means
    first = Column("", tuple(HEADS[each] for each in quantities), is_number=False)
    own = [
        Column("policy", tuple(figure(each, means[each].value) for each in quantities)),
        Column("95 % interval", tuple(limits(each, means[each]) for each in quantities)),
    ]
    return packed(
        first, [own, *(_gain_columns(row, quantities) for row in verdict.baselines)], _WIDTH
    )


def _gain_columns(row: Figures, quantities: Sequence[Quantity]) -> list[Column]:
    gains = [(each, row.gains[each]) for each in quantities]
    return [
        Column(
            f"over {row.name}",
            tuple(figure(each, gain.value, is_signed=True) for each, gain in gains),
        ),
        Column("95 % interval", tuple(limits(each, gain, is_signed=True) for each, gain in gains)),
    ]
