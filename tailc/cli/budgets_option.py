"""The option --budgets: enforce a spec's limits on how much worse a new policy may be."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tailc.cli.outcome import CommandOutcome

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.diff.behaviour import Behaviour
    from tailc.studies.budgets import SpecBudgets

budgets = click.option(
    "--budgets",
    metavar="SPEC",
    help="Enforce the `budgets` of this spec: exit 1 if one is exceeded, 4 if that is undecided.",
)

since = click.option(
    "--since",
    metavar="OLD",
    help="Policy to compare with for --budgets, such as the last release.",
)


def read_budget_option(spec: str | None, new: Policy, *, can_compare: bool) -> SpecBudgets | None:
    """Read the budgets of worsening from the spec of the option --budgets; None without the option.

    new: the policy that must keep them. can_compare: whether two policies are replayed.
    """
    if spec is None:
        return None
    from tailc.studies.budgets import read_budgets

    if not can_compare:
        message = "`--budgets` compares two policies in replays: `diff` needs `--trace`, "
        raise click.UsageError(message + "`verify` needs `--since OLD` without `--drift`")
    return read_budgets(spec, new)


def with_budgets(
    outcome: CommandOutcome, limits: SpecBudgets, behaviour: Behaviour | None
) -> CommandOutcome:
    """Add the verdict on the budgets to a command's outcome; the worse of both exit codes applies.

    behaviour: the replayed change; None if both policies decide alike.
    """
    from tailc.diff.budgets import check_budgets
    from tailc.errors import ExitCode
    from tailc.report.diff.budgets import budgets_dict, budgets_markdown, budgets_text

    verdict = check_budgets(limits.most_ppm, behaviour)
    codes = outcome.exit_code, verdict.exit_code
    worst = next((one for one in (ExitCode.MISSED, ExitCode.UNDECIDED) if one in codes), codes[0])
    return replace(
        outcome,
        exit_code=worst,
        text=outcome.text + budgets_text(verdict),
        result={**outcome.result, "budgets": budgets_dict(verdict)},
        findings=(*outcome.findings, *limits.findings(verdict)),
        markdown=outcome.markdown and outcome.markdown + budgets_markdown(verdict),
    )
