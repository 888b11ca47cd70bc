"""The `.tailc` encoding: FlatBuffer with identifier TLC1, seal, and optionally a signature."""

from __future__ import annotations

from flatbuffers import Builder

from tailc.artifact._generated import policy_generated as fbs
from tailc.artifact.envelope import SCHEMA_MAJOR, SCHEMA_MINOR, Policy
from tailc.artifact.flat_read import read_table
from tailc.artifact.flat_structure import StructureVerifier
from tailc.artifact.flat_write import write_table
from tailc.artifact.json_form import check_is_newer, check_major, check_minor, digest_of, minor_of
from tailc.artifact.refusal import Refusal, refusals_about
from tailc.artifact.seal import seal, unseal
from tailc.artifact.shapes import record_of
from tailc.artifact.signature import Signature, split_signature
from tailc.artifact.trust import ANYBODY, Trust
from tailc.errors import Code

IDENTIFIER = b"TLC1"
_STATE_HELP = "give the policy of the plan here, and the state with `--state`"
_IDENTIFIER_AT = slice(4, 8)


def encode_flat(policy: Policy) -> bytes:
    """Encode a policy as a sealed FlatBuffer.

    Raises TailcError in the same cases as `encode_json`.
    """
    with refusals_about(policy.name):
        return seal(_payload(policy, digest_of(policy), minor_of(policy)))


def decode_flat(data: bytes, source: str = "policy.tailc") -> Policy:
    """Decode a `.tailc`, signed or not, into a policy.

    Raises TailcError as `decode_signed` does.
    """
    return decode_signed(data, source)[0]


def decode_signed(
    data: bytes, source: str = "policy.tailc", trust: Trust = ANYBODY
) -> tuple[Policy, Signature | None]:
    """Decode a `.tailc` into a policy and its signature.

    Raises TailcError about `source` unless the data is complete, trusted, canonical and valid.
    Checks, in this order: length, hash, signature, identifier, schema version, structure, meaning,
    and that digest and bytes are what `encode_flat` would write. For a newer minor version, which
    must have unknown fields, only the known fields are compared.
    """
    with refusals_about(source):
        sealed, signature = split_signature(data)
        payload = unseal(sealed)
        trust.check_file(source, data, signature)
        return _decode(payload), signature


def stated_digest(data: bytes) -> str:
    """Return the digest that a `.tailc` states.

    `data` must have been decoded without an error before.
    """
    return _digest_in(fbs.Policy.GetRootAs(data))


def is_flat(data: bytes) -> bool:
    """Whether `data` starts like a `.tailc` file."""
    return data[_IDENTIFIER_AT] == IDENTIFIER


def _no_policy(payload: bytes) -> Refusal:
    # Policies need no module of states.
    from tailc.artifact.state_flat import is_flat_state

    if is_flat_state(payload):
        message = "it is the state of a plan, and no policy"
        return Refusal(Code.BAD_STRUCTURE, message, _STATE_HELP)
    return Refusal(Code.BAD_STRUCTURE, "the FlatBuffer's identifier is not TLC1")


def _decode(payload: bytes) -> Policy:
    if not is_flat(payload):
        raise _no_policy(payload)
    structure = StructureVerifier(payload)
    structure.check_version()
    root = fbs.Policy.GetRootAs(payload)
    minor = root.SchemaMinor()
    check_major(root.SchemaMajor(), minor)
    structure.check_all()
    policy, stated = read_table(record_of(Policy), root), _digest_in(root)
    # Canonical JSON can store it, in any version.
    digest = digest_of(policy)
    check_minor(policy, minor)
    if minor <= SCHEMA_MINOR:
        _check_canonical(policy, digest, stated, payload)
    else:
        check_is_newer(structure.has_unknown)
        _check_known(structure, _payload(policy, stated, minor))
    return policy


def _digest_in(root: fbs.Policy) -> str:
    """The digest stated in a verified policy."""
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
        raise Refusal(
            Code.BAD_STRUCTURE, ("the FlatBuffer differs from the canonical one of its policy")
        )


def _check_known(found: StructureVerifier, canonical: bytes) -> None:
    """Raise Refusal if known parts of a newer policy differ from what this version writes.

    Digest and offsets are not compared, since they depend on the unknown parts.
    """
    own = StructureVerifier(canonical)
    own.check_version()
    own.check_all()
    if found.values != own.values:
        raise Refusal(
            Code.BAD_STRUCTURE, ("the FlatBuffer differs from the canonical one of its policy")
        )
