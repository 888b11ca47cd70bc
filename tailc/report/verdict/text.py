"""Verdicts as text for a terminal of a hundred columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tailc.models.columns import UsageColumn, UsageTable
from tailc.report.table import columns_aligned, pack_tables
from tailc.report.verdict.tables import (
    Groups,
    by_arrivals,
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
from tailc.report.verdict_layout import verdict_text
from tailc.verify.verdict import Verdicts

_WIDTH = 100
_WIDEST_HEAD = 24

_SPIKES = """\
stretches of a constant rate: percentile of their requests; share of the tails, measured once an
epoch, that are over the target; how far they overshoot it; epochs until they have settled"""
_AGAINST = """; policy: its percentile
against the row's, with the interval of this change over the same replays of both, and `noise` if
the change is not beyond it"""
_STRETCHES = "percentiles by stretch of the arrivals, in order"


def as_text(verdicts: Verdicts, rungs: Sequence[str] = ()) -> str:
    """Format the verdicts on the policy, comparisons with the baselines, and remarks.

    rungs: names of the policy's rungs; without them rungs are numbered from 1.
    """
    body = [
        columns_aligned(verdict_table(verdicts)),
        *_comparisons(verdicts),
        _legend(verdicts),
        *_rung_use(verdicts, rungs),
        *map(_table_text, by_arrivals(verdicts)),
        *_stretches(verdicts),
        *_spikes(verdicts),
        "\n  ".join(drift_sentences(verdicts)),
    ]
    name, ruling = verdicts.policy_name, verdicts.ruling
    return verdict_text(name, heading(verdicts), body, remarks(verdicts), ruling)


def _legend(verdicts: Verdicts) -> str:
    against = _AGAINST if any(point.baselines for point in verdicts.points) else ""
    use = verdicts.points[0].policy.usage
    legend = columns_of(verdicts).legend(verdicts.shared, use, against)
    return "\n".join([legend, *energy_sentences(verdicts)])


def _rung_use(verdicts: Verdicts, rungs: Sequence[str]) -> Iterator[str]:
    for point in verdicts.points:
        yield from map(_table_text, by_subject(verdicts, point))
    if title := columns_of(verdicts).rungs_title(verdicts.shared):
        yield f"{title}\n" + "\n\n".join(_tables(*rung_use(verdicts, rungs)))


def _table_text(table: UsageTable) -> str:
    return f"{table.title}\n" + "\n\n".join(_tables(table.first, list(table.groups)))


def _spikes(verdicts: Verdicts) -> Iterator[str]:
    for point in verdicts.points:
        if point.policy.spikes:
            yield f"{_SPIKES}\n" + "\n\n".join(_tables(*spikes(verdicts, point)))


def _comparisons(verdicts: Verdicts) -> Iterator[str]:
    if not any(point.baselines for point in verdicts.points):
        yield from _tables(*policy_alone(verdicts))
        return
    for point in verdicts.points:
        yield from _tables(*comparison(verdicts, point))


def _stretches(verdicts: Verdicts) -> Iterator[str]:
    for point in verdicts.points:
        if point.policy.stretch_us:
            yield f"{_STRETCHES}\n" + "\n\n".join(_tables(*stretches(verdicts, point)))


def _tables(first: UsageColumn, groups: Groups) -> list[str]:
    """Format columns as tables; a head much wider than its column is put on a line of its own."""
    title = ""
    if len(first.head) > _WIDEST_HEAD:
        title, first = f"{first.head}\n", replace(first, head="")
    return [title + columns_aligned(columns) for columns in pack_tables(first, groups, _WIDTH)]
