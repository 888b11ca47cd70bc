"""The command `tailc fleet`, whose subcommands work on the specs of many services."""

from __future__ import annotations

import click

from tailc.cli.fleet_compile_command import command as compile_command
from tailc.cli.fleet_diff_command import command as diff_command
from tailc.cli.fleet_specs_command import command as specs_command
from tailc.cli.fleet_verify_command import command as verify_command


@click.group("fleet", short_help="Compile, judge and compare many services.")
def command() -> None:
    """Compile, judge and compare the policies of many services."""


command.add_command(specs_command, "specs")
command.add_command(compile_command, "compile")
command.add_command(verify_command, "verify")
command.add_command(diff_command, "diff")
