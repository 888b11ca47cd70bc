"""The second trailer of a signed `.tailc` file: expiry, key id and Ed25519 signature of the seal.

The signature covers the seal and the head of this trailer. The seal contains the payload's hash, so
signing and checking cost the same for a policy of any size.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass

from tailc.artifact.refusal import Refusal
from tailc.artifact.seal import SEAL_BYTES
from tailc.errors import Code

MAGIC = b"TLCSIGN1"
KEY_ID_BYTES = 8

_HEAD = struct.Struct(f"<8sQ{KEY_ID_BYTES}s")
_VALUE_BYTES = 64
_CHECK_BYTES = 8
SIGNATURE_BYTES = _HEAD.size + _VALUE_BYTES + _CHECK_BYTES


@dataclass(frozen=True)
class Signature:
    """The signature of a file; `expires_s` in Unix seconds, 0: never.

    `signed` are the bytes that `value` signs. No field is trustworthy before the signature is
    checked.
    """

    expires_s: int
    key_id: bytes
    value: bytes
    signed: bytes


def to_be_signed(sealed: bytes, expires_s: int, key_id: bytes) -> bytes:
    """Return the bytes that a signature covers: the seal of the file, the key and the expiry."""
    return sealed[-SEAL_BYTES:] + _HEAD.pack(MAGIC, expires_s, key_id)


def with_signature(sealed: bytes, signed: bytes, value: bytes) -> bytes:
    """Return the sealed file with its signature appended as a second trailer.

    sealed: content of a `.tailc` file up to its seal. signed: the bytes that the signature covers,
    from `to_be_signed`. value: the signature of these bytes.
    """
    trailer = signed[SEAL_BYTES:] + value
    return sealed + trailer + _check_of(trailer)


def has_signature(data: bytes) -> bool:
    """Whether `data` ends like a signed `.tailc` file."""
    return data[-SIGNATURE_BYTES:].startswith(MAGIC)


def split_signature(data: bytes) -> tuple[bytes, Signature | None]:
    """Split the bytes of a policy file into the sealed policy and its signature.

    The signature is not checked here; it is None if the file is not signed. Raises Refusal if the
    signature's own checksum is wrong.
    """
    sealed, trailer = data[:-SIGNATURE_BYTES], data[-SIGNATURE_BYTES:]
    if len(sealed) < SEAL_BYTES or not has_signature(data):
        return data, None
    body, check = trailer[:-_CHECK_BYTES], trailer[-_CHECK_BYTES:]
    if _check_of(body) != check:
        raise Refusal(
            Code.HASH_MISMATCH,
            "the signature's trailer does not match its check",
            "copy the file or sign the policy again: it was damaged or edited",
        )
    _, expires_s, key_id = _HEAD.unpack_from(body)
    signed = sealed[-SEAL_BYTES:] + body[: _HEAD.size]
    return sealed, Signature(expires_s, key_id, body[_HEAD.size :], signed)


def _check_of(trailer: bytes) -> bytes:
    return hashlib.sha256(trailer).digest()[:_CHECK_BYTES]
