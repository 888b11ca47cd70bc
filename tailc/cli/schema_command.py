"""tailc schema: the JSON Schema of a kind's spec, for editors."""

from __future__ import annotations

import json

import click

from tailc.cli.outcome import Outcome, reports


@click.command("schema", short_help="Print the JSON Schema of a kind's spec.")
@click.argument("kind", required=False)
@reports
def command(kind: str | None) -> Outcome:
    """Print the JSON Schema of KIND's spec; without KIND, list the kinds."""
    from tailc.policies import find_kinds

    kinds = find_kinds()
    if kind is None:
        return Outcome(text="\n".join(kinds), result={"kinds": list(kinds)})
    if kind not in kinds:
        from tailc.errors import did_you_mean

        raise click.UsageError(f"no kind `{kind}`; {did_you_mean(kind, list(kinds))}")
    from tailc.specs.json_schema import spec_schema

    schema = spec_schema(kinds[kind].spec_model)
    return Outcome(text=json.dumps(schema, indent=2), result=schema)
