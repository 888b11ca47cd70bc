"""Choose the function that judges a policy for `tailc verify`, and its options, by form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from tailc.artifact.envelope import Policy
    from tailc.cli.outcome import CommandOutcome

    # Takes the policy, the trace, its format, arrivals, progress, and options.
    Judge = Callable[..., CommandOutcome]


def judge_of_form(policy: Policy) -> Judge | None:
    """Return the function that judges plans, CPU shares or token budgets; None for other forms."""
    if policy.plan is not None:
        from tailc.cli.verify_plan import judge_plan

        return judge_plan
    if policy.shares is not None:
        from tailc.cli.verify_throughput import judge_throughput

        return judge_throughput
    if policy.budget_table is not None:
        from tailc.cli.verify_tokens import judge_tokens

        return judge_tokens
    return None


def options_of_form(policy: Policy, options: dict[str, Any]) -> dict[str, Any]:
    """Select the options that apply to a policy's form; refuse those of other forms."""
    if policy.plan is not None:
        return options
    from tailc.cli.verify_plan import without_plan

    if policy.shares is None and options.get("tolerance_ppm") is not None:
        raise click.UsageError(
            "`--tolerance` applies to targets of throughput, but this artifact has none: "
            "remove `--tolerance`"
        )
    return without_plan(options)
