"""The command `tailc advance`: write the state of a plan at a later time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.quantities import MOMENT_UNIX_S
from tailc.cli.state_files import read_state_at_start, write_state_file
from tailc.cli.trust_option import trusts

if TYPE_CHECKING:
    from tailc.artifact.trust import Trust
    from tailc.forms.plan.plan import Plan


@click.command("advance", short_help="Write the state of a plan at a later time.")
@click.argument("artifact")
@click.option("--to", "to_unix_s", type=MOMENT_UNIX_S, required=True, help="Time of the new state.")
@click.option("--state", metavar="FILE", help="State at the start of the plan. Default: no jobs.")
@click.option("-o", "--output", required=True, metavar="FILE", help="Write the new state.")
@click.option(
    "--refused", multiple=True, metavar="JOB", help="A job that a look-up refused. May be repeated."
)
@click.option("--ended", multiple=True, metavar="JOB", help="A job that ended early. May repeat.")
@click.option(
    "--green",
    "measured",
    type=(str, click.IntRange(min=0)),
    multiple=True,
    metavar="JOB SLOTS",
    help="Number of servers times epochs that a job has had on green energy in all, as measured. "
    "Default: as planned.",
)
@click.option(
    "--known-jobs",
    type=click.Choice(["past", "all"]),
    default="past",
    help="As in the spec: with `all`, jobs submitted before the new state are decided.",
)
@trusts
@command_with_outcome
def command(
    artifact: str,
    trust: Trust,
    *,
    to_unix_s: int,
    state: str | None,
    output: str,
    **given: Any,
) -> CommandOutcome:
    """Write the state of the plan in ARTIFACT after some epochs: jobs that run, their servers,
    progress and green energy, jobs that were refused or wait, and the battery's charge.

    The state is as planned, except for what the options say. `tailc replan` continues from it.
    """
    from tailc.artifact.files import read_policy
    from tailc.artifact.machines import machines_of
    from tailc.forms.plan.state import CarriedOutPlan, Events
    from tailc.traces.zones import utc_text
    from tailc.units import plural

    policy = read_policy(artifact, trust)
    if policy.plan is None:
        raise click.UsageError(f"`{artifact}` has no plan of jobs, so it has no state")
    before = None if state is None else read_state_at_start(state, policy.plan)
    knows_all = given["known_jobs"] == "all"
    events = Events(given["refused"], given["ended"], dict(given["measured"]), knows_all)
    epochs = _epochs(policy.plan, to_unix_s)
    carried_out = CarriedOutPlan(policy.plan, before, machines_of(policy))
    after = carried_out.state_after(epochs, events)
    write_state_file(after, output)
    text = (
        f"{utc_text(after.at_unix_s)}: {plural(len(after.running), 'job')} on "
        f"{plural(after.servers - len(after.asleep), 'server')}, {len(after.asleep)} asleep; "
        f"{len(after.waiting)} waiting, {len(after.refused)} refused"
    )
    result = {"file": output, "at_unix_s": after.at_unix_s, "running": len(after.running)}
    return CommandOutcome(text=f"{text}\nwrote {output}", result=result, is_answer=False)


def _epochs(plan: Plan, to_unix_s: int) -> int:
    """Epochs from the plan's start to a boundary of epochs."""
    from tailc.traces.zones import utc_text

    epochs, rest = divmod(to_unix_s - plan.start_unix_s, plan.epoch_s)
    if rest or not 0 <= epochs <= len(plan.epochs):
        message = (
            f"no epoch begins at `{utc_text(to_unix_s)}`: the plan has epochs of {plan.epoch_s} s "
            f"from `{utc_text(plan.start_unix_s)}` to `{utc_text(plan.end_unix_s)}`"
        )
        raise click.BadParameter(message, param_hint="'--to'")
    return epochs
