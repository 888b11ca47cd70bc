"""The part of `tailc size` that replays token-budget tables at many rates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tailc.cli import replay_options
from tailc.cli.outcome import CommandOutcome
from tailc.cli.verify_tokens import check_options

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tailc.artifact.envelope import Policy
    from tailc.traces.source import Format


def size_budgets(
    policies: Sequence[Policy],
    trace: str,
    trace_format: Format,
    fleet_mrps: int | None,
    draw: Callable[[str, float], None],
    options: dict[str, Any],
) -> CommandOutcome:
    """Find the highest rate at which each token-budget policy and baseline meets all SLOs."""
    from tailc.experiment.options import VerifyOptions
    from tailc.report.tokens import size as render
    from tailc.studies.held_out_tokens import read_held_out_tokens
    from tailc.units import shorten
    from tailc.verify.tokens.size import size_tokens

    others = [policy.name for policy in policies if policy.budget_table is None]
    if others:
        subject = f"policy `{shorten(others[0])}` has no token budgets, but another one has"
        raise click.UsageError(f"{subject}: size policies of one form at a time")
    check_options(policies[0], options, has_arrivals=False)
    held_out = read_held_out_tokens(policies[0], trace, trace_format)
    chosen = VerifyOptions(
        held_out_name=trace,
        progress=lambda finished, total: draw("sizing", finished / total),
        **replay_options.given_options(options),
    )
    sizing = size_tokens(policies, held_out, chosen)
    return CommandOutcome(
        text=render.as_text(sizing, fleet_mrps),
        result=render.as_dict(sizing, fleet_mrps),
        findings=held_out.warnings,
        markdown=render.as_markdown_table(sizing, fleet_mrps),
    )
