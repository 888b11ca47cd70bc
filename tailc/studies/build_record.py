"""Record of the inputs of a compiled policy, to compile again only if an input has changed.

The file `STEM.inputs.json` next to a policy is its record. It is written last: if it is missing, or
belongs to another policy, the policy is compiled again.
"""

from __future__ import annotations

from pathlib import Path

from tailc.artifact.envelope import Policy
from tailc.artifact.files import paths_of, read_whole
from tailc.artifact.json_form import digest_of
from tailc.atomic_files import replace_files
from tailc.errors import TailcError
from tailc.pipeline.build_inputs import BuildInputs, changed_inputs, read_record, record_bytes

RECORD_SUFFIX = ".inputs.json"


def write_record(stem: str, now: BuildInputs, policy: Policy) -> Path:
    """Write the record of the inputs of the policy at `stem`, and return its path."""
    path = _record(stem)
    replace_files([(path, record_bytes(now, digest_of(policy)))])
    return path


def _record(stem: str) -> Path:
    return paths_of(stem)[0].with_suffix(RECORD_SUFFIX)


def reasons_to_compile(stem: str, now: BuildInputs) -> list[str]:
    """List the reasons why the policy at `stem` must be compiled again; empty if it need not."""
    if now.reads_standard_input:
        return ["standard input is unknown before it is read"]
    absent = next((path for path in paths_of(stem) if not path.is_file()), None)
    if absent is not None:
        return [f"there is no `{absent}`"]
    record = _record(stem)
    record_content = read_record(record.read_bytes()) if record.is_file() else None
    if record_content is None:
        return [f"`{record}` is missing, which states the inputs of `{stem}`"]
    before, digest = record_content
    if any(_digest(path) != digest for path in paths_of(stem)):
        return [f"`{record}` belongs to another policy than `{stem}`"]
    return changed_inputs(before, now)


def _digest(path: Path) -> str | None:
    """Digest of the policy in a file; None if the file has no policy."""
    try:
        return read_whole(path)[1]
    except TailcError:
        return None
