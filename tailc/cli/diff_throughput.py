"""The part of `tailc diff` that replays CPU-share policies on held-out throughput."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tailc.cli import replay_options
from tailc.cli.outcome import CommandOutcome
from tailc.cli.verify_throughput import check_options

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.cli.arrivals_option import ArrivalOptions
    from tailc.traces.source import Format


def compare_throughput(
    policies: tuple[Policy, Policy],
    trace: str,
    trace_format: Format,
    arrivals: ArrivalOptions,
    progress: bool | None,  # noqa: ARG001 - a second is not worth showing
    *,
    exit_code: bool,
    **options: Any,
) -> CommandOutcome:
    """Compare two policies, and how the throughput error of each machine changes."""
    from tailc.diff.compare import diff
    from tailc.diff.throughput import throughput_change
    from tailc.errors import ExitCode
    from tailc.experiment.options import VerifyOptions
    from tailc.experiment.recorded_periods import shares_of
    from tailc.report import diff as render
    from tailc.report.diff import throughput as changes
    from tailc.studies.held_out_rows import read_held_out_rows
    from tailc.verify.throughput.drift import drift_findings, drifts
    from tailc.verify.throughput.judge import check

    for policy in policies:
        shares_of(policy)
    new = policies[1]
    check_options(new, arrivals, options)
    held_out = read_held_out_rows(new, trace, trace_format)
    chosen = VerifyOptions(held_out_name=trace, **replay_options.given_options(options))
    check(new, held_out, chosen)
    differences, change = diff(*policies), throughput_change(*policies, held_out, chosen)
    drifted = drift_findings(new, drifts(new, held_out, chosen), held_out)
    result: dict[str, object] = {
        **render.as_dict(differences),
        "throughput": changes.as_dict(change),
    }
    return CommandOutcome(
        differences.exit_code if exit_code else ExitCode.OK,
        f"{render.as_text(differences)}\n{changes.as_text(change)}",
        result,
        (*differences.warnings, *held_out.warnings, *drifted),
        render.as_notes(differences),
        markdown=render.as_markdown(differences) + changes.as_markdown(change),
    )
