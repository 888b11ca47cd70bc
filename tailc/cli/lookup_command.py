"""The command `tailc lookup`: print what a policy decides for a request, a core or a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.quantities import DURATION_US, MOMENT_UNIX_S, RATE_MRPS, RATES_MRPS, SHARE_PPM
from tailc.cli.trust_option import trusts

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.artifact.trust import Trust
    from tailc.cli.lookup_query import Options

# Limits of servers and epochs; equal to those of tailc.forms.plan.quote, which is slow to import.
MOST_OF_A_JOB = 2**20


@click.command("lookup", short_help="Look up what a policy decides for a request.")
@click.argument("artifact")
@click.option(
    "--in-system",
    type=click.IntRange(min=0),
    metavar="X",
    help="Requests in the system, including waiting ones.",
)
@click.option(
    "--rate",
    type=RATE_MRPS,
    help="Arrival rate, such as 40/s, for a table by rate and for a controller's gains.",
)
@click.option(
    "--waited",
    type=DURATION_US,
    help="Time that the request has waited, such as 5ms. Default: 0ms.",
)
@click.option(
    "--age",
    type=DURATION_US,
    help="Time that the request has executed, such as 80ms. Default: 0ms.",
)
@click.option(
    "--class", "request_class", metavar="NAME", help="Class of the request, for a table by class."
)
@click.option(
    "--held",
    type=DURATION_US,
    multiple=True,
    help="For a tail table: time since a request of the core arrived; first that of the "
    "running request, then repeated for each that waits.",
)
@click.option(
    "--cycles",
    type=click.IntRange(min=0),
    metavar="X",
    help="Compute cycles that the running request has had. Default: 0.",
)
@click.option(
    "--memory",
    type=DURATION_US,
    help="Memory time that the running request has had. Default: 0ms.",
)
@click.option(
    "--scale",
    type=SHARE_PPM,
    metavar="SHARE",
    help="Output of the controller, such as 40%. Default: its initial output.",
)
@click.option(
    "--measured",
    type=DURATION_US,
    multiple=True,
    help="Tail at the end of an epoch, for one step of the controller; may be repeated.",
)
@click.option(
    "--throughput",
    type=RATES_MRPS,
    multiple=True,
    help="For CPU shares: throughput of the machines with targets in one step, in order, such "
    "as 28/s,300/s; repeated for each step.",
)
@click.option(
    "--decoding",
    type=click.IntRange(min=0),
    metavar="X",
    help="For token budgets: sequences that decode. Default: 0.",
)
@click.option(
    "--waiting-tokens",
    type=click.IntRange(min=0),
    metavar="X",
    help="For token budgets: tokens of prompts that are not computed yet. Default: 0.",
)
@click.option(
    "--at",
    type=MOMENT_UNIX_S,
    help="For a plan: time of the look-up, such as 2012-06-01T12:00:00Z.",
)
@click.option("--job", metavar="NAME", help="For a plan: print where this job runs at that time.")
@click.option(
    "--pool",
    metavar="NAME",
    help="For a plan: print the power sources of this pool at that time. Default: all pools.",
)
@click.option(
    "--width",
    type=click.IntRange(min=1, max=MOST_OF_A_JOB),
    multiple=True,
    metavar="SERVERS",
    help="For a plan: price of a job that starts at that time on this number of servers; for "
    "malleable jobs, repeated for each possible width.",
)
@click.option(
    "--epochs",
    type=click.IntRange(min=1, max=MOST_OF_A_JOB),
    multiple=True,
    metavar="N",
    help="Run time of the job of --width in epochs; repeated like --width.",
)
@click.option(
    "--green",
    type=SHARE_PPM,
    metavar="SHARE",
    help="Green share of the energy of the job, such as 50%. Default: 0%.",
)
@trusts
@command_with_outcome
def command(artifact: str, trust: Trust, **options: Any) -> CommandOutcome:
    """Print whether a request may start, how much longer it waits, and the rung for its age.

    For a tail table: the frequency of a core that holds the requests of --held, and the reason. For
    a controller: its output after one step for each --measured, at the arrival rate --rate,
    starting at --scale. For CPU shares: the share of each machine after one step for each
    --throughput. For a plan: its decisions at the time --at. For token budgets: the tokens of the
    next iteration.
    """
    from tailc.artifact.files import read_policy
    from tailc.cli.lookup_query import given_options

    return look_up(read_policy(artifact, trust), given_options(options))


def look_up(policy: Policy, given: Options) -> CommandOutcome:
    """Look up what a policy decides; raises a usage error for options without a meaning for it."""
    from tailc.cli import (
        lookup_budget,
        lookup_ladder,
        lookup_plan,
        lookup_shares,
        lookup_tails,
    )
    from tailc.cli.lookup_query import (
        BudgetQuery,
        LadderQuery,
        PlanQuery,
        SharesQuery,
        TailTableQuery,
    )

    if policy.plan is not None:
        return lookup_plan.look_up(policy.plan, PlanQuery.from_options(given), policy.later_jobs)
    if policy.shares is not None:
        return lookup_shares.look_up(policy.shares, SharesQuery.from_options(given))
    if policy.budget_table is not None:
        return lookup_budget.look_up(policy.budget_table, BudgetQuery.from_options(given))
    if policy.tail_table is not None:
        return lookup_tails.look_up(policy, policy.tail_table, TailTableQuery.from_options(given))
    return lookup_ladder.look_up(policy, LadderQuery.from_options(given))
