"""Detached signatures of several keys: DSSE envelopes next to a `.tailc`, in `FILE.dsse.json`.

The signed payload is an in-toto statement with SLSA provenance about the file: its SHA-256, the
inputs and versions of the compile. Source: DSSE 1.0.2, in-toto attestation 1.1, SLSA 1.0.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailc.artifact.refusal import Refusal
from tailc.artifact.signature import Signature
from tailc.errors import Code

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.artifact.keys import PrivateKey, PublicKey

SUFFIX = ".dsse.json"
_PAYLOAD_TYPE = "application/vnd.in-toto+json"
_BUILD_TYPE = "https://github.com/tailc/tailc/blob/main/docs/signing.md"
_MOST_BYTES = 1 << 22
_AGAIN = "sign the policy again: `tailc sign POLICY --key KEY --detached`"


def attestation_path(policy_file: str) -> Path:
    """Path of the envelope that belongs to a `.tailc`."""
    return Path(policy_file + SUFFIX)


def statement(policy: Policy, content: bytes) -> bytes:
    """The payload about a policy and the bytes of its file."""
    inputs = [
        {"name": f"{part.role.value} requests", "digest": {"sha256": part.digest}}
        for part in policy.inputs
    ]
    document = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": policy.name, "digest": {"sha256": _sha256(content)}}],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": _BUILD_TYPE,
                "externalParameters": {"kind": policy.kind, "generation": policy.generation},
                "internalParameters": {"versions": dict(policy.evidence.versions)},
                "resolvedDependencies": inputs,
            },
            "runDetails": {"builder": {"id": _BUILD_TYPE}},
        },
    }
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


def with_signature_of(key: PrivateKey, payload: bytes, envelope: bytes | None) -> bytes:
    """The envelope with a signature of this key in addition to those of the same payload.

    envelope: the present one; of another payload, it is replaced. Raises Refusal if it is damaged.
    """
    kept: Sequence[Mapping[str, str]] = ()
    if envelope is not None:
        present, signatures = _parts(envelope)
        kept = signatures if present == payload else ()
    key_id = key.public.key_id.hex()
    own = {"keyid": key_id, "sig": base64.b64encode(key.sign_bytes(_signed(payload))).decode()}
    others = [dict(one) for one in kept if one["keyid"] != key_id]
    signatures = sorted([*others, own], key=lambda one: one["keyid"])
    document = {
        "payloadType": _PAYLOAD_TYPE,
        "payload": base64.b64encode(payload).decode(),
        "signatures": signatures,
    }
    return (json.dumps(document, indent=2) + "\n").encode()


def check_attestation(file: str, content: bytes, keys: Sequence[PublicKey], signers: int) -> None:
    """Raise Refusal unless this number of the keys signed a statement about the file.

    file: the path of the policy, next to which its envelope is. content: its bytes.
    """
    payload, signatures = _parts(_envelope_of(file))
    if json.loads(payload)["subject"][0]["digest"]["sha256"] != _sha256(content):
        raise Refusal(Code.BAD_SIGNATURE, f"`{file}{SUFFIX}` is about another file", _AGAIN)
    valid = {
        key.key_id for key in keys if any(_has_signed(key, payload, one) for one in signatures)
    }
    if len(valid) < signers:
        message = f"{len(valid)} of {len(keys)} trusted keys have signed it, and {signers} must"
        hint = "let the owners of further keys sign it: `tailc sign POLICY --key KEY --detached`"
        raise Refusal(Code.UNSIGNED, message, hint)


def _has_signed(key: PublicKey, payload: bytes, one: Mapping[str, str]) -> bool:
    value = base64.b64decode(one["sig"])
    return one["keyid"] == key.key_id.hex() and key.has_signed(
        Signature(0, key.key_id, value, _signed(payload))
    )


def _envelope_of(file: str) -> bytes:
    path = attestation_path(file)
    try:
        with path.open("rb") as opened:
            return opened.read(_MOST_BYTES)
    except OSError as error:
        message = f"there are no detached signatures in `{path}`"
        raise Refusal(Code.UNSIGNED, message, _AGAIN) from error


def _parts(envelope: bytes) -> tuple[bytes, Sequence[Mapping[str, str]]]:
    """Payload and signatures of an envelope; Refusal if it is none of a statement."""
    try:
        document: dict[str, Any] = json.loads(envelope)
        payload = base64.b64decode(document["payload"], validate=True)
        signatures = [{"keyid": one["keyid"], "sig": one["sig"]} for one in document["signatures"]]
        for one in signatures:
            base64.b64decode(one["sig"], validate=True)
        subject = json.loads(payload)["subject"][0]["digest"]["sha256"]
        is_known = document["payloadType"] == _PAYLOAD_TYPE and all(
            isinstance(one, str) for one in (subject, *(one["keyid"] for one in signatures))
        )
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        is_known, payload, signatures = False, b"", []
    if not is_known:
        message = "the detached signatures are no DSSE envelope of a statement"
        raise Refusal(Code.BAD_SIGNATURE, message, _AGAIN)
    return payload, signatures


def _signed(payload: bytes) -> bytes:
    """The bytes that a signature of a payload covers (pre-authentication encoding)."""
    kind = _PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
