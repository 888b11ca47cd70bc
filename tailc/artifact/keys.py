"""Ed25519 keys in PEM files, and signatures; the only module that imports `cryptography`.

The package belongs to the extra `sign`, so this module is imported only when a key is used. If the
extra is not installed, the import raises TailcError (MISSING_PART).
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tailc.artifact.signature import KEY_ID_BYTES, Signature, to_be_signed, with_signature
from tailc.errors import Code, Finding, Place, Severity, TailcError
from tailc.input_files import open_input

try:
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )
except ImportError as error:
    _message = f"signatures need `cryptography`, which cannot be imported: {error}"
    _finding = Finding(Code.MISSING_PART, _message, help="pip install 'tailc[sign]'")
    raise TailcError(_finding) from error

# A PEM file of an Ed25519 key has some hundred bytes.
_MOST_BYTES = 64 * 1024
_PEM_BEGIN = b"-----BEGIN"
_PUBLIC_PEM = re.compile(
    rb"-----BEGIN PUBLIC KEY-----\r?\n([A-Za-z0-9+/]{59}=)\r?\n-----END PUBLIC KEY-----(?:\r?\n)?"
)
# A public key is a y below this prime, little endian, with a sign in the last bit.
_PRIME = 2**255 - 19
_ORDER_8 = int("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826", 16)
# The y of points whose order divides 8: signatures of such keys can be forged without a secret.
_SMALL_ORDER = (0, 1, _PRIME - 1, _ORDER_8, _PRIME - _ORDER_8)
_LAID_OUT = "write it again with `openssl pkey -pubin -in FILE -pubout`"
_MAKE_KEYS = "create a pair with `tailc keygen STEM`"

Key = TypeVar("Key", Ed25519PrivateKey, Ed25519PublicKey)


class NeedsPassphrase(Exception):  # noqa: N818, no error: who has one asks for it and tries again
    """Exception: the private key is encrypted, and no passphrase was given."""


@dataclass(frozen=True)
class PublicKey:
    """An Ed25519 public key, which checks signatures of policies."""

    raw: bytes

    @property
    def key_id(self) -> bytes:
        """The id of the public key in a signature: first bytes of the raw key's SHA-256."""
        return hashlib.sha256(self.raw).digest()[:KEY_ID_BYTES]

    def has_signed(self, signature: Signature) -> bool:
        """Whether the signature was made by this key and matches its content."""
        key = Ed25519PublicKey.from_public_bytes(self.raw)
        try:
            key.verify(signature.value, signature.signed)
        except InvalidSignature:
            return False
        return True

    def pem(self) -> bytes:
        """The public key as PEM text, in the format of `openssl pkey -pubout`."""
        return Ed25519PublicKey.from_public_bytes(self.raw).public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )


class PrivateKey:
    """An Ed25519 private key, which signs policies."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = PublicKey(key.public_key().public_bytes_raw())

    def sign(self, sealed: bytes, expires_s: int = 0) -> bytes:
        """Return the sealed file followed by its signature.

        `expires_s` in Unix seconds, 0: never.
        """
        signed = to_be_signed(sealed, expires_s, self.public.key_id)
        return with_signature(sealed, signed, self._key.sign(signed))

    def sign_bytes(self, content: bytes) -> bytes:
        """Return the signature of any bytes."""
        return self._key.sign(content)

    def pem(self, passphrase: bytes | None = None) -> bytes:
        """The private key as PEM text in PKCS #8, encrypted if a passphrase is given."""
        encryption = (
            serialization.BestAvailableEncryption(passphrase)
            if passphrase
            else serialization.NoEncryption()
        )
        return self._key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption
        )


def new_private_key() -> PrivateKey:
    """Generate a random Ed25519 private key."""
    return PrivateKey(Ed25519PrivateKey.generate())


