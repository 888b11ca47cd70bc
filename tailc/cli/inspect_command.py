"""The command `tailc inspect`: print a policy as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.plan_pictures import write_pictures
from tailc.cli.quantities import ZONE
from tailc.cli.trust_option import trusts

if TYPE_CHECKING:
    from datetime import tzinfo

    from tailc.artifact.trust import Trust


@click.command("inspect", short_help="Print the SLO, tables and evidence of a policy.")
@click.argument("artifact")
@click.option(
    "--rows", is_flag=True, help="Show the evidence of every load, or every epoch and job."
)
@click.option(
    "--picture",
    "picture_file",
    metavar="FILE",
    help="Draw the power of a plan by source: FILE.svg or FILE.png.",
)
@click.option(
    "--jobs-picture",
    metavar="FILE",
    help="Draw the servers of the jobs of a plan: FILE.svg or .png.",
)
@click.option(
    "--zone",
    type=ZONE,
    metavar="ZONE",
    help="Time zone in pictures, such as America/Denver. Default: UTC.",
)
@trusts
@command_with_outcome
def command(
    artifact: str,
    trust: Trust,
    *,
    rows: bool,
    picture_file: str | None,
    jobs_picture: str | None,
    zone: tzinfo | None,
) -> CommandOutcome:
    """Print the SLO, the tables and the evidence of a policy.

    ARTIFACT is a .tailc or a .json file, or the STEM of both.
    """
    from tailc.artifact.files import read_signed
    from tailc.report.policy import demand_line, evidence_text, policy_result, policy_text
    from tailc.report.signing import origin_lines, signature_result

    policy, signature = read_signed(artifact, trust)
    is_checked, result = bool(trust.keys), policy_result(policy)
    if signature is not None:
        result["signature"] = signature_result(signature, is_checked)
    name, _, rest = policy_text(policy).partition("\n")
    text = "\n".join([name, *origin_lines(policy, signature, is_checked), rest])
    if (line := demand_line(policy)) is not None:
        text += "\n\n" + line
    if rows and policy.plan is not None:
        from tailc.report.plan import plan_rows_text

        text += "\n\n" + plan_rows_text(policy.plan)
    elif rows:
        text += "".join(f"\n\n{part}" for part in [evidence_text(policy.evidence)] if part)
    files = write_pictures(policy.plan, picture_file, jobs_picture, zone)
    return CommandOutcome(
        text="\n".join([text, *(f"wrote {path}" for path in files)]),
        result=result | ({"files": files} if files else {}),
    )
