"""The command `tailc fit power`: fit a power model to performance counters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tailc.cli import replay_options
from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.quantities import SHARE_PPM

if TYPE_CHECKING:
    from tailc.traces.source import Format

HELD_OUT_PPM = 200_000


@click.command("power", short_help="Fit the power model of a server.")
@click.argument("trace")
@replay_options.trace_format
@click.option(
    "--test",
    metavar="FILE",
    help="Trace of the same server to test the model on. Default: the latest part of TRACE.",
)
@click.option(
    "--held-out",
    "held_out_ppm",
    type=SHARE_PPM,
    metavar="SHARE",
    help="Share of TRACE to hold out for the test.  [default: 20%]",
)
@command_with_outcome
def command(
    trace: str, trace_format: Format, test: str | None, held_out_ppm: int | None
) -> CommandOutcome:
    """Fit a power model of a server to TRACE, a file of performance counters and measured power.

    Cores, uncore, DRAM and the rest are fitted separately, each by least squares with non-negative
    parameters. Prints the parameters, and the errors on rows that were not used for fitting.
    """
    from tailc.report import power_fit as render
    from tailc.studies.power_fit import fit_power

    if test is not None and held_out_ppm is not None:
        raise click.UsageError("`--test` and `--held-out` both define the test data: give only one")
    share_ppm = HELD_OUT_PPM if held_out_ppm is None else held_out_ppm
    fit = fit_power(trace, test=test, held_out_ppm=share_ppm, format=trace_format)
    return CommandOutcome(
        text=render.as_text(fit),
        result=render.as_dict(fit),
        markdown=render.as_markdown_table(fit),
    )
