"""Verdicts on plans for a terminal, and for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.models.columns import Column
from tailc.models.datacentre.quantities import Quantity
from tailc.report.plan_verdict.words import (
    HEADS,
    figure,
    heading,
    limits,
    promise,
    remarks,
    shown,
)
from tailc.report.table import columns_aligned, columns_markdown, escaped_markdown, packed
from tailc.units import printable
from tailc.verify.plan.judge import JudgedPlan
from tailc.verify.plan.verdict import Figures, PlanVerdict

_WIDTH = 100


def as_text(judged: JudgedPlan) -> str:
    """The promise, what the policy and the baselines did, gains, and what is left to say."""
    found = judged.verdict
    parts = [
        f"policy `{printable(judged.policy_name)}`, {heading(judged)}",
        f"promise: {promise(found)}",
        *(columns_aligned(table) for table in _means(found)),
        *(columns_aligned(table) for table in _gains(found)),
        found.words.legend,
        "\n".join(remarks(judged)),
        f"verdict: {found.ruling.value}",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def as_markdown(judged: JudgedPlan) -> str:
    """The same; gains fold out below."""
    found = judged.verdict
    parts = [
        f"### {escaped_markdown(judged.policy_name)}: {found.ruling.value}",
        escaped_markdown(heading(judged)),
        escaped_markdown(f"promise: {promise(found)}"),
        *(columns_markdown(table).rstrip() for table in _means(found)),
        "\n".join(f"- {escaped_markdown(remark)}" for remark in remarks(judged)),
        "<details><summary>intervals and gains</summary>",
        *(columns_markdown(table).rstrip() for table in _gains(found)),
        "</details>",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _means(found: PlanVerdict) -> Sequence[tuple[Column, ...]]:
    """Policy and baselines in rows."""
    rows = (found.policy, *found.baselines)
    groups = [[_mean_column(quantity, rows)] for quantity in _told(found)]
    return packed(Column("", tuple(row.name for row in rows), is_number=False), groups, _WIDTH)


def _told(found: PlanVerdict) -> tuple[Quantity, ...]:
    return shown([row.means for row in (found.policy, *found.baselines)])


def _mean_column(quantity: Quantity, rows: Sequence[Figures]) -> Column:
    return Column(
        HEADS[quantity], tuple(figure(quantity, row.means[quantity].value) for row in rows)
    )


def _gains(found: PlanVerdict) -> Sequence[tuple[Column, ...]]:
    """Quantities in rows: the policy's interval, and its gain over each baseline."""
    told, means = _told(found), found.policy.means
    first = Column("", tuple(HEADS[each] for each in told), is_number=False)
    own = [
        Column("policy", tuple(figure(each, means[each].value) for each in told)),
        Column("95 % interval", tuple(limits(each, means[each]) for each in told)),
    ]
    return packed(first, [own, *(_gain_columns(row, told) for row in found.baselines)], _WIDTH)


def _gain_columns(row: Figures, told: Sequence[Quantity]) -> list[Column]:
    gains = [(each, row.gains[each]) for each in told]
    return [
        Column(
            f"over {row.name}",
            tuple(figure(each, gain.value, is_signed=True) for each, gain in gains),
        ),
        Column("95 % interval", tuple(limits(each, gain, is_signed=True) for each, gain in gains)),
    ]
