"""Signed files as `tailc` reads and writes them; the vectors come from another hand."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tailc.artifact.files import read_policy, read_sealed, read_signed
from tailc.artifact.flat_form import decode_signed
from tailc.artifact.keys import PrivateKey
from tailc.artifact.signature import split_signature
from tailc.artifact.trust import Trust, expiry_text, trust_of
from tailc.errors import Code, TailcError
from tests.tailc.artifact.published import VECTORS

SIGNED = VECTORS / "signed"
EXPIRES_S = 1_800_000_000
CODES = {
    "truncated": Code.LENGTH_MISMATCH,
    "hash-mismatch": Code.HASH_MISMATCH,
    "unsigned": Code.UNSIGNED,
    "unknown-key": Code.UNKNOWN_SIGNER,
    "bad-signature": Code.BAD_SIGNATURE,
    "expired": Code.EXPIRED,
    "bad-structure": Code.BAD_STRUCTURE,
    "bad-meaning": Code.BAD_ARTIFACT,
    "unknown-rule": Code.UNKNOWN_RULE,
    "unknown-form": Code.UNKNOWN_FORM,
    "unknown-schema": Code.UNKNOWN_SCHEMA,
}
# What only a server asks for: it knows which service it is, and which policy it holds.
OF_SERVERS = ("other-service", "older-generation")
NAMES = {"plan": "plan-smallest", "tail-table": "tails-smallest"}


def cases() -> list[dict[str, str]]:
    lines = (SIGNED / "expected.csv").read_text(encoding="utf-8").splitlines()[1:]
    return [row for row in csv.DictReader(lines) if row["error"] not in OF_SERVERS]


def trust_in(row: dict[str, str]) -> Trust:
    keys = trust_of([SIGNED / name for name in row["keys"].split()]).keys
    return Trust(keys, int(row["now_s"]) if row["now_s"] else None)


def first_key() -> PrivateKey:
    seed = hashlib.sha256(b"tailc test key 1").digest()
    return PrivateKey(Ed25519PrivateKey.from_private_bytes(seed))


@pytest.mark.parametrize("row", cases(), ids=lambda row: f"{row['file']}: {row['about']}")
def test_a_signed_file_is_read_or_refused_as_the_vectors_say(row: dict[str, str]) -> None:
    path = SIGNED / row["file"]
    if not row["error"]:
        assert read_policy(path, trust_in(row)).name == NAMES.get(path.stem, "smallest")
        return
    with pytest.raises(TailcError) as caught:
        read_policy(path, trust_in(row))
    (finding,) = caught.value.findings
    assert finding.code is CODES[row["error"]]
    assert finding.place
    assert finding.place.source == str(path)


def test_a_key_signs_what_the_vectors_hold() -> None:
    """Ed25519 has no randomness, so the bytes are those of any other signer."""
    _, _, sealed = read_sealed(SIGNED / "unsigned.tailc")
    assert first_key().sign(sealed) == (SIGNED / "good.tailc").read_bytes()
    assert first_key().sign(sealed, EXPIRES_S) == (SIGNED / "expiring.tailc").read_bytes()


def test_a_signed_file_without_its_signature_is_the_unsigned_one() -> None:
    unsigned = (SIGNED / "unsigned.tailc").read_bytes()
    for name in ("good.tailc", "good"):
        path, policy, sealed = read_sealed(SIGNED / name)
        assert (path, policy.name, sealed) == (SIGNED / "good.tailc", "smallest", unsigned)


def test_the_signature_is_told_whether_anybody_checks_it_or_not() -> None:
    for trust in (Trust(), Trust((first_key().public,), EXPIRES_S - 1)):
        signature = read_signed(SIGNED / "expiring.tailc", trust)[1]
        assert signature is not None
        assert signature.key_id == hashlib.sha256(first_key().public.raw).digest()[:8]
        assert signature.expires_s == EXPIRES_S
    assert expiry_text(EXPIRES_S) == "2027-01-15T08:00:00Z"
    assert read_signed(SIGNED / "unsigned.tailc")[1] is None


def test_a_moment_beyond_every_calendar_is_told_by_its_number() -> None:
    signature = split_signature((SIGNED / "expiring-last.tailc").read_bytes())[1]
    assert signature is not None
    assert expiry_text(signature.expires_s) == "second 18446744073709551615"


def test_every_single_bit_flip_of_a_signed_file_is_refused() -> None:
    good, trust = (SIGNED / "good.tailc").read_bytes(), Trust((first_key().public,))
    for at in range(len(good) * 8):
        flipped = bytearray(good)
        flipped[at // 8] ^= 1 << at % 8
        with pytest.raises(TailcError):
            decode_signed(bytes(flipped), trust=trust)


def test_json_is_never_signed_and_the_help_names_the_file_that_may_be() -> None:
    with pytest.raises(TailcError) as caught:
        read_policy(VECTORS / "smallest.json", Trust((first_key().public,)))
    (finding,) = caught.value.findings
    assert finding.code is Code.UNSIGNED
    assert "smallest.tailc`" in str(finding.help)
    with pytest.raises(TailcError, match="which cannot be signed"):
        read_sealed(VECTORS / "smallest.json")


def test_a_damaged_policy_is_refused_before_it_is_signed(tmp_path: Path) -> None:
    for name, code in (("bit-flip", Code.HASH_MISMATCH), ("nonsense", Code.BAD_STRUCTURE)):
        with pytest.raises(TailcError) as caught:
            read_sealed(VECTORS / "refused" / f"{name}.tailc")
        assert caught.value.findings[0].code is code
    (tmp_path / "p.tailc").write_bytes(b"apiVersion: tailc/v1")
    with pytest.raises(TailcError, match="is not a policy:"):
        read_sealed(tmp_path / "p.tailc")
