"""The `.tailc` encoding: a FlatBuffer with identifier TLC1, followed by its trailer."""

from __future__ import annotations

import struct

from flatbuffers import Builder

from tailc.artifact._generated import policy_generated as fbs
from tailc.artifact.envelope import SCHEMA_MAJOR, SCHEMA_MINOR, Policy
from tailc.artifact.flat_read import FlatReader
from tailc.artifact.flat_write import write_table
from tailc.artifact.json_form import check_major, digest_of
from tailc.artifact.refusal import Refusal, refusals_about
from tailc.artifact.seal import seal, unseal
from tailc.artifact.shapes import record_of
from tailc.errors import Code

IDENTIFIER = b"TLC1"
_IDENTIFIER_AT = slice(4, 8)

# What the accessors raise on offsets that lead nowhere, and strings that are not UTF-8.
_NONSENSE = (struct.error, IndexError, TypeError, UnicodeDecodeError)


def encode_flat(policy: Policy) -> bytes:
    """The sealed FlatBuffer of `policy`; raises TailcError where canonical JSON would."""
    with refusals_about(policy.name):
        return seal(_payload(policy, digest_of(policy)))


def decode_flat(data: bytes, source: str = "policy.tailc") -> Policy:
    """The policy in `data`; TailcError about `source` unless it is whole, canonical and valid.

    Checks, in this order: length, hash, identifier, schema version, structure, meaning, and that
    digest and bytes are what `encode_flat` would write. The last two cannot be checked for a newer
    minor version, whose new fields are unknown here.
    """
    with refusals_about(source):
        payload = unseal(data)
        if not is_flat(payload):
            raise Refusal(Code.BAD_STRUCTURE, "the FlatBuffer's identifier is not TLC1")
        try:
            policy, minor = _read(payload)
        except _NONSENSE as error:
            raise Refusal(Code.BAD_STRUCTURE, f"the FlatBuffer is broken: {error}") from error
        if minor <= SCHEMA_MINOR and _payload(policy, digest_of(policy)) != payload:
            raise Refusal(Code.BAD_STRUCTURE, "the FlatBuffer is not the one its policy has")
        return policy


def is_flat(data: bytes) -> bool:
    """Whether `data` begins as a `.tailc` file does."""
    return data[_IDENTIFIER_AT] == IDENTIFIER


def _payload(policy: Policy, digest: str) -> bytes:
    builder = Builder()
    more = {
        "policy_digest": builder.CreateString(digest),
        "schema_major": SCHEMA_MAJOR,
        "schema_minor": SCHEMA_MINOR,
    }
    builder.Finish(write_table(builder, record_of(Policy), policy, more), IDENTIFIER)
    return bytes(builder.Output())


def _read(payload: bytes) -> tuple[Policy, int]:
    root = fbs.Policy.GetRootAs(payload)
    minor = root.SchemaMinor()
    check_major(root.SchemaMajor(), minor)
    reader = FlatReader(len(payload))
    policy = reader.table(record_of(Policy), root)
    digest = reader.text(root.PolicyDigest())
    if minor <= SCHEMA_MINOR and digest != digest_of(policy):
        raise Refusal(Code.HASH_MISMATCH, f"the policy's digest is not the stated `{digest}`")
    return policy, minor
