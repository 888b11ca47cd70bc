"""The command `tailc split`: write the design part and the held-out part of a trace."""

from __future__ import annotations

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome


@click.command("split", short_help="Split a trace into design and held-out parts.")
@click.argument("spec")
@click.option(
    "-o", "--output", metavar="STEM", help="Write STEM.design.parquet and STEM.held-out.parquet."
)
@click.option(
    "--profile",
    metavar="FILE",
    help="Write only the design part, as CSV with all digits, for tailc-audit.",
)
@command_with_outcome
def command(spec: str, output: str | None, profile: str | None) -> CommandOutcome:
    """Write the design part and the held-out part of the trace of SPEC as two Parquet files.

    The spec must have `held_out`. The parts are those that compile uses, with the same digests. Use
    the held-out file with `tailc verify`. Without -o they are NAME.design.parquet and
    NAME.held-out.parquet, where NAME is the name of the spec.

    With --profile, the spec need not have `held_out`: the whole trace is the design part then.
    """
    from tailc.studies.split import split_spec, write_design

    if output is not None and profile is not None:
        raise click.UsageError("use either -o or --profile, not both")
    paths = split_spec(spec, output) if profile is None else write_design(spec, profile)
    lines = [f"{part.path}  {part.number} {part.of}  {part.digest}" for part in paths.parts]
    result: dict[str, object] = {
        part.role.value: {"path": str(part.path), part.of: part.number, "digest": part.digest}
        for part in paths.parts
    }
    text = "\n".join(lines)
    return CommandOutcome(text=text, result=result, findings=paths.warnings, is_answer=False)
