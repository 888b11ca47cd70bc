"""Throughput verdicts for a terminal, and for a comment on a pull request."""

from __future__ import annotations

from tailc.report.table import Column, columns_aligned, columns_markdown, escaped_markdown
from tailc.report.throughput.words import error, heading, host, limits, percent, plain, remarks
from tailc.units import format_mrps, printable
from tailc.verify.throughput.verdict import ThroughputVerdicts

_LEGEND = """\
error: mean absolute error of throughput at the steps, relative to the target; share: mean share of
the host; static: error at the best share that never changes; fair: at an equal part of the host;
model: mean absolute error of a step's prediction, estimated all the time and as compiled"""

_DRIFT = "drift since the compile, of throughput and of the model's a"


def as_text(verdicts: ThroughputVerdicts) -> str:
    """The machines' verdicts, what else they were compared with, and what is left to say."""
    parts = [
        f"policy `{printable(verdicts.policy_name)}`, {heading(verdicts)}",
        columns_aligned(_verdict_columns(verdicts)),
        columns_aligned(_beside_columns(verdicts)),
        _LEGEND,
        host(verdicts),
        _drift_text(verdicts),
        "\n".join(map(printable, remarks(verdicts))),
        f"verdict: {verdicts.ruling.value}",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def as_markdown(verdicts: ThroughputVerdicts) -> str:
    """The same; what it was compared with folds out below."""
    parts = [
        f"### {escaped_markdown(verdicts.policy_name)}: {verdicts.ruling.value}",
        escaped_markdown(heading(verdicts)),
        columns_markdown(_verdict_columns(verdicts)).rstrip(),
        "\n".join(f"- {escaped_markdown(remark)}" for remark in [*remarks(verdicts)]),
        "<details><summary>shares, models, baselines and drift</summary>",
        columns_markdown(_beside_columns(verdicts)).rstrip(),
        escaped_markdown(host(verdicts)),
        *_drift_markdown(verdicts),
        "</details>",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _verdict_columns(verdicts: ThroughputVerdicts) -> tuple[Column, ...]:
    machines = verdicts.machines
    return (
        _names(verdicts),
        Column("target", tuple(format_mrps(m.target_milli) for m in machines)),
        Column("error", tuple(error(m.error) for m in machines)),
        Column("95 % interval", tuple(limits(m.error) for m in machines)),
        Column("verdict", tuple(m.ruling.value for m in machines), is_number=False),
    )


def _beside_columns(verdicts: ThroughputVerdicts) -> tuple[Column, ...]:
    machines = verdicts.machines
    return (
        _names(verdicts),
        Column("share", tuple(percent(m.share_ppm) for m in machines)),
        Column("static", tuple(percent(m.static_ppm) for m in machines)),
        Column("its share", tuple(percent(m.static_share_ppm) for m in machines)),
        Column("fair", tuple(percent(m.fair_ppm) for m in machines)),
        Column("model, online", tuple(error(m.online) for m in machines)),
        Column("compiled", tuple(error(m.offline) for m in machines)),
    )


def _drift_text(verdicts: ThroughputVerdicts) -> str:
    columns = _drift_columns(verdicts)
    return f"{_DRIFT}:\n{columns_aligned(columns)}" if columns else ""


def _drift_markdown(verdicts: ThroughputVerdicts) -> tuple[str, ...]:
    columns = _drift_columns(verdicts)
    return (escaped_markdown(_DRIFT), columns_markdown(columns).rstrip()) if columns else ()


def _drift_columns(verdicts: ThroughputVerdicts) -> tuple[Column, ...]:
    """Of the machines whose drift is known; nothing where there is none."""
    known = [(machine, machine.drift) for machine in verdicts.machines if machine.drift]
    if not known:
        return ()
    moved = [drift for _, drift in known]
    memory = [plain(drift.memory) for drift in moved]
    flags = tuple("flagged" if drift.is_flagged else "not flagged" for drift in moved)
    return (
        Column("machine", tuple(printable(m.name) for m, _ in known), is_number=False),
        Column("by the same share", tuple(error(drift.throughput) for drift in moved)),
        Column("95 % interval", tuple(limits(drift.throughput) for drift in moved)),
        Column("change of a", tuple(middle for middle, _ in memory)),
        Column("95 % interval", tuple(interval for _, interval in memory)),
        Column("drift", flags, is_number=False),
    )


def _names(verdicts: ThroughputVerdicts) -> Column:
    names = tuple(printable(machine.name) for machine in verdicts.machines)
    return Column("machine", names, is_number=False)
