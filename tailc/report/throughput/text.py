"""Throughput verdicts as text for a terminal, and as Markdown for a pull request."""

from __future__ import annotations

import textwrap

from tailc.models.columns import UsageColumn, percent
from tailc.report.table import columns_aligned, columns_markdown, escaped_markdown
from tailc.report.throughput.words import (
    NONE,
    error,
    heading,
    host,
    limits,
    plain,
    remarks,
)
from tailc.report.verdict_layout import verdict_markdown, verdict_text
from tailc.units import format_mrps, printable
from tailc.verify.throughput.verdict import MachineVerdict, ShareBaseline, ThroughputVerdicts

_WIDTH = 100
_POLICY = (
    "error: mean absolute error of throughput at the steps, relative to the target",
    "share: mean share of the host",
)
_MODEL = "model: mean absolute error of a step's prediction, estimated all the time and as compiled"
_DRIFT = "drift since the compile, of throughput and of the model's a"


def as_text(verdicts: ThroughputVerdicts) -> str:
    """Format the verdict of each machine, comparisons with baselines, and remarks."""
    body = [
        columns_aligned(_verdict_columns(verdicts)),
        columns_aligned(_comparison_columns(verdicts)),
        _legend(verdicts),
        host(verdicts),
        _drift_text(verdicts),
    ]
    name, ruling = verdicts.policy_name, verdicts.ruling
    return verdict_text(name, heading(verdicts), body, remarks(verdicts), ruling)


def as_markdown(verdicts: ThroughputVerdicts) -> str:
    """Format the verdicts as Markdown; comparisons are in a collapsed section."""
    return verdict_markdown(
        verdicts.policy_name,
        verdicts.ruling,
        heading(verdicts),
        [columns_markdown(_verdict_columns(verdicts)).rstrip()],
        remarks(verdicts),
        "shares, models, baselines and drift",
        [
            columns_markdown(_comparison_columns(verdicts)).rstrip(),
            escaped_markdown(host(verdicts)),
            *_drift_markdown(verdicts),
        ],
    )


def _verdict_columns(verdicts: ThroughputVerdicts) -> tuple[UsageColumn, ...]:
    machines = verdicts.machines
    return (
        _names(verdicts),
        UsageColumn("target", tuple(format_mrps(m.target_milli) for m in machines)),
        UsageColumn("error", tuple(error(m.error) for m in machines)),
        UsageColumn("95 % interval", tuple(limits(m.error) for m in machines)),
        UsageColumn("verdict", tuple(m.ruling.value for m in machines), is_number=False),
    )


def _comparison_columns(verdicts: ThroughputVerdicts) -> tuple[UsageColumn, ...]:
    machines = verdicts.machines
    models = [machine.model for machine in machines]
    return (
        _names(verdicts),
        UsageColumn("share", tuple(percent(m.share_ppm) for m in machines)),
        *(column for one in verdicts.baselines for column in _baseline_columns(one, machines)),
        UsageColumn("model, online", tuple(error(one.online) if one else NONE for one in models)),
        UsageColumn("compiled", tuple(error(one.offline) if one else NONE for one in models)),
    )


def _baseline_columns(
    baseline: ShareBaseline, machines: tuple[MachineVerdict, ...]
) -> tuple[UsageColumn, ...]:
    """Columns of a baseline: its error, and its share if known."""
    named_baselines = [machine.baselines[baseline.name] for machine in machines]
    errors = UsageColumn(baseline.name, tuple(percent(one.error_ppm) for one in named_baselines))
    shares = UsageColumn("its share", tuple(percent(one.share_ppm) for one in named_baselines))
    return (errors, shares) if baseline.shows_share else (errors,)


def _legend(verdicts: ThroughputVerdicts) -> str:
    baselines = (f"{one.name}: {one.about}" for one in verdicts.baselines)
    return textwrap.fill("; ".join((*_POLICY, *baselines, _MODEL)), _WIDTH)


def _drift_text(verdicts: ThroughputVerdicts) -> str:
    columns = _drift_columns(verdicts)
    return f"{_DRIFT}:\n{columns_aligned(columns)}" if columns else ""


def _drift_markdown(verdicts: ThroughputVerdicts) -> tuple[str, ...]:
    columns = _drift_columns(verdicts)
    return (escaped_markdown(_DRIFT), columns_markdown(columns).rstrip()) if columns else ()


def _drift_columns(verdicts: ThroughputVerdicts) -> tuple[UsageColumn, ...]:
    """Columns about drift, with a row per machine whose drift is known; empty if there is none."""
    known = [(machine, machine.drift) for machine in verdicts.machines if machine.drift]
    if not known:
        return ()
    moved = [drift for _, drift in known]
    memory = [plain(drift.memory) for drift in moved]
    flags = tuple("flagged" if drift.is_flagged else "not flagged" for drift in moved)
    return (
        UsageColumn("machine", tuple(printable(m.name) for m, _ in known), is_number=False),
        UsageColumn("by the same share", tuple(error(drift.throughput) for drift in moved)),
        UsageColumn("95 % interval", tuple(limits(drift.throughput) for drift in moved)),
        UsageColumn("change of a", tuple(middle for middle, _ in memory)),
        UsageColumn("95 % interval", tuple(interval for _, interval in memory)),
        UsageColumn("drift", flags, is_number=False),
    )


def _names(verdicts: ThroughputVerdicts) -> UsageColumn:
    names = tuple(printable(machine.name) for machine in verdicts.machines)
    return UsageColumn("machine", names, is_number=False)
