"""tailc inspect: an artifact in words."""

from __future__ import annotations

import click

from tailc.cli.outcome import Outcome, reports


@click.command("inspect", short_help="Print what a policy promises and does.")
@click.argument("artifact")
@click.option(
    "--rows", is_flag=True, help="Show the evidence of every load, or every epoch and job."
)
@reports
def command(artifact: str, *, rows: bool) -> Outcome:
    """Print what an artifact promises, what it does, and the evidence it carries.

    ARTIFACT is a .tailc or a .json file, or the STEM of both.
    """
    from tailc.artifact.files import read_policy
    from tailc.report.policy import demand_line, evidence_text, policy_result, policy_text

    policy = read_policy(artifact)
    text = policy_text(policy)
    if (line := demand_line(policy)) is not None:
        text += "\n\n" + line
    if rows and policy.plan is not None:
        from tailc.report.plan import plan_rows_text

        text += "\n\n" + plan_rows_text(policy.plan)
    elif rows:
        text += "\n\n" + evidence_text(policy.evidence)
    return Outcome(text=text, result=policy_result(policy))
