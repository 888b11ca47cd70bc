"""The parts of a `.tailc` file with their positions, and where a damaged one is damaged.

A FlatBuffer is written from its end, and everything below a field of the policy comes after that
field's own value. So the values of the fields, in order of their positions, divide the payload.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from tailc.artifact.flat_structure import StructureVerifier
from tailc.artifact.refusal import Refusal
from tailc.artifact.seal import SEAL_BYTES, has_trailer
from tailc.artifact.signature import SIGNATURE_BYTES, has_signature

# Fields of a policy by their id; the numbers are in the table itself.
_FIELDS = (
    *("schema_major", "schema_minor", "policy_digest", "name", "kind", "generation", "slos"),
    *("rates_mrps", "forms", "inputs", "reading", "evidence"),
)
_NUMBERS = ("schema_major", "schema_minor", "generation")
_OFFSET_BYTES = 4


@dataclass(frozen=True)
class FilePart:
    """A part of a file: its name, position and content."""

    name: str
    at: int
    content: bytes


def file_parts(data: bytes) -> tuple[FilePart, ...]:
    """Divide a file into parts, in order of position; together they are the whole file.

    The payload of a file without a readable table of fields is one part.
    """
    ends = len(data)
    tails: list[tuple[int, str]] = []
    if has_signature(data):
        ends -= SIGNATURE_BYTES
        tails.append((ends, "signature"))
    if has_trailer(data[:ends]):
        ends -= SEAL_BYTES
        tails.append((ends, "seal"))
    starts = sorted([*_field_starts(data[:ends]), *tails])
    if not starts or starts[0][0]:
        starts.insert(0, (0, "head" if starts and starts[0][1] in _FIELDS else "payload"))
    stops = [*(at for at, _ in starts[1:]), len(data)]
    return tuple(
        FilePart(name, at, data[at:stop]) for (at, name), stop in zip(starts, stops, strict=True)
    )


def _field_starts(payload: bytes) -> list[tuple[int, str]]:
    """Position of the value of each field of a policy; none if the fields cannot be read."""
    try:
        StructureVerifier(payload).check_version()
        root = _word(payload, 0)
        slots = root - struct.unpack_from("<i", payload, root)[0]
        starts = []
        for number, name in enumerate(_FIELDS):
            offset = struct.unpack_from("<H", payload, slots + 4 + 2 * number)[0]
            at = root + offset
            if offset and name not in _NUMBERS and at + _word(payload, at) < len(payload):
                starts.append((at + _word(payload, at), name))
    except (Refusal, struct.error):
        return []
    return starts


def _word(data: bytes, at: int) -> int:
    return int(struct.unpack_from("<I", data, at)[0])


def first_damage(data: bytes, intact: bytes) -> int | None:
    """Position of the first byte that differs from the intact file; None if there is none.

    For a file that is only cut off this is its end.
    """
    pairs = enumerate(zip(data, intact, strict=False))
    shorter = min(len(data), len(intact))
    end = None if data == intact else shorter
    return next((at for at, (one, other) in pairs if one != other), end)


def structure_damage(data: bytes) -> tuple[int, str] | None:
    """Position in a payload at which its structure is first wrong, and why; None if it is right."""
    payload = data[: -SIGNATURE_BYTES if has_signature(data) else len(data)]
    payload = payload[:-SEAL_BYTES] if has_trailer(payload) else payload
    verifier = StructureVerifier(payload)
    try:
        verifier.check_version()
        verifier.check_all()
    except Refusal as refusal:
        return verifier.last_at, refusal.message
    return None
