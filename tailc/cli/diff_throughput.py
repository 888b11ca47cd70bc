"""What diff prints of policies of shares on held-out throughput."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tailc.cli import replay_options
from tailc.cli.outcome import Outcome
from tailc.cli.verify_throughput import check_options

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.cli.arrivals_option import AskedArrivals
    from tailc.traces.source import Format


def compared_throughput(
    policies: tuple[Policy, Policy],
    trace: str,
    trace_format: Format,
    arrivals: AskedArrivals,
    progress: bool | None,  # noqa: ARG001 - a second is not worth showing
    *,
    exit_code: bool,
    **options: Any,
) -> Outcome:
    """What differs, and how the error of each machine changes."""
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
    chosen = VerifyOptions(held_out_name=trace, **replay_options.given(options))
    check(new, held_out, chosen)
    found, change = diff(*policies), throughput_change(*policies, held_out, chosen)
    drifted = drift_findings(new, drifts(new, held_out, chosen), held_out)
    result: dict[str, object] = {**render.as_dict(found), "throughput": changes.as_dict(change)}
    return Outcome(
        found.exit_code if exit_code else ExitCode.OK,
        f"{render.as_text(found)}\n{changes.as_text(change)}",
        result,
        (*found.warnings, *held_out.warnings, *drifted),
        render.as_notes(found),
        markdown=render.as_markdown(found) + changes.as_markdown(change),
    )
