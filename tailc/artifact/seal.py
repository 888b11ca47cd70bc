"""The trailer of a `.tailc` file: magic, length and SHA-256 of the FlatBuffer before it.

FlatBuffers readers, even verified ones, read most corrupted files as another valid policy, so
nothing is parsed before its hash is checked.
"""

from __future__ import annotations

import hashlib
import struct

from tailc.artifact.refusal import Refusal
from tailc.errors import Code

MAGIC = b"TLCSEAL1"
_TRAILER = struct.Struct("<8sQ32s")
SEAL_BYTES = _TRAILER.size


def seal(payload: bytes) -> bytes:
    """Append the trailer with length and SHA-256 to a payload."""
    return payload + _TRAILER.pack(MAGIC, len(payload), hashlib.sha256(payload).digest())


def has_trailer(data: bytes) -> bool:
    """Whether `data` ends with the trailer of a sealed `.tailc` file."""
    return data[-_TRAILER.size :].startswith(MAGIC)


def unseal(data: bytes) -> bytes:
    """Return the payload without its trailer; Refusal unless length and hash match the trailer."""
    if len(data) < _TRAILER.size:
        raise _wrong_length(f"{len(data)} bytes are too few for a trailer")
    payload = data[: -_TRAILER.size]
    magic, length, digest = _TRAILER.unpack_from(data, len(payload))
    if magic != MAGIC:
        raise _wrong_length("the file does not end with its trailer")
    if length != len(payload):
        raise _wrong_length(f"the payload has {len(payload)} bytes, but {length} were sealed")
    if hashlib.sha256(payload).digest() != digest:
        raise Refusal(
            Code.HASH_MISMATCH,
            "the bytes do not match their SHA-256",
            "copy the file or compile the policy again: it was damaged or edited",
        )
    return payload


def _wrong_length(message: str) -> Refusal:
    return Refusal(
        Code.LENGTH_MISMATCH,
        message,
        ("copy the file or compile the policy again: it was truncated or extended"),
    )
