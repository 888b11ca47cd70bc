"""The command `tailc fleet`, whose subcommands work on the specs of many services."""

from __future__ import annotations

import click

from tailc.cli.fleet_compile_command import command as compile_command


@click.group("fleet", short_help="Compile the specs of many services.")
def command() -> None:
    """Compile the specs of many services."""


command.add_command(compile_command, "compile")
