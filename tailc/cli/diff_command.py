"""tailc diff: two artifacts side by side."""

from __future__ import annotations

import click

from tailc.cli.outcome import Outcome, reports


@click.command("diff", short_help="Say what changes from one policy to another.")
@click.argument("old")
@click.argument("new")
@click.option("--exit-code", is_flag=True, help="Exit 2 where the policies differ.")
@reports
def command(old: str, new: str, *, exit_code: bool) -> Outcome:
    """Say what a runtime does otherwise under NEW than under OLD.

    OLD and NEW are .tailc or .json files, or the STEM of both, of any schema version. Exits 0
    unless --exit-code is given.
    """
    from tailc.artifact.files import read_policy
    from tailc.diff.compare import diff
    from tailc.errors import ExitCode
    from tailc.report import diff as render

    found = diff(read_policy(old), read_policy(new))
    return Outcome(
        found.exit_code if exit_code else ExitCode.OK,
        render.as_text(found),
        render.as_dict(found),
        found.warnings,
        tuple(render.as_github(found).splitlines()),
    )
