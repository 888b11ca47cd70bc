"""tailc fit: what can be fitted to measurements; each is a command of its own."""

from __future__ import annotations

import click


@click.group("fit", short_help="Fit models to measurements.")
def command() -> None:
    """Fit a model to measurements.

    Input of `tailc fit arrivals`: a file with one row for each request. Input of `tailc fit power`:
    a file with performance counters and measured power. See `--help` of each.
    """


@command.command(
    "arrivals", short_help="Measure the burstiness of recorded arrivals.", add_help_option=False
)
def arrivals() -> None:
    """Listed here; the group above runs the file of that name before it gets here."""


@command.command("power", short_help="Fit the power model of a server.", add_help_option=False)
def power() -> None:
    """Listed here, as the one above."""
