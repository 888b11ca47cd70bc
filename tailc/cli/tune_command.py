"""tailc tune: what can be tuned; each is a command of its own."""

from __future__ import annotations

import click


@click.group("tune", short_help="Tune controllers for plants of any kind.")
def command() -> None:
    """Tune a controller; `tailc tune pid --help` says more."""


@command.command("pid", short_help="Tune a PI or PID controller.", add_help_option=False)
def pid() -> None:
    """Listed here; the group above runs the file of that name before it gets here."""
