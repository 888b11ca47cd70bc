"""Verdicts on token budgets as text for a terminal, and as Markdown for a pull request."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from tailc.experiment.token_comparison import POLICY, TokenPoint, TokenRun
from tailc.models.columns import UsageColumn, column, count, percent
from tailc.report.estimates import percentile_name
from tailc.report.table import columns_aligned, columns_markdown, escaped_markdown
from tailc.report.tokens.words import bounds, change, heading, limits, ms, remarks
from tailc.report.verdict_layout import verdict_markdown, verdict_text
from tailc.units import format_mrps
from tailc.verify.tokens.verdict import TokenVerdicts

_WIDTH = 100


def as_text(verdicts: TokenVerdicts) -> str:
    """Format the verdicts on token budgets at each rate, with the baselines and remarks."""
    body = [columns_aligned(_verdict_columns(verdicts))]
    for point in verdicts.points:
        table = columns_aligned(_comparison(verdicts, point))
        body.append("\n".join((format_mrps(point.rate_mrps), table, *bounds(verdicts, point))))
    body.append(_legend(verdicts))
    name, ruling = verdicts.policy_name, verdicts.ruling
    return verdict_text(name, heading(verdicts), body, list(remarks(verdicts)), ruling)


def as_markdown(verdicts: TokenVerdicts) -> str:
    """Format the verdicts as Markdown; comparisons are in a collapsed section."""
    details = []
    for point in verdicts.points:
        details.append(escaped_markdown(format_mrps(point.rate_mrps)))
        details.append(columns_markdown(_comparison(verdicts, point)).rstrip())
        details += bounds(verdicts, point)
    return verdict_markdown(
        verdicts.policy_name,
        verdicts.ruling,
        heading(verdicts),
        [columns_markdown(_verdict_columns(verdicts)).rstrip()],
        list(remarks(verdicts)),
        "baselines",
        details,
    )


def _verdict_columns(verdicts: TokenVerdicts) -> tuple[UsageColumn, ...]:
    rows = [(point, number) for point in verdicts.points for number in range(len(verdicts.slos))]
    tails = [point.policy.tails[number] for point, number in rows]
    rulings = [point.policy.rulings[number].value for point, number in rows]
    slos = [verdicts.slos[number] for _, number in rows]
    return (
        column("rate", [format_mrps(point.rate_mrps) for point, _ in rows], is_number=False),
        column("SLO", [str(slo) for slo in slos], is_number=False),
        column("[ms]", [ms(tail.us) for tail in tails]),
        column("95 % interval", [limits(tail) for tail in tails]),
        column("verdict", rulings, is_number=False),
    )


def _comparison(verdicts: TokenVerdicts, point: TokenPoint) -> tuple[UsageColumn, ...]:
    runs = (point.policy, *point.baselines)
    return (
        column("scheduler", [_named(run) for run in runs], is_number=False),
        *_percentiles(verdicts, runs),
        column("goodput", [percent(run.goodput_ppm) for run in runs]),
        column("busy", [percent(run.busy_ppm) for run in runs]),
        column("tokens", [count(run.tokens_milli) for run in runs]),
    )


def _percentiles(verdicts: TokenVerdicts, runs: tuple[TokenRun, ...]) -> Iterator[UsageColumn]:
    """For each SLO the percentile of each run; for the first also the policy's change from it."""
    for number, slo in enumerate(verdicts.slos):
        yield column(percentile_name(slo), [ms(run.tails[number].us) for run in runs])
        if number == 0:
            cells = [change(run.changes[0]) if run.changes else "" for run in runs]
            yield column("policy's change", cells)


def _named(run: TokenRun) -> str:
    return run.name if run.name == POLICY or not run.note else f"{run.name}, {run.note}"


def _legend(verdicts: TokenVerdicts) -> str:
    parts = (
        "percentiles in ms, the change with its 95 % interval",
        "goodput: requests that meet all SLOs",
        "tokens: mean of an iteration",
        *(f"{one.name}: {one.about}" for one in verdicts.baselines),
    )
    return textwrap.fill("; ".join(parts), _WIDTH)
