"""Convert a policy file of any released schema version to its present form.

A policy is written in the oldest version that can represent it, so a `.tailc`, or a JSON as written
by `tailc compile`, does not change by a byte. A JSON in another layout is put in canonical form;
its digest shows that it is the same policy.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tailc.artifact.envelope import SCHEMA_MAJOR, SCHEMA_MINOR, Policy
from tailc.artifact.files import content_of, is_sealed, unsigned_json_finding
from tailc.artifact.flat_form import decode_signed, encode_flat
from tailc.artifact.json_form import canonical_of, decode_json, encode_json, minor_of
from tailc.artifact.refusal import Refusal
from tailc.artifact.signature import split_signature
from tailc.artifact.trust import ANYBODY, Trust
from tailc.errors import Code, TailcError


@dataclass(frozen=True)
class MigratedPolicy:
    """A policy file before and after its conversion to the current schema.

    is_sealed: true for a `.tailc` file, false for JSON.
    """

    path: Path
    policy: Policy
    before: bytes
    after: bytes
    is_sealed: bool
    is_signed: bool = False

    @property
    def minor(self) -> int:
        """The minor version of the schema that the policy is written in."""
        return minor_of(self.policy)


def migrate(path: str, trust: Trust = ANYBODY) -> MigratedPolicy:
    """Convert the policy in a `.tailc` or JSON file, or next to a stem, without writing it.

    Raises TailcError if it cannot be read, is damaged or not trusted, or was written by a newer
    tailc.
    """
    name, data = content_of(path)
    if is_sealed(data):
        policy, signature = decode_signed(data, name, trust)
        if encode_flat(policy) != split_signature(data)[0]:
            raise TailcError(_newer().finding(name))
        return MigratedPolicy(Path(name), policy, data, data, True, signature is not None)
    if trust.keys:
        raise TailcError(unsigned_json_finding(name))
    ordered = canonical_of(data, name)
    policy = decode_json(ordered, name)
    if encode_json(policy) != ordered:
        raise TailcError(_newer().finding(name))
    return MigratedPolicy(Path(name), policy, data, ordered, is_sealed=False)


def _newer() -> Refusal:
    """The refusal of a newer schema, whose additions would be lost."""
    return Refusal(
        Code.UNKNOWN_SCHEMA,
        f"the policy has a schema after `{SCHEMA_MAJOR}.{SCHEMA_MINOR}`, which this version of "
        "tailc cannot write completely",
        "use the version of tailc that wrote the policy, or a later one",
    )
