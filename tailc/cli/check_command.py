"""tailc check: say everything that is wrong with specs, and solve nothing."""

from __future__ import annotations

import click

from tailc.cli.outcome import Outcome, reports
from tailc.errors import ExitCode, Finding, TailcError


@click.command("check")
@click.argument("specs", nargs=-1, required=True, metavar="SPEC...")
@click.option("--trace", is_flag=True, help="Read each spec's trace too, and warn about its data.")
@reports
def command(specs: tuple[str, ...], *, trace: bool) -> Outcome:
    """Check specs, and with --trace their traces.

    Exits 0 when every spec is right (warnings allowed), 65 when one is wrong, 66 when a file
    cannot be read.
    """
    from tailc.policies import find_kinds

    models = {name: kind.spec_model for name, kind in find_kinds().items()}
    findings: list[Finding] = []
    exit_code = ExitCode.OK
    for path in specs:
        try:
            findings += _check(path, models, trace)
        except TailcError as error:
            findings += error.findings
            exit_code = exit_code or error.exit_code
    wrong = sum(finding.code.exit_code != ExitCode.OK for finding in findings)
    text = f"{len(specs)} checked, {wrong} errors, {len(findings) - wrong} warnings"
    result: dict[str, object] = {"checked": len(specs), "errors": wrong}
    return Outcome(exit_code, text, result, tuple(findings))


def _check(path: str, models: dict[str, type], trace: bool) -> tuple[Finding, ...]:
    from tailc.specs.load import load_spec

    spec = load_spec(path, models)
    if not trace:
        return ()
    from tailc.pipeline.reading import read_spec_trace

    return read_spec_trace(path, spec).warnings
