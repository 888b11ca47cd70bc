"""The command line, one command per file.

Only click is imported before a command runs, so that `tailc --help` is fast.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

import tailc
from tailc.cli.colour_option import colour_option
from tailc.errors import ExitCode, TailcError

if TYPE_CHECKING:
    from tailc.errors import Finding

# Commands with their short help, so that a list of commands imports none of them.
COMMANDS = {
    "check": "Check specs, and their traces with --with-trace.",
    "compile": "Compile a spec and its trace into a policy.",
    "verify": "Judge a policy on a held-out trace.",
    "test": "Test the answers of a policy.",
    "diff": "Compare two policies: decisions, latency and cost.",
    "simulate": "Replay the policy of a spec and its baselines.",
    "sweep": "Compile a spec with other values, and compare.",
    "fleet": "Compile, judge and compare many services.",
    "size": "Find the highest rate that meets an SLO.",
    "tune": "Tune controllers for plants of any kind.",
    "fit": "Fit models to measurements.",
    "lookup": "Look up what a policy decides for a request.",
    "why": "Explain a table cell: its rule and its effect.",
    "advance": "Write the state of a plan at a later time.",
    "replan": "Plan jobs again from a state.",
    "export": "Write what a plan does as files and commands.",
    "inspect": "Print the SLO, tables and evidence of a policy.",
    "report": "Write an HTML report of a policy.",
    "embed": "Convert a policy to source code.",
    "sign": "Sign a policy with a private key.",
    "keygen": "Create a key pair for signing policies.",
    "rollback": "Write an old policy as a new generation.",
    "migrate": "Rewrite specs and policies of older versions.",
    "ingest": "Convert measurements to a profile of demand.",
    "lint-trace": "Find defects in traces.",
    "init": "Draft a spec from a trace or a profile.",
    "fmt": "Format specs.",
    "split": "Split a trace into design and held-out parts.",
    "schema": "Print the JSON Schema of a kind of spec.",
    "explain": "Explain the code of a finding.",
    "config": "Print the values of options and their origin.",
    "bundle": "Collect what a report of a fault needs.",
}
# Renamed commands, by their old name.
RENAMED = {"vary": "sweep"}
# Files of subcommands whose parent also works alone.
BELOW = {
    ("fleet", "specs"): "fleet_specs",
    ("fleet", "compile"): "fleet_compile",
    ("fleet", "verify"): "fleet_verify",
    ("fleet", "diff"): "fleet_diff",
    ("size", "cores"): "size_cores",
    ("size", "colocation"): "size_colocation",
    ("tune", "pid"): "tune_pid",
    ("fit", "arrivals"): "fit_arrivals",
    ("fit", "power"): "fit_power",
}


class LazyCommands(click.Group):
    """A click group that imports the file of a command only when the command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """List the commands in the order in which a user needs them."""
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the section of `tailc --help` with all commands and their short help."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Find the command called `cmd_name`; None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        import importlib

        return importlib.import_module(f"tailc.cli.{cmd_name.replace('-', '_')}_command").command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a command as click does, but with two-word commands and suggestions.

        Options from a configuration file become the defaults of the command.
        """
        name, command, rest = self._resolve(ctx, args)
        if command is not None and ctx.resilient_parsing:
            from tailc.cli.completion import add_completion

            add_completion(command, rest)
        if name is not None and command is not None and not ctx.resilient_parsing:
            if " " in name:
                words = name.upper().replace(" ", "_").replace("-", "_")
                command.context_settings["auto_envvar_prefix"] = f"TAILC_{words}"
            _apply_configuration(ctx, name, command)
        return name, command, rest

    def _resolve(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        file = BELOW.get(tuple(args[:2]))  # type: ignore[call-overload]
        if file is not None:
            import importlib

            below = importlib.import_module(f"tailc.cli.{file}_command").command
            return " ".join(args[:2]), below, args[2:]
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            from tailc.errors import did_you_mean

            name = RENAMED.get(args[0])
            hint = f"use its new name, `{name}`" if name else did_you_mean(args[0], list(COMMANDS))
            raise click.UsageError(f"no such command `{args[0]}`; {hint}", ctx)
        return super().resolve_command(ctx, args)


def _apply_configuration(ctx: click.Context, name: str, command: click.Command) -> None:
    from tailc.cli.configuration import load_configuration, option_values

    if ctx.params.get("isolated", True):
        return
    below = {known: {words[1] for words in BELOW if words[0] == known} for known in COMMANDS}
    ctx.obj = ctx.obj or load_configuration(ctx.params.get("config"), below)
    if ctx.obj is not None:
        own = click.Context(command, info_name=name, parent=ctx)
        ctx.default_map = {name: option_values(ctx.obj, own)}


@click.group(
    cls=LazyCommands,
    context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "TAILC"},
)
@click.version_option(tailc.__version__, prog_name="tailc", allow_from_autoenv=False)
@click.option("--config", metavar="FILE", help="Read options from this file, not from tailc.toml.")
@click.option("--isolated", is_flag=True, help="Read options from no file.")
@colour_option(hidden=False)
def group(config: str | None, isolated: bool) -> None:
    """Compile, verify and inspect policies for tail latency."""
    if config is not None and isolated:
        raise click.UsageError("--config and --isolated are opposites: give only one of them")


def main() -> None:
    """Run the command line and exit with its exit code."""
    from tailc.cli.interrupts import Interrupts
    from tailc.cli.light_numba import make_numba_light
    from tailc.cli.streams import make_streams_usable

    gc.set_threshold(50_000)  # imports make many objects, and no garbage
    make_streams_usable()
    make_numba_light()
    interrupts = Interrupts(lambda code: _report_interrupt(code, sys.argv[1:]))
    interrupts.leave(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:  # noqa: PLR0911, a return an ending
    """Run a command line and return its exit code, one of ExitCode; no traceback is printed."""
    from tailc.cli.interrupts import TerminationSignal

    try:
        code = group.main(list(arguments), prog_name="tailc", standalone_mode=False)
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.ClickException as error:
        return _usage(error, arguments)
    except TailcError as error:  # an option's file
        return _report_failure(error.exit_code, arguments, *error.findings)
    except (click.Abort, KeyboardInterrupt):
        return _report_interrupt(ExitCode.INTERRUPTED, arguments)
    except TerminationSignal as ended:
        return _report_interrupt(ended.code, arguments)
    except SystemExit as exit_:  # how click ends shell completion (0) and a closed pipe
        return ExitCode.OK if exit_.code == 0 else _cannot_print()
    except OSError as error:
        return _cannot_print(error.strerror)
    except (ImportError, MemoryError) as error:  # of what prints the result
        return _no_memory(error)
    return code if isinstance(code, int) else ExitCode.OK


def _no_memory(error: ImportError | MemoryError) -> int:
    """Exit code if not even a finding can be printed; other errors are raised again."""
    if isinstance(error, ImportError) and "failed to map" not in str(error):
        raise error
    sys.stderr.write("too little memory to print the result: raise the limit (`ulimit -v`)\n")
    return ExitCode.MISSING_PART


def _report_interrupt(code: ExitCode, arguments: Sequence[str]) -> int:
    click.echo("interrupted; each output file is either unchanged or complete", err=True)
    return _report_failure(code, arguments)


def _usage(error: click.ClickException, arguments: Sequence[str]) -> int:
    from tailc.errors import Code, Finding

    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return ExitCode.USAGE
    message = error.format_message().rstrip(".")
    begins_with_word = message[1:2].islower()
    usage_message = message[:1].lower() + message[1:] if begins_with_word else message
    return _report_failure(
        ExitCode.USAGE, arguments, Finding(Code.USAGE, usage_message, help=_hint(error))
    )


def _hint(error: click.ClickException) -> str:
    """Usage line of the command."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return "`tailc --help` lists the commands"
    usage = " ".join(context.command.get_usage(context).removeprefix("Usage:").split())
    return f"`{usage}`; `{context.command_path} --help` describes it"


def _report_failure(exit_code: ExitCode, arguments: Sequence[str], *findings: Finding) -> int:
    """End without a result; findings are JSON if the arguments request JSON."""
    from tailc.cli.outcome import CommandOutcome, show
    from tailc.cli.output_option import find_stdout_target

    outcome = CommandOutcome(exit_code, findings=findings)
    return show(_command_among(arguments), outcome, [find_stdout_target(arguments)])


def _command_among(arguments: Sequence[str]) -> str:
    return next((word for word in arguments if word in COMMANDS), "tailc")


def _cannot_print(reason: str | None = None) -> int:
    from tailc.cli.streams import abandon_standard_output

    if reason is not None:
        click.echo(f"cannot write to standard output: {reason}", err=True)
    abandon_standard_output()
    return ExitCode.CANNOT_WRITE
