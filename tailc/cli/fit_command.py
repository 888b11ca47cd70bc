"""The command group `tailc fit`: fit models to measurements."""

from __future__ import annotations

import click


@click.group("fit", short_help="Fit models to measurements.")
def command() -> None:
    """Fit a model to measurements.

    `tailc fit arrivals` reads a file with one row for each request, and prints an arrival process
    for `--arrivals`. `tailc fit power` reads a file with performance counters and measured power,
    and prints the parameters of a power model with its errors. See `--help` of each.
    """


@command.command(
    "arrivals", short_help="Fit a two-rate process to recorded arrivals.", add_help_option=False
)
def arrivals() -> None:
    """Placeholder for the help text; the group runs the command in fit_arrivals_command.py."""


@command.command("power", short_help="Fit the power model of a server.", add_help_option=False)
def power() -> None:
    """Placeholder for the help text; the group runs the command in fit_power_command.py."""
