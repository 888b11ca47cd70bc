"""The command `tailc replan`: plan again from the state of the plan in force."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.quantities import MOMENT_UNIX_S
from tailc.cli.search_choice import SearchChoice
from tailc.cli.state_files import read_state_file
from tailc.cli.trust_option import trusts

if TYPE_CHECKING:
    from tailc.artifact.trust import Trust


@click.command("replan", short_help="Plan jobs again from a state.")
@click.argument("artifact")
@click.option("--spec", required=True, metavar="SPEC", help="The spec of the policy.")
@click.option("--state", required=True, metavar="FILE", help="The state to continue from.")
@click.option("--jobs", metavar="LOG", help="Log with the jobs until now. Default: the spec's.")
@click.option(
    "--forecast",
    metavar="SERIES",
    help="Series of green power, with the forecast, in place of the first source of the spec. "
    "Default: the spec's source and method.",
)
@click.option(
    "--until",
    "until_unix_s",
    type=MOMENT_UNIX_S,
    help="End of the new plan. Default: it is as long as the spec says.",
)
@click.option("--method", type=SearchChoice("Method"), help="Override search.method.")
@click.option("-o", "--output", required=True, metavar="STEM", help="Write STEM.json, STEM.tailc.")
@click.option(
    "--progress/--no-progress",
    default=None,
    envvar="TAILC_PROGRESS",
    help="Show progress. Default: only on a terminal.",
)
@trusts
@command_with_outcome
def command(
    artifact: str,
    trust: Trust,
    *,
    spec: str,
    state: str,
    method: str | None,
    output: str,
    progress: bool | None,
    **inputs: Any,
) -> CommandOutcome:
    """Plan again from a state of ARTIFACT, the plan in force: jobs keep their progress, servers and
    green energy, refused jobs stay refused, and the new plan is the next generation.

    The plan in force is a starting point: the new plan of rigid jobs is never worth less than going
    on with it, by the new forecast.
    """
    from tailc.artifact.files import paths_of, read_policy, write_policy
    from tailc.atomic_files import refuse_unwritable
    from tailc.cli.progress import show_progress
    from tailc.pipeline.replan import NewInputs, replan
    from tailc.pipeline.spec import open_kind
    from tailc.report.compile_report import compiled_result, compiled_text

    policy, before = read_policy(artifact, trust), read_state_file(state)
    refuse_unwritable(paths_of(output))
    with show_progress(progress) as draw:
        compiled = replan(
            open_kind(spec),
            policy,
            before,
            NewInputs(**inputs),
            overrides={} if method is None else {"method": method},
            progress=draw,
        )
    paths = write_policy(compiled.policy, output)
    result = {"files": [str(path) for path in paths], **compiled_result(compiled)}
    text = compiled_text(compiled, paths, is_written=True)
    return CommandOutcome(text=text, result=result, findings=compiled.findings, is_answer=False)
