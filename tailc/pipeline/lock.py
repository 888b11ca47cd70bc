"""Lock files: the inputs of a compile and the digest of its policy, to reproduce it elsewhere."""

from __future__ import annotations

from pathlib import Path

from tailc.artifact.envelope import Policy
from tailc.artifact.json_form import digest_of
from tailc.errors import Code, Finding, Place, TailcError
from tailc.pipeline.build_inputs import BuildInputs, changed_inputs, read_record, record_bytes


def lock_bytes(now: BuildInputs, policy: Policy) -> bytes:
    """Make the content of a lock file: inputs of a compile, and digest of the policy."""
    return record_bytes(now, digest_of(policy))


def refuse_other(path: str) -> None:
    """Raise TailcError if there is a file at `path` that is no lock file."""
    file = Path(path)
    if file.exists() and (not file.is_file() or read_record(file.read_bytes()) is None):
        hint = "give another path with `--write-lock`, or `--force`"
        message = f"`{path}` exists, and is no lock file"
        raise TailcError([Finding(Code.CANNOT_WRITE, message, Place(path), hint)])


def check_inputs(path: str, now: BuildInputs) -> str:
    """Return the policy's digest in the lock file at `path`; TailcError if an input differs."""
    record = read_record(Path(path).read_bytes())
    if record is None:
        hint = "write one with `tailc compile SPEC --write-lock FILE`"
        message = f"`{path}` is no lock file"
        raise TailcError([Finding(Code.LOCK_DIFFERS, message, Place(path), hint)])
    locked, digest = record
    if changes := changed_inputs(locked, now):
        hint = "restore the input, or write a new lock file with --write-lock"
        raise TailcError(
            [Finding(Code.LOCK_DIFFERS, change, Place(path), hint) for change in changes]
        )
    return digest


def check_result(path: str, digest: str, policy: Policy) -> None:
    """Raise TailcError if the policy has another digest than the lock file states."""
    if digest_of(policy) != digest:
        message = "the same inputs give another policy than the lock file states"
        hint = "compare the machines and the environment, and report it as a fault of tailc"
        raise TailcError([Finding(Code.LOCK_DIFFERS, message, Place(path), hint)])
