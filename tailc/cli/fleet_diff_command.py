"""The command `tailc fleet diff`: compare the policies of many services with earlier ones."""

from __future__ import annotations

import click

from tailc.cli import replay_options
from tailc.cli.engine_options import chosen_engine, engine_options
from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.errors import ExitCode

_RESULTS = {ExitCode.OK: "same", ExitCode.DIFFERS: "differs"}


@click.command("fleet diff", short_help="Compare the policies of many services.")
@click.argument("old", type=click.Path(exists=True, file_okay=False))
@click.argument("new", type=click.Path(exists=True, file_okay=False))
@engine_options
@replay_options.progress
@command_with_outcome
def command(
    old: str, new: str, jobs: int | None, cluster: str | None, progress: bool | None
) -> CommandOutcome:
    """Run `tailc diff` for every service that has a policy in both folders, OLD and NEW.

    Exits 2 if decisions of a service differ, and 66 if a service has a policy in only one folder.
    """
    from tailc.cli.fleet_runs import find_policies, fleet_outcome, run_for_each
    from tailc.cli.progress import show_progress

    before, after = find_policies(old), find_policies(new)
    words = {
        service: [
            "diff",
            before.get(service, f"{old}/{service}.tailc"),
            after.get(service, f"{new}/{service}.tailc"),
            "--exit-code",
        ]
        for service in sorted({*before, *after})
    }
    with chosen_engine(jobs, cluster) as engine, show_progress(progress) as draw:
        runs = run_for_each(words, engine, draw)
    return fleet_outcome(runs, _RESULTS, engine.warnings)
