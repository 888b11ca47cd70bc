"""The command `tailc inspect`: print a policy as text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.pictures import PICTURE, check_distinct_files, picture_contents, write_files
from tailc.cli.quantities import ZONE
from tailc.cli.trust_option import trusts

if TYPE_CHECKING:
    from datetime import tzinfo

    from tailc.artifact.trust import Trust
    from tailc.forms.plan.plan import Plan


@click.command("inspect", short_help="Print the SLO, tables and evidence of a policy.")
@click.argument("artifact")
@click.option(
    "--rows", is_flag=True, help="Show the evidence of every load, or every epoch and job."
)
@click.option(
    "--parts",
    is_flag=True,
    help="Print the parts of the file with their positions and first bytes, also if it is damaged.",
)
@click.option(
    "--picture",
    "picture_file",
    type=PICTURE,
    metavar="FILE",
    help="Draw the power of a plan by source: FILE.svg or FILE.png.",
)
@click.option(
    "--jobs-picture",
    type=PICTURE,
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
    parts: bool,
    picture_file: Path | None,
    jobs_picture: Path | None,
    zone: tzinfo | None,
) -> CommandOutcome:
    """Print the SLO, the tables and the evidence of a policy.

    ARTIFACT is a .tailc or a .json file, or the STEM of both.
    """
    if parts:
        if rows or picture_file or jobs_picture or zone:
            raise click.UsageError("`--parts` is about bytes: remove the other options")
        from tailc.cli.inspect_parts import inspect_parts

        return inspect_parts(artifact, trust)
    from tailc.artifact.files import read_signed
    from tailc.forms.ladder.settings import settings_text
    from tailc.report.policy import demand_line, evidence_text, policy_result, policy_text
    from tailc.report.signing import origin_lines, signature_result

    policy, signature = read_signed(artifact, trust)
    is_checked, result = bool(trust.keys), policy_result(policy)
    if signature is not None:
        result["signature"] = signature_result(signature, is_checked)
    name, _, rest = policy_text(policy).partition("\n")
    text = "\n".join([name, *origin_lines(policy, signature, is_checked), rest])
    text += "".join(f"\n\n{part}" for part in map(settings_text, policy.ladders) if part)
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


def write_pictures(
    plan: Plan | None, power_file: Path | None, jobs_file: Path | None, zone: tzinfo | None
) -> list[str]:
    """Write the requested pictures of a plan, all or none, and return their paths.

    Raises a usage error if both files are the same, or there is no plan.
    """
    files = {"--picture": power_file, "--jobs-picture": jobs_file}
    requested = [option for option, file in files.items() if file]
    if not requested:
        if zone is not None:
            raise click.UsageError(
                "`--zone` applies to pictures: add `--picture` or `--jobs-picture`"
            )
        return []
    if plan is None:
        raise click.UsageError(
            f"this artifact is not a plan: {requested[0]} does not apply, so remove it"
        )
    check_distinct_files(files)

    from datetime import UTC

    from tailc.report.pictures.job_stack import jobs_figure
    from tailc.report.pictures.power_series import power_from_plan
    from tailc.report.pictures.power_stack import power_figures

    zone = zone or UTC
    power = picture_contents(power_file, lambda: power_figures(power_from_plan(plan), zone))
    jobs = picture_contents(jobs_file, lambda: [jobs_figure(plan, zone)])
    return write_files([*power, *jobs])
