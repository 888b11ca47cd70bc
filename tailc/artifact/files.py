"""Policies as files: `STEM.json` and `STEM.tailc`, written together, read one at a time.

`STEM.tailc` is authoritative. It is renamed into place last, so that during a write, or after a
writer was killed, `STEM.json` may be newer; their policy digests then differ, and another compile
repairs them. Each file by itself is always complete.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from tailc.artifact.envelope import Policy
from tailc.artifact.flat_form import decode_signed, encode_flat, is_flat, stated_digest
from tailc.artifact.git_blob import blob_of, is_git_name
from tailc.artifact.json_form import decode_json, encode_json
from tailc.artifact.refusal import Refusal
from tailc.artifact.seal import has_trailer
from tailc.artifact.signature import Signature, has_signature, split_signature
from tailc.artifact.trust import ANYBODY, Trust
from tailc.atomic_files import replace_files
from tailc.errors import Code, Finding, Place, TailcError
from tailc.input_files import open_input, refuse_device_as_standard_input

JSON_SUFFIX = ".json"
FLAT_SUFFIX = ".tailc"
_DIGEST_FIELD = b'"policy_digest"'
# Start of canonical JSON, whose keys are sorted; identifies a policy that was cut off.
_BEGINNING = b'{"evidence":{'

# A table of 100,000 rows of eight climbs takes about a third of it.
MOST_BYTES = 64 * 1024 * 1024


def write_policy(
    policy: Policy, stem: Path | str, *, replaces_others: bool = False
) -> tuple[Path, Path]:
    """Write both encodings of a policy next to each other, and return their paths, JSON first.

    `stem` may have either suffix. A file is replaced only by a complete file, and no file is
    changed unless both can be written. An existing file that is not a policy is replaced only with
    `replaces_others`. Raises TailcError if a file cannot be written.
    """
    refuse_device(stem)
    json_path, flat_path = paths_of(stem)
    if not replaces_others:
        refuse_others((json_path, flat_path))
    replace_files([(json_path, encode_json(policy)), (flat_path, encode_flat(policy))])
    return json_path, flat_path


def refuse_device(stem: Path | str) -> None:
    """Raise TailcError (cannot write) if the file to write is a device, a pipe or a socket."""
    path = Path(stem)
    if path.exists() and not (path.is_file() or path.is_dir()):
        message = f"cannot write `{path}`: it is a device or a pipe, not a file"
        hint = "give the path of a file"
        raise TailcError(Finding(Code.CANNOT_WRITE, message, Place(str(path)), hint))


def refuse_others(
    paths: Sequence[Path], help_: str = "give another path, or remove the file"
) -> None:
    """Raise TailcError (cannot write) for an existing file at `paths` that is not a policy.

    A `.tailc` file counts as a policy, even if it is damaged.
    """
    for path in paths:
        if path.suffix != FLAT_SUFFIX and path.is_file() and not is_policy(_read_bytes(path)):
            message = f"`{path}` exists, and is not a policy, so it is not replaced"
            raise TailcError(Finding(Code.CANNOT_WRITE, message, Place(str(path)), help_))


def read_policy(path: Path | str, trust: Trust = ANYBODY) -> Policy:
    """Read a policy from a `.json` or `.tailc` file.

    The content decides between the two formats. path: a path without suffix (a stem) means its
    `.tailc`, `git:REVISION:PATH` a file of a Git revision, `https://` or `oci://` with a SHA-256 a
    file of a server, and `-` standard input. trust: if it has keys, one of them must have signed
    the file, which must be a `.tailc`. Raises TailcError: cannot read (66), integrity (5) or bad
    content (65).
    """
    return read_signed(path, trust)[0]


def read_signed(path: Path | str, trust: Trust = ANYBODY) -> tuple[Policy, Signature | None]:
    """Read a policy file; return the policy and its signature, None if the file is not signed.

    The signature is unchecked if `trust` has no key. Raises TailcError as `read_policy` does.
    """
    policy, signature, _ = _read(path, trust)
    return policy, signature


def read_whole(path: Path | str, trust: Trust = ANYBODY) -> tuple[Policy, str, bytes]:
    """Read a policy file; return the policy, its stated digest, and the bytes of its `.tailc`.

    The bytes of a `.tailc` file include its signature. For a JSON file they are those of the
    `.tailc` of the same policy. Raises TailcError as `read_policy` does.
    """
    policy, _, data = _read(path, trust)
    whole = data if is_sealed(data) else encode_flat(policy)
    return policy, stated_digest(whole), whole


def read_sealed(path: Path | str) -> tuple[Path, Policy, bytes]:
    """Read a `.tailc`, given by path or stem: return path, policy and content without signature.

    Raises TailcError as `read_policy` does, and for JSON, which has no seal.
    """
    name, data = content_of(path)
    existing = Path(name)
    if data.lstrip().startswith(b"{") and not is_sealed(data):
        raise TailcError(unsigned_json_finding(str(existing)))
    if not is_sealed(data):
        raise TailcError(_no_policy(data, str(existing)))
    return existing, decode_signed(data, str(existing))[0], split_signature(data)[0]


def _read(path: Path | str, trust: Trust) -> tuple[Policy, Signature | None, bytes]:
    """The policy at `path` or next to it, its signature, and the bytes of both."""
    name, data = content_of(path)
    if is_sealed(data):
        return *decode_signed(data, name, trust), data
    if not data.lstrip().startswith(b"{"):
        raise TailcError(_no_policy(data, name))
    if trust.keys:
        raise TailcError(unsigned_json_finding(name))
    return decode_json(data, name), None, data


def content_of(path: Path | str) -> tuple[str, bytes]:
    """Return the name and the bytes of a policy file at `path`.

    `path` may lack the suffix, name a file in a Git repository or of a server, or be `-` for
    standard input.
    Raises TailcError if the file cannot be read, or is larger than any policy.
    """
    if path == "-":
        return "-", _read_standard_input()
    if isinstance(path, str) and is_web_name(path):
        from tailc.artifact.web_source import web_content

        return path, web_content(path, MOST_BYTES)
    if isinstance(path, str) and is_git_name(path) and not _is_file(Path(path)):
        return blob_of(path, (JSON_SUFFIX, FLAT_SUFFIX), MOST_BYTES)
    existing = _existing_path(Path(path))
    return str(existing), _read_bytes(existing)


def is_path(name: str) -> bool:
    """Whether the name is a path, not a file of a Git revision, of a server or standard input."""
    return not (name == "-" or is_git_name(name) or is_web_name(name))


def is_web_name(name: str) -> bool:
    """Whether the name is of a file of a web server or a registry."""
    return name.startswith(("https://", "oci://"))


def paths_of(stem: Path | str) -> tuple[Path, Path]:
    """Paths of the JSON and of the FlatBuffers file of a policy.

    stem: the path with or without either suffix. Raises TailcError for a path without a name.
    """
    base = Path(stem)
    if base.suffix in (JSON_SUFFIX, FLAT_SUFFIX):
        base = base.with_suffix("")
    if not base.name:
        message = f"`{stem}` is not a name of a file"
        hint = "give a stem such as `build/websearch`"
        raise TailcError(Finding(Code.CANNOT_WRITE, message, help=hint))
    return base.with_name(base.name + JSON_SUFFIX), base.with_name(base.name + FLAT_SUFFIX)


def is_policy(data: bytes) -> bool:
    """Whether the bytes are a policy, possibly a damaged one, and not a spec."""
    return is_sealed(data) or _DIGEST_FIELD in data or data.startswith(_BEGINNING)


def is_sealed(data: bytes) -> bool:
    """Whether the bytes are a `.tailc`, by its identifier, seal or signature."""
    return is_flat(data) or has_trailer(data) or has_signature(data)


def unsigned_json_finding(path: str) -> Finding:
    """Make the finding about a JSON policy where a signature is needed: JSON cannot be signed."""
    message = f"`{path}` is JSON, which cannot be signed"
    help_ = f"give the `.tailc` file of the same policy, such as `{paths_of(path)[1]}`"
    return Finding(Code.UNSIGNED, message, Place(path), help_)


def _existing_path(path: Path) -> Path:
    flat_path = path.with_name(path.name + FLAT_SUFFIX) if path.name else path
    return flat_path if not _is_file(path) and _is_file(flat_path) else path


def _is_file(path: Path) -> bool:
    """Whether the path is a file; false for a name that is too long for the system."""
    try:
        return path.is_file()
    except OSError:
        return False


def _no_policy(data: bytes, path: str) -> Finding:
    """The finding about data that is empty, damaged JSON, or something else."""
    if not data:
        return Refusal(Code.LENGTH_MISMATCH, f"`{path}` is empty").finding(path)
    code = Code.BAD_STRUCTURE if _DIGEST_FIELD in data else Code.BAD_ARTIFACT
    message = f"`{path}` is not a policy: it is neither JSON nor a FlatBuffer"
    help_ = "give the `.tailc` or the `.json` file that `tailc compile` wrote"
    return Finding(code, message, Place(path), help_)


def _read_standard_input() -> bytes:
    try:
        refuse_device_as_standard_input()
        return _read_bounded(sys.stdin.buffer, Path("-"))
    except OSError as error:
        raise _cannot_read("-", error) from error


def _read_bytes(path: Path) -> bytes:
    try:
        with open_input(path) as file:
            return _read_bounded(file, path)
    except OSError as error:
        raise _cannot_read(str(path), error) from error


def _cannot_read(name: str, error: OSError) -> TailcError:
    message = f"`{name}` cannot be read: {(error.strerror or str(error)).lower()}"
    return TailcError(Refusal(Code.CANNOT_READ, message).finding(name))


def _read_bounded(file: BinaryIO, path: Path) -> bytes:
    data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        message = f"`{path}` is larger than {MOST_BYTES // 2**20} MiB, the limit for a policy"
        raise TailcError(Refusal(Code.BAD_STRUCTURE, message).finding(str(path)))
    return data
