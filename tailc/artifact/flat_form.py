"""The `.tailc` encoding: a FlatBuffer with identifier TLC1, its seal and perhaps a signature."""

from __future__ import annotations

from flatbuffers import Builder

from tailc.artifact._generated import policy_generated as fbs
from tailc.artifact.envelope import SCHEMA_MAJOR, SCHEMA_MINOR, Policy
from tailc.artifact.flat_read import read_table
from tailc.artifact.flat_structure import Structure
from tailc.artifact.flat_write import write_table
from tailc.artifact.json_form import check_is_newer, check_major, check_minor, digest_of, minor_of
from tailc.artifact.refusal import Refusal, refusals_about
from tailc.artifact.seal import seal, unseal
from tailc.artifact.shapes import record_of
from tailc.artifact.signature import Signature, split_signature
from tailc.artifact.trust import ANYBODY, Trust
from tailc.errors import Code

IDENTIFIER = b"TLC1"
_IDENTIFIER_AT = slice(4, 8)


def encode_flat(policy: Policy) -> bytes:
    """The sealed FlatBuffer of `policy`; raises TailcError where canonical JSON would."""
    with refusals_about(policy.name):
        return seal(_payload(policy, digest_of(policy), minor_of(policy)))


def decode_flat(data: bytes, source: str = "policy.tailc") -> Policy:
    """The policy in `data`, whoever signed it; TailcError as `decode_signed` raises it."""
    return decode_signed(data, source)[0]


def decode_signed(
    data: bytes, source: str = "policy.tailc", trust: Trust = ANYBODY
) -> tuple[Policy, Signature | None]:
    """The policy in `data` and its signature; TailcError about `source` unless it is whole,
    trusted, canonical and valid.

    Checks, in this order: length, hash, signature, identifier, schema version, structure, meaning,
    and that digest and bytes are what `encode_flat` would write. Of a newer minor version, which
    must have fields that are not known here, only the other fields can be compared.
    """
    with refusals_about(source):
        sealed, signature = split_signature(data)
        payload = unseal(sealed)
        trust.check(signature)
        return _decoded(payload), signature


def stated_digest(data: bytes) -> str:
    """The digest that a `.tailc` states; for one that has been decoded before."""
    return _digest_in(fbs.Policy.GetRootAs(data))


def is_flat(data: bytes) -> bool:
    """Whether `data` begins as a `.tailc` file does."""
    return data[_IDENTIFIER_AT] == IDENTIFIER


def _decoded(payload: bytes) -> Policy:
    if not is_flat(payload):
        raise Refusal(Code.BAD_STRUCTURE, "the FlatBuffer's identifier is not TLC1")
    structure = Structure(payload)
    structure.check_version()
    root = fbs.Policy.GetRootAs(payload)
    minor = root.SchemaMinor()
    check_major(root.SchemaMajor(), minor)
    structure.check_all()
    policy, stated = read_table(record_of(Policy), root), _digest_in(root)
    # Canonical JSON can carry it, of whatever version it is.
    digest = digest_of(policy)
    check_minor(policy, minor)
    if minor <= SCHEMA_MINOR:
        _check_canonical(policy, digest, stated, payload)
    else:
        check_is_newer(structure.has_unknown)
        _check_known(structure, _payload(policy, stated, minor))
    return policy


def _digest_in(root: fbs.Policy) -> str:
    """The digest that a verified policy states."""
    stated = root.PolicyDigest()
    assert stated is not None
    return stated.decode()


def _payload(policy: Policy, digest: str, minor: int) -> bytes:
    builder = Builder()
    more = {
        "policy_digest": builder.CreateString(digest),
        "schema_major": SCHEMA_MAJOR,
        "schema_minor": minor,
    }
    builder.Finish(write_table(builder, record_of(Policy), policy, more), IDENTIFIER)
    return bytes(builder.Output())


def _check_canonical(policy: Policy, digest: str, stated: str, payload: bytes) -> None:
    if digest != stated:
        message = f"the policy's digest is `{digest}`, but it states `{stated}`"
        raise Refusal(Code.HASH_MISMATCH, message)
    if _payload(policy, digest, minor_of(policy)) != payload:
        raise Refusal(Code.BAD_STRUCTURE, "the FlatBuffer is not the one its policy has")


def _check_known(found: Structure, canonical: bytes) -> None:
    """Refuse a policy of a newer version whose parts that are known here say it otherwise than the
    payload that this version writes. Digest and offsets depend on parts that are not known.
    """
    own = Structure(canonical)
    own.check_version()
    own.check_all()
    if found.values != own.values:
        raise Refusal(Code.BAD_STRUCTURE, "the FlatBuffer is not the one its policy has")
