"""Verdicts as Markdown for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.models.columns import UsageColumn
from tailc.report.table import columns_markdown, escaped_markdown
from tailc.report.verdict.tables import (
    Groups,
    by_subject,
    columns_of,
    comparison,
    policy_alone,
    rung_use,
    spikes,
    stretches,
    verdict_table,
)
from tailc.report.verdict.words import drift_sentences, energy_sentences, heading, remarks
from tailc.report.verdict_layout import verdict_markdown
from tailc.verify.verdict import Verdicts


def as_markdown(verdicts: Verdicts, rungs: Sequence[str] = ()) -> str:
    """Format the verdicts on the policy as a table; details are in a collapsed section.

    rungs: names of the policy's rungs; without them rungs are numbered from 1.
    """
    return verdict_markdown(
        verdicts.policy_name,
        verdicts.ruling,
        heading(verdicts).replace("\n", "; "),
        [
            columns_markdown(verdict_table(verdicts)).rstrip(),
            escaped_markdown("; ".join(drift_sentences(verdicts))),
        ],
        remarks(verdicts),
        "load and baselines (times in ms)",
        [*_details(verdicts, rungs), escaped_markdown(" ".join(energy_sentences(verdicts)))],
    )


def _details(verdicts: Verdicts, rungs: Sequence[str]) -> list[str]:
    if any(point.baselines for point in verdicts.points):
        tables = [comparison(verdicts, point) for point in verdicts.points]
    else:
        tables = [policy_alone(verdicts)]
    for point in verdicts.points:
        tables += [(one.first, list(one.groups)) for one in by_subject(verdicts, point)]
    if columns_of(verdicts).rungs_title(verdicts.shared):
        tables.append(rung_use(verdicts, rungs))
    tables += [stretches(verdicts, point) for point in verdicts.points if point.policy.stretch_us]
    tables += [spikes(verdicts, point) for point in verdicts.points if point.policy.spikes]
    return [_whole(first, groups) for first, groups in tables]


def _whole(first: UsageColumn, groups: Groups) -> str:
    return columns_markdown((first, *(column for group in groups for column in group))).rstrip()
