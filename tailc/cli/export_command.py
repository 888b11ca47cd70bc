"""The command `tailc export`: write what a plan does as files and commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.quantities import MOMENT_UNIX_S
from tailc.cli.state_files import read_state_at_start
from tailc.cli.trust_option import trusts

if TYPE_CHECKING:
    from tailc.artifact.trust import Trust
    from tailc.export.step import ExportedPlan


@click.command("export", short_help="Write what a plan does as files and commands.")
@click.argument("target", type=click.Choice(["servers", "slurm", "kubernetes"]))
@click.argument("artifact")
@click.option("--state", metavar="FILE", help="State at the start of the plan. Default: no jobs.")
@click.option(
    "--at",
    "at_unix_s",
    type=MOMENT_UNIX_S,
    metavar="TIME",
    help="Time whose epoch begins, for slurm and kubernetes. Default: the start of the plan.",
)
@click.option(
    "--nodes",
    default="node%d",
    metavar="NAME",
    help="Names of nodes, where %d is the number of the server, from 0. Default: node%d.",
)
@click.option("-o", "--output", metavar="FILE", help="Write this file. Default: print.")
@trusts
@command_with_outcome
def command(
    target: str,
    artifact: str,
    trust: Trust,
    *,
    state: str | None,
    at_unix_s: int | None,
    nodes: str,
    output: str | None,
) -> CommandOutcome:
    """Write what the plan in ARTIFACT does: `servers` is a table of the servers of each job and of
    sleeping servers, for all epochs. `slurm` and `kubernetes` are scripts of commands for the start
    of one epoch, to be read before they are run.

    Servers are numbered from 0, rack by rack. Jobs of Slurm have the number of the log, Jobs of
    Kubernetes the name in the plan.
    """
    from tailc.artifact.files import read_policy
    from tailc.artifact.machines import machines_of
    from tailc.export.step import ExportedPlan, NodeNames

    policy = read_policy(artifact, trust)
    if policy.plan is None:
        raise click.UsageError(
            f"only plans of jobs can be exported, and `{artifact}` has none: for the table of a "
            "policy use `tailc embed`"
        )
    try:
        names = NodeNames(nodes)
    except ValueError as fault:
        raise click.BadParameter(str(fault), param_hint="'--nodes'") from None
    before = None if state is None else read_state_at_start(state, policy.plan)
    exported = ExportedPlan(policy.plan, before, machines_of(policy), names)
    content = _content(exported, target, at_unix_s)
    if output is None:
        return CommandOutcome(text=content.rstrip("\n"), result={"content": content})
    from tailc.atomic_files import replace_files

    replace_files([(Path(output), content.encode())])
    return CommandOutcome(text=f"wrote {output}", result={"file": output}, is_answer=False)


def _content(exported: ExportedPlan, target: str, at_unix_s: int | None) -> str:
    from tailc.export.kubernetes import kubernetes_text
    from tailc.export.servers import servers_text
    from tailc.export.slurm import slurm_text
    from tailc.traces.zones import utc_text

    if target == "servers":
        if at_unix_s is not None:
            raise click.UsageError(
                "`--at` applies only to `slurm` and `kubernetes`, and `servers` writes all epochs: "
                "remove `--at`"
            )
        return servers_text(exported)
    plan = exported.plan
    epoch = plan.epoch_at(plan.start_unix_s if at_unix_s is None else at_unix_s)
    if epoch is None:
        validity = f"{utc_text(plan.start_unix_s)} to {utc_text(plan.end_unix_s)}"
        raise click.BadParameter(f"the plan covers {validity}", param_hint="'--at'")
    return (slurm_text if target == "slurm" else kubernetes_text)(exported, epoch)
