"""The part of `tailc diff` that replays plans on held-out days."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tailc.cli.outcome import CommandOutcome
from tailc.cli.verify_plan import check_options, plan_options

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.cli.arrivals_option import ArrivalOptions
    from tailc.traces.source import Format


def compare_plans(
    policies: tuple[Policy, Policy],
    days: str,
    trace_format: Format,
    arrivals: ArrivalOptions,
    progress: bool | None,  # noqa: ARG001 - a second is not worth showing
    *,
    exit_code: bool,
    windows: int | None,
    **options: Any,
) -> CommandOutcome:
    """Compare two plans, and replay both on the same windows of held-out days."""
    from tailc.diff.compare import diff
    from tailc.diff.plan_days import comparable, days_change
    from tailc.errors import ExitCode
    from tailc.report import diff as render
    from tailc.report.diff import plan_days as changes
    from tailc.studies.held_out_days import read_held_out_days

    comparable(*policies)
    check_options(policies[1], trace_format, arrivals, options)
    held_out = read_held_out_days(policies[1], days, windows)
    change = days_change(*policies, held_out, plan_options(options))
    differences = diff(*policies)
    result: dict[str, object] = {**render.as_dict(differences), "days": changes.as_dict(change)}
    return CommandOutcome(
        differences.exit_code if exit_code else ExitCode.OK,
        f"{render.as_text(differences)}\n{changes.as_text(change)}",
        result,
        (*differences.warnings, *held_out.warnings),
        render.as_notes(differences) + changes.as_notes(change),
        markdown=render.as_markdown(differences) + changes.as_markdown(change),
    )
