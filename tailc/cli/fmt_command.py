"""The command `tailc fmt`: format specs and keep their comments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.errors import Code, ExitCode, Finding, Place, Severity, TailcError

if TYPE_CHECKING:
    from tailc.cli.rewrite import Rewritten
    from tailc.report.junit import JUnitCase


@click.command("fmt", short_help="Format specs.")
@click.argument("specs", nargs=-1, required=True, metavar="SPEC...")
@click.option("--check", is_flag=True, help="Write nothing; exit 2 if a SPEC would change.")
@click.option("--diff", is_flag=True, help="Write nothing; print what would change.")
@command_with_outcome
def command(specs: tuple[str, ...], *, check: bool, diff: bool) -> CommandOutcome:
    """Format every SPEC: keys in the order of the reference, one layout.

    Comments stay with the keys that they describe, and the meaning of a spec does not change. If
    one SPEC is invalid, none is written. - is standard input; its text goes to standard output.
    """
    findings: list[Finding] = []
    files: list[Rewritten] = []
    for path in specs:
        try:
            files.append(_format_file(path))
        except TailcError as error:
            findings += error.findings
    if findings:
        return CommandOutcome(findings[0].code.exit_code, findings=tuple(findings))
    changed = [file for file in files if file.is_changed]
    to_write = [] if check or diff else [file for file in changed if file.path != "-"]
    _write(to_write)
    outcome = CommandOutcome(
        text=_text(files, changed, check=check, diff=diff),
        result={
            "checked": len(files),
            "changed": [file.path for file in changed],
            "files": [file.path for file in to_write],
            "diff": "".join(file.diff for file in changed) if diff else None,
        },
        cases=tuple(_case(file, is_changed=file in changed) for file in files) if check else (),
        is_answer=diff or (not check and "-" in specs),
    )
    return _files_to_format(outcome, changed) if check and changed else outcome


def _format_file(path: str) -> Rewritten:
    from tailc.cli.rewrite import Rewritten
    from tailc.pipeline.spec import DOCUMENT_MODELS, open_document
    from tailc.specs.formatting import format_spec

    loaded = open_document(path)
    before = "\n".join(loaded.document.lines)
    return Rewritten(path, before, format_spec(loaded, DOCUMENT_MODELS))


def _write(files: list[Rewritten]) -> None:
    from tailc.cli.rewrite import replace_all

    replace_all(files)


def _text(files: list[Rewritten], changed: list[Rewritten], *, check: bool, diff: bool) -> str:
    if diff:
        return "".join(file.diff for file in changed)
    if not check and any(file.path == "-" for file in files):
        return next(file.after for file in files if file.path == "-")
    verb = "would change" if check else "formatted"
    lines = [f"{verb} {file.path}" for file in changed]
    return "\n".join([*lines, f"{len(files):,} checked, {len(changed):,} {verb}"])


def _files_to_format(outcome: CommandOutcome, changed: list[Rewritten]) -> CommandOutcome:
    from dataclasses import replace

    findings = tuple(_finding(file) for file in changed)
    return replace(outcome, exit_code=ExitCode.DIFFERS, findings=findings)


def _finding(file: Rewritten) -> Finding:
    line = file.first_line
    place = Place(file.path, line, excerpt=file.before.split("\n")[line - 1])
    hint = f"run `tailc fmt {file.path}`"
    message = "from this line on, the spec is not in the standard layout"
    return Finding(Code.LAYOUT, message, place, hint, Severity.WARNING)


def _case(file: Rewritten, *, is_changed: bool) -> JUnitCase:
    from tailc.report.junit import CaseFault, JUnitCase

    fault = CaseFault.FAILURE if is_changed else None
    return JUnitCase(
        "tailc fmt", file.path, fault, "layout", "would change" if is_changed else "as it is"
    )
