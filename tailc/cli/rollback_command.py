"""The command `tailc rollback`: write an old policy as a new generation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.trust_option import trusts

if TYPE_CHECKING:
    from tailc.artifact.trust import Trust


@click.command("rollback", short_help="Write an old policy as a new generation.")
@click.argument("old")
@click.option("--over", required=True, metavar="CURRENT", help="Artifact of the deployed policy.")
@click.option(
    "-o", "--output", required=True, metavar="STEM", help="Write STEM.json and STEM.tailc."
)
@trusts
@command_with_outcome
def command(old: str, over: str, output: str, trust: Trust) -> CommandOutcome:
    """Write a copy of OLD whose generation is one after that of CURRENT.

    The generation is the number of a policy in the sequence of those published. A server refuses a
    policy whose generation is older than that of the policy it has, so copying the old file back
    does not work. The SLO, tables and evidence are those of OLD; the evidence names both policies
    by their digests. The result is not signed: sign it with `tailc sign`.
    """
    from tailc.artifact.envelope import REPLACED, RESTORED
    from tailc.artifact.files import read_policy, write_policy
    from tailc.artifact.rollback import roll_back

    policy = roll_back(read_policy(old, trust), read_policy(over, trust))
    paths = [str(path) for path in write_policy(policy, output)]
    digests = dict(policy.evidence.versions)
    origin = f"{policy.name}, generation {policy.generation}: {digests[RESTORED][:12]} restored"
    text = f"{origin}, {digests[REPLACED][:12]} replaced"
    return CommandOutcome(
        text="\n".join([text, *(f"wrote {path}" for path in paths)]),
        result={
            "generation": policy.generation,
            "restored": digests[RESTORED],
            "replaced": digests[REPLACED],
            "files": paths,
        },
        is_answer=False,
    )
