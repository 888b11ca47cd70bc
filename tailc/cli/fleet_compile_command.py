"""The command `tailc fleet compile`: compile the specs of many services."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tailc.cli import replay_options
from tailc.cli.engine_options import chosen_engine, engine_options
from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.report_option import report as report_option
from tailc.cli.report_option import with_report

if TYPE_CHECKING:
    from pathlib import Path


@click.command("fleet compile", short_help="Compile the specs of many services.")
@click.argument("folder", type=click.Path(exists=True, file_okay=False))
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FOLDER",
    help="Write the policy of FOLDER/PATH/NAME.yaml to PATH/NAME.json and PATH/NAME.tailc in this "
    "folder.",
)
@click.option(
    "--effort",
    type=click.Choice(["quick", "normal", "thorough"]),
    help="Override search.effort of specs with the method auto: how many requests it simulates.",
)
@click.option(
    "--allow-misses",
    is_flag=True,
    help="Write policies even if they miss an SLO at a rate. Default: such a service fails.",
)
@click.option(
    "--rebuild", is_flag=True, help="Compile all services. Default: those whose inputs changed."
)
@click.option(
    "--store",
    "store_url",
    metavar="URL",
    help="Share policies between runs and machines: take those with equal inputs from this folder "
    "or bucket, such as s3://bucket/policies, and add the compiled ones. Needs the extra `fleet`.",
)
@report_option
@engine_options
@replay_options.progress
@command_with_outcome
def command(  # noqa: PLR0913, one for each option
    folder: str,
    output: str,
    *,
    effort: str | None,
    allow_misses: bool,
    rebuild: bool,
    store_url: str | None,
    report: Path | None,
    jobs: int | None,
    cluster: str | None,
    progress: bool | None,
) -> CommandOutcome:
    """Compile every spec in FOLDER and the folders below it whose inputs have changed.

    A service is named by the path of its spec, without the suffix. Its inputs are the spec, the
    files that it names, the options and the versions of packages; PATH/NAME.inputs.json records
    them. A service that fails does not stop the others, and its old policy stays. The exit code is
    the highest exit code of all services. The files do not depend on the number of processes or
    workers. After an interrupt, the same command compiles the other services.
    """
    from tailc.atomic_files import refuse_unwritable
    from tailc.cli.progress import show_progress
    from tailc.report import fleet as reports
    from tailc.studies.fleet import FleetOptions, compile_fleet, find_services
    from tailc.studies.policy_store import PolicyStore

    overrides = {} if effort is None else {"effort": effort}
    if report is not None:
        refuse_unwritable([report])
    store = None if store_url is None else PolicyStore(store_url)
    options = FleetOptions(output, overrides, allow_misses, rebuild, store)
    with chosen_engine(jobs, cluster) as engine, show_progress(progress) as draw:
        results = compile_fleet(find_services(folder), options, engine, draw)
    outcome = CommandOutcome(
        exit_code=reports.exit_code(results),
        text=reports.as_text(results),
        result=reports.as_dict(results),
        findings=(*engine.warnings, *reports.findings(results)),
        markdown=reports.as_markdown_table(results),
    )
    if report is None:
        return outcome
    from tailc.report.page.fleet_page import fleet_page

    return with_report(outcome, report, fleet_page(folder, results))
