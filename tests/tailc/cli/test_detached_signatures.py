"""Detached signatures: k of n keys must have signed a statement about the file."""

from __future__ import annotations

import base64
import hashlib
import json

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from tailc.artifact.files import write_policy
from tests.tailc.artifact.published import small_policy

TRUST = [word for name in ("a", "b", "c") for word in ("--trust", f"{name}.pub")]


@pytest.fixture
def signed(in_folder, tailc):
    """Three pairs of keys, and a policy that the first two have signed."""
    for name in ("a", "b", "c"):
        assert tailc("keygen", name).code == 0
    write_policy(small_policy(), in_folder / "p")
    for name in ("a", "b"):
        assert tailc("sign", "p", "--key", f"{name}.key", "--detached").code == 0
    return in_folder / "p.tailc.dsse.json"


def inspected(tailc, signers, *words):
    return tailc("inspect", "p.tailc", *(words or TRUST), "--signers", str(signers))


def test_k_of_n_keys_are_enough_and_fewer_are_not(signed, tailc):
    assert inspected(tailc, 2).code == 0
    ended = inspected(tailc, 3)
    assert ended.code == 5
    assert "2 of 3 trusted keys have signed it, and 3 must" in ended.err
    assert tailc("sign", "p", "--key", "c.key", "--detached").code == 0
    assert inspected(tailc, 3).code == 0


def test_two_signatures_of_one_key_count_once(signed, tailc):
    document = json.loads(signed.read_text())
    document["signatures"] = [document["signatures"][0]] * 2
    signed.write_text(json.dumps(document))
    assert "1 of 3 trusted keys have signed it" in inspected(tailc, 2).err


def test_the_envelope_is_dsse_of_a_statement_about_the_file(signed, in_folder):
    document = json.loads(signed.read_text())
    payload = base64.b64decode(document["payload"])
    content = (in_folder / "p.tailc").read_bytes()
    statement = json.loads(payload)
    assert statement["subject"][0]["digest"]["sha256"] == hashlib.sha256(content).hexdigest()
    assert statement["predicateType"] == "https://slsa.dev/provenance/v1"
    kind = document["payloadType"]
    encoded = f"DSSEv1 {len(kind)} {kind} {len(payload)} ".encode() + payload
    keys = [load_pem_public_key((in_folder / f"{name}.pub").read_bytes()) for name in "ab"]
    ids = {hashlib.sha256(key.public_bytes_raw()).hexdigest()[:16]: key for key in keys}
    for one in document["signatures"]:
        ids[one["keyid"]].verify(base64.b64decode(one["sig"]), encoded)


@pytest.mark.parametrize("change", ["payload", "sig", "gone", "nonsense"])
def test_a_changed_envelope_is_refused(signed, tailc, change):
    document = json.loads(signed.read_text())
    if change == "payload":
        payload = base64.b64decode(document["payload"]).replace(b'"kind":', b'"kinD":')
        document["payload"] = base64.b64encode(payload).decode()
    if change == "sig":
        document["signatures"][0]["sig"] = base64.b64encode(bytes(64)).decode()
    signed.write_text("{}" if change == "nonsense" else json.dumps(document))
    if change == "gone":
        signed.unlink()
    ended = inspected(tailc, 2)
    assert (ended.code, "error[TC040" in ended.err) == (5, True), ended.err


def test_a_key_id_that_is_no_text_is_refused_by_a_signer(signed, tailc):
    document = json.loads(signed.read_text())
    document["signatures"][0]["keyid"] = 5
    signed.write_text(json.dumps(document))
    ended = tailc("sign", "p", "--key", "b.key", "--detached")
    assert (ended.code, "no DSSE envelope" in ended.err) == (5, True), ended.err


def test_another_policy_needs_new_signatures(signed, tailc, in_folder):
    write_policy(small_policy(), in_folder / "q")
    tailc("sign", "q", "--key", "a.key")
    (in_folder / "p.tailc").write_bytes((in_folder / "q.tailc").read_bytes())
    assert "is about another file" in inspected(tailc, 2).err
    # Signatures of another file are not kept.
    assert tailc("sign", "p", "--key", "a.key", "--detached").code == 0
    assert "1 of 3 trusted keys have signed it" in inspected(tailc, 2).err


def test_more_signers_than_keys_is_a_usage_error(signed, tailc):
    assert inspected(tailc, 2, "--trust", "a.pub").code == 64
