"""tailc fit: what can be fitted to measurements; each is a command of its own."""

from __future__ import annotations

import click


@click.group("fit", short_help="Fit models to measurements.")
def command() -> None:
    """Fit a model; `tailc fit power --help` says more."""


@command.command("power", short_help="Train a server's power model.", add_help_option=False)
def power() -> None:
    """Listed here; the group above runs the file of that name before it gets here."""
