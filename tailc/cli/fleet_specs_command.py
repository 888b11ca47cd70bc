"""The command `tailc fleet specs`: write the specs of many services from a table."""

from __future__ import annotations

from pathlib import Path

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.errors import Code, Finding, Place, Severity


@click.command("fleet specs", short_help="Write specs from a table and a template.")
@click.argument("table")
@click.option(
    "--template",
    required=True,
    metavar="FILE",
    help="Spec with slots such as ${rates} for the values of the columns. $$ is a dollar sign.",
)
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FOLDER",
    help="Write the spec of each service to SERVICE.yaml in this folder.",
)
@command_with_outcome
def command(table: str, template: str, output: str) -> CommandOutcome:
    """Write a spec for each row of the CSV file TABLE, for `tailc fleet compile`.

    The column `service` has the path of the spec without its suffix, such as team/search. Paths in
    a spec are relative to the folder of that spec. A spec is written only if it changes; a file
    that this command did not write is never replaced. Specs of services that are no longer in the
    table stay, with a warning.
    """
    from tailc.studies.fleet_specs import write_fleet_specs
    from tailc.units import plural

    specs = write_fleet_specs(table, template, output)
    return CommandOutcome(
        text=f"{plural(len(specs.written), 'spec')} written, {specs.unchanged:,} unchanged\n",
        result={
            "written": [str(path) for path in specs.written],
            "unchanged": specs.unchanged,
            "unlisted": [str(path) for path in specs.unlisted],
        },
        findings=tuple(_unlisted(path) for path in specs.unlisted),
        is_answer=False,
    )


def _unlisted(path: Path) -> Finding:
    message = "the table has no row for this spec"
    hint = "remove the file if the service is gone, so that it is not compiled"
    return Finding(Code.UNLISTED_SPEC, message, Place(str(path)), hint, Severity.WARNING)
