"""The command group `tailc tune`."""

from __future__ import annotations

import click


@click.group("tune", short_help="Tune controllers for plants of any kind.")
def command() -> None:
    """Tune a controller; `tailc tune pid --help` says more."""


@command.command("pid", short_help="Tune a PI or PID controller.", add_help_option=False)
def pid() -> None:
    """Placeholder for the help text; the group runs the command in tune_pid_command.py."""