def read_public_key(path: Path | str) -> PublicKey:
    """Read the public key in a PEM file; raise TailcError if the file does not contain a key."""
    data = _read(path)
    if b"PRIVATE KEY" in data:
        help_ = (
            "give the public key of the pair: the private key must not leave the machine that signs"
        )
        raise _bad_key(path, "holds a private key, not a public one", help_)
    if data.count(_PEM_BEGIN) > 1:
        raise _bad_key(path, "holds several keys", "give a file for each")
    key = _load_key(
        path, "public", lambda: serialization.load_pem_public_key(data), Ed25519PublicKey
    )
    raw = key.public_bytes_raw()
    y = int.from_bytes(raw, "little") % 2**255
    if y >= _PRIME or y in _SMALL_ORDER:
        message = "has a weak key, with which any program can forge signatures"
        raise _bad_key(path, message, _MAKE_KEYS)
    if not _is_exact(data):
        raise _bad_key(path, "is not in the layout that `openssl pkey -pubout` writes", _LAID_OUT)
    return PublicKey(raw)


def _is_exact(data: bytes) -> bool:
    """Whether the PEM is exactly three lines in canonical base64."""
    match = _PUBLIC_PEM.fullmatch(data)
    return match is not None and base64.b64encode(base64.b64decode(match[1])) == match[1]


def read_private_key(path: Path | str, passphrase: bytes | None = None) -> PrivateKey:
    """Read the private key in a PEM file; raise TailcError if the file does not contain a key.

    Raises NeedsPassphrase if the key is encrypted and `passphrase` is None.
    """
    data = _read(path)
    if b"PUBLIC KEY" in data:
        raise _bad_key(path, "has a public key, which cannot sign", "give the private key")

    def load() -> object:
        try:
            return serialization.load_pem_private_key(data, passphrase)
        except TypeError as error:  # the library's error for a missing or unneeded passphrase
            if passphrase is None:
                raise NeedsPassphrase from error
            raise _bad_key(path, "is not encrypted and takes no passphrase", None) from error
        except ValueError as error:
            if passphrase is None:
                raise
            message = "is not a private key in PEM, or has another passphrase"
            raise _bad_key(path, message, None) from error

    return PrivateKey(_load_key(path, "private", load, Ed25519PrivateKey))


def exposure(path: Path | str) -> Finding | None:
    """Warn if the file's group or all users may read the private key in a file; else None."""
    try:
        mode = Path(path).stat().st_mode
    except OSError:  # it was read, and is gone
        return None
    if os.name != "posix" or not mode & (stat.S_IRGRP | stat.S_IROTH):
        return None
    message = f"other users may read the private key `{path}`, whose mode is {mode & 0o777:o}"
    help_ = f"run `chmod 600 {path}`; if the key may have been copied, create a new pair"
    place = Place(str(path))
    return Finding(Code.EXPOSED_KEY, message, place, help_, severity=Severity.WARNING)


def _load_key(path: Path | str, which: str, load: Callable[[], object], kind: type[Key]) -> Key:
    try:
        key = load()
    except (ValueError, UnsupportedAlgorithm) as error:
        raise _bad_key(path, f"holds no {which} key in PEM", _MAKE_KEYS) from error
    if not isinstance(key, kind):
        raise _bad_key(path, "holds a key of another kind than Ed25519", _MAKE_KEYS)
    return key


def _read(path: Path | str) -> bytes:
    try:
        with open_input(path) as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        message = f"`{path}` cannot be read: {(error.strerror or str(error)).lower()}"
        raise TailcError(Finding(Code.CANNOT_READ, message, Place(str(path)))) from error
    if len(data) > _MOST_BYTES:
        raise _bad_key(path, "is larger than the limit for a key", _MAKE_KEYS)
    return data


def _bad_key(path: Path | str, message: str, help_: str | None) -> TailcError:
    return TailcError(Finding(Code.BAD_KEY, f"`{path}` {message}", Place(str(path)), help_))
