"""The command `tailc migrate`: rewrite specs and policies of older versions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.trust_option import trusts
from tailc.errors import Finding, TailcError

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.artifact.trust import Trust
    from tailc.cli.rewrite import Rewritten


@dataclass(frozen=True)
class _Migration:
    """A file and its text in this version; `rewritten` is None if the file needs no change.

    source: the file itself, if `path` is a stem.
    """

    path: str
    source: Path
    version: str
    summary: str
    rewritten: Rewritten | None = None
    policy: Policy | None = None


@click.command("migrate", short_help="Rewrite specs and policies of older versions.")
@click.argument("inputs", nargs=-1, required=True, metavar="FILE...")
@click.option("--diff", is_flag=True, help="Write nothing; print what would change.")
@click.option(
    "-o",
    "--output",
    metavar="STEM",
    help="Write STEM.json and STEM.tailc, unsigned, and leave FILE, a policy, unchanged.",
)
@trusts
@command_with_outcome
def command(
    inputs: tuple[str, ...], *, diff: bool, output: str | None, trust: Trust
) -> CommandOutcome:
    """Rewrite every FILE, a spec or a policy of any version, in the current version.

    Look-ups in a policy give the same answers as before, and signatures stay valid. If a FILE is
    invalid, damaged, not signed by a trusted key or of a newer version, none is written.
    """
    if output is not None and (diff or len(inputs) > 1):
        raise click.UsageError(
            "`-o` cannot be combined with `--diff`, which writes nothing: remove one of them"
            if diff
            else "`-o` is for one FILE: give one policy, or remove `-o` to rewrite each in place"
        )
    findings: list[Finding] = []
    migrations: list[_Migration] = []
    for path in dict.fromkeys(inputs):
        try:
            migrations.append(_migration_of(path, trust))
        except TailcError as error:
            findings += error.findings
    if findings:
        return CommandOutcome(findings[0].code.exit_code, findings=tuple(findings))
    changed = [
        file.rewritten for file in migrations if file.rewritten and file.rewritten.is_changed
    ]
    files = (
        _write_files(migrations[0], output)
        if output is not None
        else _rewritten(changed, diff=diff)
    )
    diff_text = "".join(file.diff for file in changed) if diff else None
    unsigned = ", unsigned" if output is not None else ""
    lines = [f"{file.path}: {file.summary}" for file in migrations]
    lines += [f"wrote {path}{unsigned}" for path in files]
    result: dict[str, object] = {
        "inputs": [{"file": file.path, "version": file.version} for file in migrations],
        "changed": [file.path for file in changed],
        "files": files,
        "diff": diff_text,
    }
    text = "\n".join(lines) if diff_text is None else diff_text
    return CommandOutcome(text=text, result=result, is_answer=diff)


def _migration_of(path: str, trust: Trust) -> _Migration:
    from tailc.artifact.files import content_of, is_path, is_policy

    if not is_path(path) or _is_no_file(Path(path)):
        raise click.UsageError(f"`{path}` cannot be written: give the path of a file")
    return _policy(path, trust) if is_policy(content_of(path)[1]) else _spec(path)


def _is_no_file(path: Path) -> bool:
    """Whether the path is a pipe or a device, which can be read only once."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _policy(path: str, trust: Trust) -> _Migration:
    from tailc.artifact.migrate import migrate
    from tailc.cli.rewrite import Rewritten

    whole = migrate(path, trust)
    version = f"1.{whole.minor}"
    summary = f"policy of schema {version}, as this version writes it"
    if whole.is_sealed:
        signed = "; its signature remains valid" if whole.is_signed else ""
        return _Migration(path, whole.path, version, summary + signed, policy=whole.policy)
    rewritten = Rewritten(str(whole.path), whole.before.decode(), whole.after.decode())
    if rewritten.is_changed:
        summary = (
            f"policy of schema {version}, reformatted by another tool; its digest is unchanged"
        )
    return _Migration(path, whole.path, version, summary, rewritten, whole.policy)


def _spec(path: str) -> _Migration:
    """Migrate a spec; a spec of this version stays unchanged byte by byte."""
    from tailc.cli.rewrite import Rewritten
    from tailc.pipeline.spec import migrated_texts
    from tailc.specs.common import API_VERSION

    before, after = migrated_texts(path)
    if before == after:
        summary = f"spec of {API_VERSION}, which is the newest version"
        return _Migration(path, Path(path), API_VERSION, summary)
    summary = f"spec of {API_VERSION} with keys of an older version"
    return _Migration(path, Path(path), API_VERSION, summary, Rewritten(path, before, after))


def _write_files(file: _Migration, output: str) -> list[str]:
    from tailc.artifact.files import paths_of, write_policy

    if file.policy is None:
        raise click.UsageError(
            f"`-o` is for policies, and `{file.path}` is a spec: remove `-o` to rewrite the spec "
            "in place, or print its changes with `--diff`"
        )
    for path in paths_of(output):
        if path.exists() and path.samefile(file.source):
            message = f"`{path}` is the policy that `-o` must leave unchanged"
            raise click.UsageError(f"{message}: give another stem to `-o`")
    return [str(path) for path in write_policy(file.policy, output)]


def _rewritten(changed: list[Rewritten], *, diff: bool) -> list[str]:
    from tailc.cli.rewrite import replace_all

    replace_all([] if diff else changed)
    return [] if diff else [file.path for file in changed]
