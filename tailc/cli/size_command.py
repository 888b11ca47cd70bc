"""The command `tailc size`: highest rate of a server, and number of servers of a fleet."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from tailc.cli import replay_options
from tailc.cli.engine_options import (
    refuse_cluster,
    replay_cluster,
    replay_engine,
    with_warnings,
)
from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.quantities import RATE_MRPS
from tailc.cli.size_tokens import size_budgets
from tailc.cli.trust_option import trusts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tailc.artifact.envelope import Policy
    from tailc.artifact.trust import Trust
    from tailc.traces.source import Format
    from tailc.verify.size import Sizing

_DIGITS_OF_DIGEST = 12


@click.command("size", short_help="Find the highest rate that meets an SLO.")
@click.argument("artifacts", nargs=-1, required=True)
@click.option(
    "--trace",
    required=True,
    metavar="FILE",
    help="Held-out trace; columns and units are those of the design trace of the first "
    "artifact. - is standard input.",
)
@replay_options.trace_format
@click.option(
    "--fleet-rate",
    "fleet_mrps",
    type=RATE_MRPS,
    metavar="RATE",
    help="Arrival rate of all servers together, such as 10000/s.",
)
@replay_options.baselines("first")
@replay_options.cut_off
@replay_options.thoroughness
@replay_cluster
@replay_options.allow_compile_trace
@replay_options.progress
@trusts
@command_with_outcome
def command(
    artifacts: tuple[str, ...],
    trace: str,
    trace_format: Format,
    fleet_mrps: int | None,
    cluster: str | None,
    progress: bool | None,
    trust: Trust,
    **options: Any,
) -> CommandOutcome:
    """Find the highest Poisson rate at which each of ARTIFACTS meets an SLO.

    The SLO is the first one of the first artifact. With --fleet-rate, also print the number of
    servers. The other artifacts, and the baselines on the server of the first artifact, are
    compared with the first artifact. Token budgets are replayed on recorded arrivals, stretched to
    each rate, and must meet all SLOs of the first artifact.

    `tailc size cores` finds the cores that need the least energy, and `tailc size colocation` finds
    the batch work that servers can run in addition to requests.
    """
    from tailc.artifact.files import read_policy
    from tailc.cli.progress import show_progress
    from tailc.experiment.design_overlap import overlap_findings
    from tailc.experiment.drift import drift_from
    from tailc.experiment.options import VerifyOptions
    from tailc.report import size as render
    from tailc.studies.held_out import read_held_out, trace_warnings
    from tailc.verify.size import size

    policies = [read_policy(artifact, trust) for artifact in artifacts]
    refuse_cluster(policies, cluster)
    if any(policy.budget_table is not None for policy in policies):
        with show_progress(progress) as draw:
            return size_budgets(policies, trace, trace_format, fleet_mrps, draw, options)
    held_out = read_held_out(policies[0], trace, trace_format)
    with replay_engine(cluster) as engine, show_progress(progress) as draw:
        chosen = VerifyOptions(
            held_out_name=trace,
            engine=engine,
            progress=lambda finished, total: draw("sizing", finished / total),
            **replay_options.given_options(options),
        )
        sizing = _distinguish_names(size(policies, held_out.profile, chosen), policies)
    drift = drift_from(policies[0], held_out.profile, chosen.seed)
    outcome = CommandOutcome(
        text=render.as_text(sizing, fleet_mrps),
        result=render.as_dict(sizing, fleet_mrps),
        findings=(
            *overlap_findings(policies, held_out.profile, trace),
            *trace_warnings(policies[0], held_out, trace, drift),
        ),
        markdown=render.as_markdown_table(sizing, fleet_mrps),
    )
    return with_warnings(outcome, engine)


def _distinguish_names(sizing: Sizing, policies: Sequence[Policy]) -> Sizing:
    """Add generations, or digests if those are equal, to policies with the same name.

    The capacities of the policies come first, in the order of the policies.
    """
    from tailc.artifact.json_form import digest_of

    labels = [policy.name for policy in policies]
    if len(set(labels)) < len(labels):
        labels = [f"{policy.name}, generation {policy.generation}" for policy in policies]
    if len(set(labels)) < len(labels):
        labels = [f"{policy.name}, {digest_of(policy)[:_DIGITS_OF_DIGEST]}" for policy in policies]
    ours, others = sizing.capacities[: len(policies)], sizing.capacities[len(policies) :]
    names = (replace(one, subject=label) for one, label in zip(ours, labels, strict=True))
    return replace(sizing, capacities=(*names, *others))
