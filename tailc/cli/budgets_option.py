"""--budgets: what a spec lets a new policy be worse by, enforced where two are compared."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tailc.cli.outcome import Outcome

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


def asked_budgets(spec: str | None, new: Policy, *, can_compare: bool) -> SpecBudgets | None:
    """Those of the spec, if one is named; `can_compare` is whether two policies are replayed."""
    if spec is None:
        return None
    from tailc.studies.budgets import read_budgets

    if not can_compare:
        message = "--budgets are for two policies replayed on requests: `diff` needs --trace, "
        raise click.UsageError(message + "`verify` needs --since OLD, and no --drift")
    return read_budgets(spec, new)


def with_budgets(told: Outcome, asked: SpecBudgets, became: Behaviour | None) -> Outcome:
    """The outcome with what became of the budgets; the worse exit code of both counts."""
    from tailc.diff.budgets import budgeted
    from tailc.errors import ExitCode
    from tailc.report.diff.budgets import budgets_dict, budgets_markdown, budgets_text

    found = budgeted(asked.most_ppm, became)
    codes = told.exit_code, found.exit_code
    worst = next((one for one in (ExitCode.MISSED, ExitCode.UNDECIDED) if one in codes), codes[0])
    return replace(
        told,
        exit_code=worst,
        text=told.text + budgets_text(found),
        result={**told.result, "budgets": budgets_dict(found)},
        findings=(*told.findings, *asked.findings(found)),
        markdown=told.markdown and told.markdown + budgets_markdown(found),
    )
