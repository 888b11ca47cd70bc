"""The command `tailc schema`: print the JSON Schema of a kind of spec, or of another document."""

from __future__ import annotations

import json

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome


@click.command("schema", short_help="Print the JSON Schema of a kind of spec.")
@click.argument("kind", required=False)
@command_with_outcome
def command(kind: str | None) -> CommandOutcome:
    """Print the JSON Schema for specs of a KIND; without KIND, list the kinds.

    Two of them describe no policy: `days`, the held-out days of a plan, and `column-map`, for
    `tailc ingest`.
    """
    from tailc.pipeline.spec import DOCUMENT_MODELS

    models = DOCUMENT_MODELS
    if kind is None:
        return CommandOutcome(text="\n".join(models), result={"kinds": list(models)})
    if kind not in models:
        from tailc.errors import did_you_mean

        raise click.UsageError(f"there is no kind `{kind}`; {did_you_mean(kind, list(models))}")
    from tailc.specs.json_schema import spec_schema

    schema = spec_schema(models[kind])
    return CommandOutcome(text=json.dumps(schema, indent=2), result=schema)
