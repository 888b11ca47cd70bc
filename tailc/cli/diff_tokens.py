"""The part of `tailc diff` that replays token-budget tables on held-out requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tailc.cli import replay_options
from tailc.cli.outcome import CommandOutcome
from tailc.cli.verify_tokens import check_options

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.cli.arrivals_option import ArrivalOptions
    from tailc.traces.source import Format


def compare_tokens(
    policies: tuple[Policy, Policy],
    trace: str,
    trace_format: Format,
    arrivals: ArrivalOptions,
    progress: bool | None,  # noqa: ARG001 - a second is not worth showing
    *,
    exit_code: bool,
    **options: Any,
) -> CommandOutcome:
    """Compare two token-budget policies: how their percentiles change at each rate."""
    from tailc.diff.compare import diff
    from tailc.diff.token_budgets import scheduler_of, token_change
    from tailc.errors import ExitCode
    from tailc.experiment.options import VerifyOptions
    from tailc.report import diff as render
    from tailc.report.diff import token_budgets as changes
    from tailc.studies.held_out_tokens import read_held_out_tokens
    from tailc.verify.tokens.judge import check_trace

    new = policies[1]
    for policy in policies:
        scheduler_of(policy)
    check_options(new, options, has_arrivals=arrivals.is_given)
    held_out = read_held_out_tokens(new, trace, trace_format)
    chosen = VerifyOptions(held_out_name=trace, **replay_options.given_options(options))
    check_trace(new, held_out, chosen)
    differences, change = diff(*policies), token_change(*policies, held_out, chosen)
    return CommandOutcome(
        differences.exit_code if exit_code else ExitCode.OK,
        f"{render.as_text(differences)}\n{changes.as_text(change)}",
        {**render.as_dict(differences), "tokens": changes.as_dict(change)},
        (*differences.warnings, *held_out.warnings),
        render.as_notes(differences),
        markdown=render.as_markdown(differences) + changes.as_markdown(change),
    )
