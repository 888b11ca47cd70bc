"""Artifacts that lie: payloads of vectors with words, half-words or values changed, sealed again.

What can be changed is found by a walk of its own along the layouts of schemas/layout.py.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import NamedTuple

from tailc.artifact._generated.layout import FORMS, TABLES
from tailc.artifact.seal import seal, unseal
from tests.tailc.artifact.published import VECTORS

LAYOUTS = {line.split()[0]: line.split()[1:] for line in TABLES}
NUMBERS = (
    *(0, 1, 2, -1, 10**6, 2**20 + 1, 2**28 + 1, 2**29 + 1, 2**43 + 1),
    *(2**53 - 1, 2**53, -(2**53) + 1, -(2**63)),
)
BYTES = (0, 1, 0x41, 0x7F, 0x80, 0xC0, 0xED, 0xF5, 0xFF)
Lie = Callable[[Random, bytes, bytearray], None]
"""Changes the copy of a payload in place; what is laid out where is read from the original."""


class Place(NamedTuple):
    """Where something of `size` bytes stands: a number, an offset, a length, a slot or text."""

    kind: str
    at: int
    size: int


@cache
def payloads() -> tuple[bytes, ...]:
    """Those of all vectors, in the order of their names."""
    return tuple(unseal(path.read_bytes()) for path in sorted(VECTORS.glob("*.tailc")))


def lies(kind: str, seed: int, count: int) -> Iterator[bytes]:
    """Sealed artifacts in which one thing in the mean, or some, are changed: see LIES."""
    rng = Random(f"{kind} {seed}")
    for _ in range(count):
        original = rng.choice(payloads())
        payload = bytearray(original)
        for _ in range(rng.choice((1, 1, 1, 1, 2, 3))):
            LIES[kind](rng, original, payload)
        yield seal(bytes(payload))


def _change_word(rng: Random, _original: bytes, payload: bytearray) -> None:
    _change_part(rng, payload, 4)


def _change_half(rng: Random, _original: bytes, payload: bytearray) -> None:
    _change_part(rng, payload, 2)


def _change_part(rng: Random, payload: bytearray, size: int) -> None:
    """Any aligned part becomes small, large, a little more or less, or what another part is."""
    at, other = (rng.randrange(0, len(payload) - size + 1, size) for _ in range(2))
    value, copied = (_number(payload, place, size) for place in (at, other))
    ends = (0, 1, 2, 4, -1, 2 ** (8 * size - 1), len(payload), len(payload) - at, len(payload) - 4)
    near = (value + 1, value - 1, value + 4, value - 4, value ^ 1 << rng.randrange(8 * size))
    _put(payload, at, size, rng.choice((*ends, *near, copied, rng.randrange(64))))


def _change_value(rng: Random, original: bytes, payload: bytearray) -> None:
    """A number becomes another one, or a byte of a string does."""
    kind = rng.choice(("number", "number", "number", "text"))
    place, value, copied = _drawn(rng, original, kind)
    near = (value + 1, value - 1, value * 2, -value, rng.randrange(16), copied)
    new = rng.choice(BYTES if kind == "text" else near + NUMBERS)
    _put(payload, place.at, place.size, new)


def _change_layout(rng: Random, original: bytes, payload: bytearray) -> None:
    """An offset leads elsewhere, a vector has another length, or a table other fields."""
    place, value, copied = _drawn(rng, original, rng.choice(("offset", "length", "slot")))
    near = (0, 1, value + 1, value - 1, value + 4, value - 4, value + 8, value * 2, copied)
    new = rng.choice((*near, 2 ** (8 * place.size - 1), 2 ** (8 * place.size) - 1))
    _put(payload, place.at, place.size, new)


def _drawn(rng: Random, payload: bytes, kind: str) -> tuple[Place, int, int]:
    """A place of that kind, the number there, and that of another; of an offset, how it would
    lead to where the other one does.
    """
    alike = _places(payload, kind)
    place, other = rng.choice(alike), rng.choice(alike)
    copied = _number(payload, other.at, place.size)
    if kind == "offset":
        copied += other.at - place.at
    return place, _number(payload, place.at, place.size), copied


LIES: dict[str, Lie] = {
    "words": _change_word,
    "half-words": _change_half,
    "values": _change_value,
    "layout": _change_layout,
}


def _number(payload: bytes | bytearray, at: int, size: int) -> int:
    return int.from_bytes(payload[at : at + size], "little", signed=size == 8)


def _put(payload: bytearray, at: int, size: int, value: int) -> None:
    payload[at : at + size] = (value % 2 ** (8 * size)).to_bytes(size, "little")


@cache
def _places(payload: bytes, kind: str) -> tuple[Place, ...]:
    """Everything of a kind that is laid out in a payload."""
    found: list[Place] = []
    _follow(payload, found, 0, "Policy")
    return tuple(place for place in found if place.kind == kind)


def _follow(payload: bytes, found: list[Place], at: int, kind: str) -> None:
    """The places of a table or string that the offset at `at` leads to."""
    found.append(Place("offset", at, 4))
    (offset,) = struct.unpack_from("<I", payload, at)
    at += offset
    if kind == "text":
        found.append(Place("length", at, 4))
        length = min(struct.unpack_from("<I", payload, at)[0], len(payload) - at - 4)
        found.extend(Place("text", at + 4 + place, 1) for place in range(length))
        return
    (distance,) = struct.unpack_from("<i", payload, at)
    slots = at - distance
    found.extend((Place("slot", slots, 2), Place("slot", slots + 2, 2)))
    size = struct.unpack_from("<H", payload, slots)[0]
    for number, word in enumerate(LAYOUTS[kind]):
        slot = slots + 4 + 2 * number
        if slot + 2 > slots + size:
            return
        found.append(Place("slot", slot, 2))
        (field,) = struct.unpack_from("<H", payload, slot)
        if field:
            _field(payload, found, at + field, _kind_of(payload, word, at, slots))


def _kind_of(payload: bytes, word: str, table: int, slots: int) -> str:
    """The word of a field; for a form, that of the table that its number names."""
    if not word.startswith("Form") or word.startswith("FormBox"):
        return word
    (type_field,) = struct.unpack_from("<H", payload, slots + 4)
    return FORMS[payload[table + type_field] - 1].split()[1]


def _field(payload: bytes, found: list[Place], at: int, word: str) -> None:
    kind = word.strip("[]!")
    if not word.startswith("["):
        if kind.isdigit():
            found.append(Place("number", at, int(kind)))
        else:
            _follow(payload, found, at, kind)
        return
    found.append(Place("offset", at, 4))
    at += struct.unpack_from("<I", payload, at)[0]
    found.append(Place("length", at, 4))
    count = min(struct.unpack_from("<I", payload, at)[0], len(payload))
    for place in range(count):
        if kind.isdigit():
            found.extend(_numbers_in(at + 4 + place * int(kind), int(kind)))
        else:
            _follow(payload, found, at + 4 + place * 4, kind)


def _numbers_in(at: int, size: int) -> Iterator[Place]:
    """A scalar, or the numbers of a struct: `Climb` has 16 bytes, `Row` 32."""
    parts = {16: (8, 4), 32: (8, 8, 4, 4, 1)}.get(size, (size,))
    for part in parts:
        yield Place("number", at, part)
        at += part
