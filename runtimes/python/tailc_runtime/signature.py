"""Check the signature of a `.tailc` file, a trailer after its seal, with trusted keys.

Needs the package `cryptography` (the extra `signatures`); the other modules do not.
"""

from __future__ import annotations

import base64
import hashlib
import re
import struct
import time
from collections.abc import Mapping
from dataclasses import dataclass

from tailc_runtime.errors import (
    BadSignature,
    Expired,
    HashMismatch,
    NoSignatures,
    UnknownKey,
    Unsigned,
)

_MAGIC = b"TLCSIGN1"
_SEAL_BYTES = 48
_HEAD = struct.Struct("<8sQ8s")
_CHECK_BYTES = 8
_TRAILER_BYTES = _HEAD.size + 64 + _CHECK_BYTES
_KEY_BYTES = 32
# What stands before an Ed25519 key in SubjectPublicKeyInfo (RFC 8410).
_BEFORE_KEY = bytes.fromhex("302a300506032b6570032100")
_PEM = re.compile(
    r"-----BEGIN PUBLIC KEY-----\r?\n([A-Za-z0-9+/]{59}=)\r?\n-----END PUBLIC KEY-----(?:\r?\n)?"
)
# A key is a y below this prime, little endian, with a sign in the last bit.
_PRIME = 2**255 - 19
_ORDER_8 = int("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826", 16)
# The y of points whose order divides 8: anybody can make signatures of such keys.
_SMALL_ORDER = (0, 1, _PRIME - 1, _ORDER_8, _PRIME - _ORDER_8)

# Raw public keys by their id.
Keys = Mapping[bytes, bytes]


@dataclass(frozen=True)
class Signature:
    """`value` is the signature of `signed`; expires_s: Unix second at which it expires, 0 for
    never."""

    expires_s: int
    key_id: bytes
    value: bytes
    signed: bytes


def keys_in(texts: tuple[str, ...]) -> Keys:
    """Ed25519 keys from PEM texts as `openssl pkey -pubout` writes them; raises ValueError for
    others.

    docs/artifact-format.md, "Signature", has the grammar and the weak keys.
    """
    raw_keys = [_key_in(text) for text in texts]
    return {hashlib.sha256(raw).digest()[:8]: raw for raw in raw_keys}


def split_signature(data: bytes) -> tuple[bytes, Signature | None]:
    """The sealed file in `data`, and its signature if there is one."""
    sealed, trailer = data[:-_TRAILER_BYTES], data[-_TRAILER_BYTES:]
    if len(sealed) < _SEAL_BYTES or not trailer.startswith(_MAGIC):
        return data, None
    body = trailer[:-_CHECK_BYTES]
    if hashlib.sha256(body).digest()[:_CHECK_BYTES] != trailer[-_CHECK_BYTES:]:
        raise HashMismatch("the signature does not match its check")
    _, expires_s, key_id = _HEAD.unpack_from(body)
    signed = sealed[-_SEAL_BYTES:] + body[: _HEAD.size]
    return sealed, Signature(expires_s, key_id, body[_HEAD.size :], signed)


def check_signature(signature: Signature | None, keys: Keys, now_s: int | None) -> None:
    """Raise a PolicyError unless one of the keys signed and the signature has not expired.

    now_s: None for the system clock.
    """
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise NoSignatures(f"install tailc-runtime[signatures] to check one: {error}") from error
    if signature is None:
        raise Unsigned("the policy is not signed")
    if signature.key_id not in keys:
        raise UnknownKey(f"key `{signature.key_id.hex()}` is not trusted")
    try:
        key = Ed25519PublicKey.from_public_bytes(keys[signature.key_id])
        key.verify(signature.value, signature.signed)
    except InvalidSignature as error:
        raise BadSignature("the signature does not match the policy") from error
    if signature.expires_s and (time.time() if now_s is None else now_s) >= signature.expires_s:
        raise Expired(f"the signature expired at Unix second {signature.expires_s}")


def _key_in(text: str) -> bytes:
    found = _PEM.fullmatch(text)
    data = base64.b64decode(found[1]) if found else b""
    # The bits of the last character that say nothing are 0.
    is_exact = found is not None and base64.b64encode(data).decode() == found[1]
    raw = data.removeprefix(_BEFORE_KEY)
    if not is_exact or len(raw) != _KEY_BYTES or not _is_strong(raw):
        raise ValueError(
            "a trusted key must be an Ed25519 public key in PEM (`openssl pkey -pubout`)"
        )
    return raw


def _is_strong(raw: bytes) -> bool:
    """Whether a key is canonically encoded, and not a point of small order."""
    y = int.from_bytes(raw, "little") % 2**255
    return y < _PRIME and y not in _SMALL_ORDER
