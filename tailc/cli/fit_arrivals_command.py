"""The command `tailc fit arrivals`: fit an arrival process to recorded arrivals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tailc.cli import replay_options
from tailc.cli.arrivals_option import arrival_unit, gaps_of
from tailc.cli.outcome import CommandOutcome, command_with_outcome

if TYPE_CHECKING:
    from tailc.traces.source import Format


@click.command("arrivals", short_help="Fit a two-rate process to recorded arrivals.")
@click.argument("trace")
@replay_options.trace_format
@click.option("--time", required=True, metavar="COLUMN", help="Column of the arrival times.")
@arrival_unit
@gaps_of
@command_with_outcome
def command(
    trace: str, trace_format: Format, time: str, arrival_unit: str | None, gaps: str
) -> CommandOutcome:
    """Fit a two-rate arrival process to TRACE, a file with one row for each request.

    Prints the index of dispersion of the number of arrivals by length of time, the parameters of
    the process whose index is nearest, and the --arrivals option that replays it.
    """
    from tailc.report import arrivals_fit as render
    from tailc.studies.arrivals_fit import fit_arrivals
    from tailc.traces.arrivals import ArrivalColumn, GapTreatment
    from tailc.traces.reading import TimeUnit

    unit = TimeUnit(arrival_unit) if arrival_unit else None
    fit = fit_arrivals(trace, ArrivalColumn(time, unit, GapTreatment(gaps)), format=trace_format)
    return CommandOutcome(
        text=render.as_text(fit),
        result=render.as_dict(fit),
        findings=fit.warnings,
        markdown=render.as_markdown_table(fit),
    )
