"""tailc inspect: an artifact in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tailc.cli.outcome import Outcome, reports
from tailc.cli.plan_pictures import write_pictures
from tailc.cli.quantities import ZONE

if TYPE_CHECKING:
    from datetime import tzinfo


@click.command("inspect", short_help="Print what a policy promises and does.")
@click.argument("artifact")
@click.option(
    "--rows", is_flag=True, help="Show the evidence of every load, or every epoch and job."
)
@click.option("--plot", metavar="FILE", help="Draw a plan's power by source: FILE.svg or FILE.png.")
@click.option(
    "--jobs-plot", metavar="FILE", help="Draw the servers of a plan's jobs: FILE.svg or .png."
)
@click.option(
    "--zone",
    type=ZONE,
    metavar="ZONE",
    help="Zone of the times in pictures, such as America/Denver; UTC by default.",
)
@reports
def command(
    artifact: str, *, rows: bool, plot: str | None, jobs_plot: str | None, zone: tzinfo | None
) -> Outcome:
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
    written = write_pictures(policy.plan, plot, jobs_plot, zone)
    return Outcome(
        text="\n".join([text, *(f"wrote {path}" for path in written)]),
        result=policy_result(policy) | ({"files": written} if written else {}),
    )
