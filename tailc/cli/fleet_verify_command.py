"""The command `tailc fleet verify`: judge the policies of many services on held-out traces."""

from __future__ import annotations

import click

from tailc.cli import replay_options
from tailc.cli.engine_options import chosen_engine, engine_options
from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.errors import ExitCode

_SERVICE = "{service}"
# Options of `tailc verify` that have one value for each service.
_FOR_ONE = ("-h", "--help", "--output-format", "--picture", "--report", "--trace")
_RESULTS = {ExitCode.OK: "pass", ExitCode.MISSED: "missed", ExitCode.UNDECIDED: "undecided"}


@click.command("fleet verify", short_help="Judge the policies of many services.")
@click.argument("folder", type=click.Path(exists=True, file_okay=False))
@click.argument("options", nargs=-1, metavar="[-- OPTIONS]")
@click.option(
    "--trace",
    "pattern",
    required=True,
    metavar="FILE",
    help="Held-out trace of each service: a path with {service}, such as traces/{service}.parquet.",
)
@engine_options
@replay_options.progress
@command_with_outcome
def command(
    folder: str,
    options: tuple[str, ...],
    pattern: str,
    jobs: int | None,
    cluster: str | None,
    progress: bool | None,
) -> CommandOutcome:
    """Run `tailc verify` for every policy in FOLDER and the folders below it.

    A service is named by the path of its .tailc file, without the suffix. OPTIONS are options of
    `tailc verify` for all services, such as `-- --requests 20000`. A service that fails does not
    stop the others. Exits 0 if all policies pass, otherwise with the worst exit code: that of a
    failure, 1 for a missed SLO, or 4 for an undecided one.
    """
    from tailc.cli.fleet_runs import find_policies, fleet_outcome, run_for_each
    from tailc.cli.progress import show_progress

    if _SERVICE not in pattern:
        raise click.UsageError("`--trace` needs {service} where the name of the service belongs")
    if odd := [word for word in options if word.partition("=")[0] in _FOR_ONE]:
        raise click.UsageError(f"`{odd[0]}` after `--` cannot be the same for all services")
    words = {
        service: ["verify", path, "--trace", pattern.replace(_SERVICE, service), *options]
        for service, path in find_policies(folder).items()
    }
    with chosen_engine(jobs, cluster) as engine, show_progress(progress) as draw:
        runs = run_for_each(words, engine, draw)
    return fleet_outcome(runs, _RESULTS, engine.warnings)
