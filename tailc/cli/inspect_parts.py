"""The part of `tailc inspect` for the bytes of a file: its parts, and where it is damaged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tailc.cli.outcome import CommandOutcome
from tailc.errors import Finding, Place, TailcError

if TYPE_CHECKING:
    from tailc.artifact.file_parts import FilePart
    from tailc.artifact.trust import Trust

_SHOWN_BYTES = 16


def inspect_parts(artifact: str, trust: Trust) -> CommandOutcome:
    """Print the parts of a `.tailc` with their positions; a damaged one is an error with its place.

    Raises TailcError if the file cannot be read or is no `.tailc`.
    """
    from tailc.artifact.file_parts import file_parts
    from tailc.artifact.files import content_of, is_sealed
    from tailc.artifact.flat_form import decode_signed
    from tailc.errors import Code, ExitCode
    from tailc.report.table import align_columns

    name, data = content_of(artifact)
    if not is_sealed(data):
        message = f"`{name}` is no `.tailc` file, and only these have parts"
        hint = "give the `.tailc` file of the policy"
        raise TailcError(Finding(Code.BAD_ARTIFACT, message, Place(name), hint))
    findings: tuple[Finding, ...] = ()
    try:
        decode_signed(data, name, trust)
    except TailcError as error:
        findings = (*error.findings, *_damage(name, data))
    parts = file_parts(data)
    rows = [("at", "bytes", "part", "first bytes"), *map(_row, parts)]
    return CommandOutcome(
        findings[0].code.exit_code if findings else ExitCode.OK,
        f"{name}: {len(data):,} bytes\n\n{align_columns(rows, (0, 1))}\n",
        {"file": name, "bytes": len(data), "parts": [_part(one) for one in parts]},
        findings,
    )


def _row(part: FilePart) -> tuple[str, ...]:
    shown = part.content[:_SHOWN_BYTES].hex(" ")
    return f"{part.at:,}", f"{len(part.content):,}", part.name, shown


def _part(part: FilePart) -> dict[str, object]:
    return {"name": part.name, "at": part.at, "bytes": len(part.content)}


def _damage(name: str, data: bytes) -> list[Finding]:
    """Where the file is damaged, as far as its JSON file or its structure shows it."""
    from tailc.artifact.file_parts import file_parts, first_damage, structure_damage
    from tailc.artifact.signature import SIGNATURE_BYTES, has_signature
    from tailc.errors import Code, Severity

    intact = _intact(name)
    sealed = data[:-SIGNATURE_BYTES] if has_signature(data) else data
    if intact is not None and (at := first_damage(sealed, intact)) is not None:
        part = next((one for one in reversed(file_parts(intact)) if one.at <= at), None)
        where = f", in `{part.name}`" if part else ""
        message = f"the file first differs from the policy in its JSON file at byte {at:,}{where}"
    elif fault := structure_damage(data):
        message = f"the structure is wrong at byte {fault[0]:,}, or in what leads there: {fault[1]}"
    else:
        return []
    note = Severity.NOTE
    return [Finding(Code.BAD_STRUCTURE, message, Place(name), "copy the file again", severity=note)]


def _intact(name: str) -> bytes | None:
    """The file that belongs to the JSON file with the same stem; None without a valid one."""
    from tailc.artifact.files import JSON_SUFFIX, read_policy
    from tailc.artifact.flat_form import encode_flat

    twin = Path(name).with_suffix(JSON_SUFFIX)
    try:
        return encode_flat(read_policy(twin))
    except TailcError:
        return None
