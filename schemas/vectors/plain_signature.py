"""Signed files, put together from the page alone: nothing here is tailc's own."""

from __future__ import annotations

import hashlib
import struct

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

SEAL_BYTES, TRAILER_BYTES = 48, 96
# Where things stand in the second trailer.
EXPIRY_AT, KEY_ID_AT, VALUE_AT, CHECK_AT = 8, 16, 24, 88
# RFC 8032: the order of the group; a signature's second half is below it.
ORDER = 2**252 + 27742317777372353535851937790883648493


def key_for_tests(name: str) -> Ed25519PrivateKey:
    """The key of that name: anybody can make it, so nothing but tests may trust it."""
    return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(name.encode()).digest())


def public_pem(key: Ed25519PrivateKey) -> bytes:
    """The public key as `openssl pkey -pubout` writes it."""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def key_id(key: Ed25519PrivateKey) -> bytes:
    """What a signature says of its key."""
    raw = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return hashlib.sha256(raw).digest()[:8]


def signed(sealed: bytes, key: Ed25519PrivateKey, expires_s: int = 0, stated: bytes = b"") -> bytes:
    """The file `sealed`, signed; `stated` is the key id to state, if not the key's own."""
    head = struct.pack("<8sQ8s", b"TLCSIGN1", expires_s, stated or key_id(key))
    return mended(sealed + head + key.sign(sealed[-SEAL_BYTES:] + head) + bytes(8))


def mended(data: bytes) -> bytes:
    """The signed file `data` with the check that its second trailer should have."""
    trailer = data[-TRAILER_BYTES:-8]
    return data[:-8] + hashlib.sha256(trailer).digest()[:8]


def resealed(sealed: bytes) -> bytes:
    """The file `sealed` with the hash that its payload should have."""
    return sealed[:-32] + hashlib.sha256(sealed[:-SEAL_BYTES]).digest()


def trailer_of(data: bytes) -> bytes:
    """The second trailer of the signed file `data`."""
    return data[-TRAILER_BYTES:]


def flipped(data: bytes, at: int) -> bytes:
    """`data` with the last bit of byte `at` the other way, counted from the end where negative."""
    at %= len(data)
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def with_order_added(data: bytes) -> bytes:
    """The same with a second half beyond the order: its equation holds, but RFC 8032 refuses it."""
    at = len(data) - TRAILER_BYTES + VALUE_AT + 32
    half = int.from_bytes(data[at : at + 32], "little") + ORDER
    return mended(data[:at] + half.to_bytes(32, "little") + data[at + 32 :])
