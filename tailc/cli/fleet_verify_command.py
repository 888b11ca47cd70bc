"""The command `tailc fleet verify`: judge the policies of many services on held-out traces."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tailc.cli import replay_options
from tailc.cli.engine_options import chosen_engine, engine_options
from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.report_option import report as report_option
from tailc.cli.report_option import with_report
from tailc.errors import ExitCode, TailcError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tailc.cli.fleet_runs import FleetColumns, ServiceRun
    from tailc.studies.fleet import PolicySummary

_SERVICE = "{service}"
# Options of `tailc verify` that have one value for each service.
_FOR_ONE = ("-h", "--help", "--output-format", "--picture", "--report", "--trace")
_RESULTS = {
    ExitCode.OK: "pass",
    ExitCode.MISSED: "missed",
    ExitCode.UNDECIDED: "undecided",
    ExitCode.DIFFERS: "drift",
}
_RULINGS = {ExitCode.OK: "pass", ExitCode.UNDECIDED: "undecided"}
_SECONDS_A_DAY = 86_400


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
@click.option(
    "--family-wise",
    is_flag=True,
    help="Correct the rulings for the number of services, so that any is wrong with at most 5 %.",
)
@report_option
@engine_options
@replay_options.progress
@command_with_outcome
def command(
    folder: str,
    options: tuple[str, ...],
    pattern: str,
    family_wise: bool,
    report: Path | None,
    jobs: int | None,
    cluster: str | None,
    progress: bool | None,
) -> CommandOutcome:
    """Run `tailc verify` for every policy in FOLDER and the folders below it.

    A service is named by the path of its .tailc file, without the suffix. OPTIONS are options of
    `tailc verify` for all services, such as `-- --requests 20000`. A service that fails does not
    stop the others. Exits 0 if all policies pass, otherwise with the worst exit code: that of a
    failure, 1 for a missed SLO, or 4 for an undecided one. The table lists policies that do not
    pass, and those whose demand has drifted since the compile.
    """
    from tailc.atomic_files import refuse_unwritable
    from tailc.cli.fleet_runs import find_policies, fleet_outcome, run_for_each
    from tailc.cli.progress import show_progress

    if _SERVICE not in pattern:
        raise click.UsageError("`--trace` needs {service} where the name of the service belongs")
    if odd := [word for word in options if word.partition("=")[0] in _FOR_ONE]:
        raise click.UsageError(f"`{odd[0]}` after `--` cannot be the same for all services")
    if report is not None:
        refuse_unwritable([report])
    paths = find_policies(folder)
    corrected = _corrected(paths) if family_wise else {}
    words = {
        service: [
            *("verify", path, "--trace", pattern.replace(_SERVICE, service)),
            *corrected.get(service, ()),
            *options,
        ]
        for service, path in paths.items()
    }
    with chosen_engine(jobs, cluster) as engine, show_progress(progress) as draw:
        runs = run_for_each(words, engine, draw)
    summaries = _summaries(paths)
    columns = _columns(paths, summaries)
    outcome = fleet_outcome(runs, _RESULTS, engine.warnings, columns)
    if report is None:
        return outcome
    from tailc.cli.fleet_runs import counts_text, fleet_table
    from tailc.report.page.fleet_page import judged_fleet_page
    from tailc.report.table import align_columns

    counts, table = counts_text(runs, _RESULTS), align_columns(fleet_table(runs, _RESULTS, columns))
    ruling = _RULINGS.get(outcome.exit_code, "fail")
    return with_report(outcome, report, judged_fleet_page(folder, counts, table, summaries, ruling))


def _corrected(paths: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Option for the correction of each policy for requests, the only ones with intervals."""
    from tailc.artifact.files import read_policy

    judged = []
    for service, path in paths.items():
        with contextlib.suppress(TailcError):
            policy = read_policy(path)
            if policy.ladders or policy.tail_table is not None:
                judged.append(service)
    return {service: ("--comparisons", str(len(judged))) for service in judged}


def _summaries(paths: Mapping[str, str]) -> dict[str, PolicySummary]:
    """Summaries of the policies that can be read; the run reports the others."""
    from tailc.artifact.files import read_policy
    from tailc.studies.fleet import policy_summary

    summaries = {}
    for service, path in paths.items():
        with contextlib.suppress(TailcError):
            summaries[service] = policy_summary(read_policy(path))
    return summaries


def _columns(paths: Mapping[str, str], summaries: Mapping[str, PolicySummary]) -> FleetColumns:
    """Estimated gain, drift of demand, and age in days."""
    from tailc.cli.fleet_runs import FleetColumns
    from tailc.report.fleet import gain_text

    now = time.time()

    def cells(one: ServiceRun) -> tuple[str, str, str]:
        summary = summaries.get(one.service)
        gain = gain_text(summary) if summary else "-"
        days = (now - Path(paths[one.service]).stat().st_mtime) / _SECONDS_A_DAY
        drift = {True: "yes", False: "no", None: "-"}[_has_drifted(one)]
        return gain, drift, f"{max(days, 0):.0f} d"

    return FleetColumns(("gain", "drift", "age"), cells, lambda one: _has_drifted(one) is True)


def _has_drifted(one: ServiceRun) -> bool | None:
    """Whether demand has drifted; None if the run has no test of drift."""
    drift = one.document["result"].get("drift")
    return drift and drift["is_flagged"]
