"""Keys as files: each is read as what it is, or refused with a word that helps."""

from __future__ import annotations

import base64
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import x25519

from tailc.artifact.keys import (
    NeedsPassphrase,
    new_private_key,
    read_private_key,
    read_public_key,
)
from tailc.artifact.trust import trust_of
from tailc.errors import Code, Finding, TailcError
from tests.tailc.artifact.published import VECTORS

KEY_1 = VECTORS / "signed" / "test-key-1.pem"
PRIME = 2**255 - 19
# Of a point of order 8; another has its negative.
ORDER_8 = int("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826", 16)
SEALED = (VECTORS / "smallest.tailc").read_bytes()


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def refusal_of(read: object, *arguments: object) -> Finding:
    assert callable(read)
    with pytest.raises(TailcError) as caught:
        read(*arguments)
    return caught.value.findings[0]


def test_a_pair_is_read_back_from_its_files(tmp_path: Path) -> None:
    key = new_private_key()
    private = read_private_key(written(tmp_path / "key", key.pem()))
    public = read_public_key(written(tmp_path / "pub", key.public.pem()))
    assert private.sign(SEALED) == key.sign(SEALED)
    assert public == key.public
    assert b"BEGIN PRIVATE KEY" in key.pem()


def test_a_public_key_is_written_as_openssl_writes_it() -> None:
    """32 bytes below the head of SubjectPublicKeyInfo for Ed25519 (RFC 8410)."""
    assert read_public_key(KEY_1).pem() == KEY_1.read_bytes()


def test_two_new_keys_differ() -> None:
    assert new_private_key().public != new_private_key().public


def test_an_encrypted_key_asks_for_its_passphrase(tmp_path: Path) -> None:
    key = new_private_key()
    path = written(tmp_path / "key", key.pem(b"correct horse"))
    assert b"ENCRYPTED" in path.read_bytes()
    assert read_private_key(path, b"correct horse").public == key.public
    with pytest.raises(NeedsPassphrase):
        read_private_key(path)
    assert "another passphrase" in refusal_of(read_private_key, path, b"battery staple").message


def test_a_passphrase_for_a_key_without_one_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "key", new_private_key().pem())
    assert "takes no passphrase" in refusal_of(read_private_key, path, b"word").message


def test_one_half_of_a_pair_is_not_taken_for_the_other(tmp_path: Path) -> None:
    path = written(tmp_path / "key", new_private_key().pem())
    finding = refusal_of(read_public_key, path)
    assert (finding.code, "not a public one" in finding.message) == (Code.BAD_KEY, True)
    assert "which cannot" in refusal_of(read_private_key, KEY_1).message


@pytest.mark.parametrize("content", [b"", b"x", KEY_1.read_bytes()[:-40], b"\0" * 70_000])
def test_a_file_that_is_no_key_is_refused(tmp_path: Path, content: bytes) -> None:
    path = written(tmp_path / "k", content)
    for finding in (refusal_of(read_public_key, path), refusal_of(trust_of, [KEY_1, path])):
        assert finding.code is Code.BAD_KEY
        assert finding.place
        assert finding.place.source == str(path)
        assert "tailc keygen" in str(finding.help)
    assert refusal_of(read_private_key, path).code is Code.BAD_KEY


def test_a_file_of_two_keys_is_refused_rather_than_half_read(tmp_path: Path) -> None:
    path = written(tmp_path / "both", KEY_1.read_bytes() + new_private_key().public.pem())
    finding = refusal_of(read_public_key, path)
    assert (finding.code, "a file for each" in str(finding.help)) == (Code.BAD_KEY, True)


def test_a_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    key = x25519.X25519PrivateKey.generate()
    encoding = serialization.Encoding.PEM
    public = key.public_key().public_bytes(
        encoding, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    private = key.private_bytes(
        encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    told = "another kind than Ed25519"
    assert told in refusal_of(read_public_key, written(tmp_path / "p", public)).message
    assert told in refusal_of(read_private_key, written(tmp_path / "k", private)).message


def point_pem(y: int) -> bytes:
    """The PEM of any 32 bytes."""
    data = bytes.fromhex("302a300506032b6570032100") + y.to_bytes(32, "little")
    body = base64.b64encode(data)
    return b"-----BEGIN PUBLIC KEY-----\n" + body + b"\n-----END PUBLIC KEY-----\n"


@pytest.mark.parametrize("y", [0, 1, PRIME - 1, ORDER_8, PRIME - ORDER_8, PRIME, 2**255 - 1])
def test_a_key_that_anybody_can_sign_for_is_refused(tmp_path: Path, y: int) -> None:
    for sign in (0, 2**255):
        finding = refusal_of(read_public_key, written(tmp_path / "k", point_pem(y + sign)))
        assert finding.code is Code.BAD_KEY
        assert "weak key" in finding.message or "no public key" in finding.message


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"-----BEGIN", b"\n-----BEGIN"), (b"=\n", b"= \n"), (b"AyEA", b"AyEA\n"), (b"dM=", b"dN=")],
)
def test_a_public_key_has_one_layout(tmp_path: Path, old: bytes, new: bytes) -> None:
    pem = KEY_1.read_bytes()
    assert pem.count(old) == 1
    finding = refusal_of(read_public_key, written(tmp_path / "k", pem.replace(old, new)))
    assert finding.code is Code.BAD_KEY
    windows = written(tmp_path / "w", pem.replace(b"\n", b"\r\n"))
    assert read_public_key(windows) == read_public_key(KEY_1)


def test_a_missing_file_cannot_be_read(tmp_path: Path) -> None:
    assert refusal_of(read_public_key, tmp_path / "none").code is Code.CANNOT_READ
    assert refusal_of(read_private_key, tmp_path).code is Code.CANNOT_READ


def test_without_the_package_a_key_is_an_error_that_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "tailc.artifact.keys")
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    finding = refusal_of(trust_of, [KEY_1])
    assert finding.code is Code.MISSING_PART
    assert finding.help == "pip install 'tailc[sign]'"
    assert trust_of([]).keys == ()
