"""Messages of protobuf taken apart without decoding them: the parts in a field, as they are.

Source: Protocol Buffers, "Encoding": a field is a varint of its number and wire type, and then its
value: a varint, 4 or 8 bytes, or a varint of how many bytes follow, and those.
"""

from __future__ import annotations

from collections.abc import Iterator

MAX_VARINT_BYTES = 10
VARINT, EIGHT, SIZED, _FOUR = 0, 1, 2, 5
VARINT_CONTINUES = 0x80
"""From here on a byte of a varint is not its last."""
_WIRE_BITS = 3


class WireError(ValueError):
    """The bytes are no message of protobuf; the text says why."""


def parts(message: memoryview, field: int, *, is_start: bool = False) -> Iterator[memoryview]:
    """The bytes of each value of a field that has a length, in order.

    is_start: of a message whose end is missing, whose last part may be cut then. Raises WireError
    where it is no message, or a value claims more bytes than are there.
    """
    for number, wire, value in values(message, is_start=is_start):
        if number == field:
            if wire != SIZED:
                raise WireError("a field of another type")
            yield value


def values(message: memoryview, *, is_start: bool = False) -> Iterator[tuple[int, int, memoryview]]:
    """The number, wire type and bytes of each field, in order; as `parts` for what is unsound."""
    at = 0
    while at < len(message):
        key, at = varint(message, at)
        number, wire = key >> _WIRE_BITS, key & 7
        if not number:
            raise WireError("a field of number 0")
        end, begin = _end(message, at, wire)
        if end > len(message) and not is_start:
            raise WireError("a value that claims more bytes than there are")
        yield number, wire, message[begin:end]
        at = end


def _end(message: memoryview, at: int, wire: int) -> tuple[int, int]:
    """Where a value ends, and where its bytes begin."""
    if wire == SIZED:
        length, begin = varint(message, at)
        return begin + length, begin
    if wire == VARINT:
        return varint(message, at)[1], at
    if wire in (EIGHT, _FOUR):
        return at + (8 if wire == EIGHT else 4), at
    raise WireError("a field of an unknown wire type")


def varint(message: memoryview | bytes, at: int) -> tuple[int, int]:
    """The number that begins here, and where it ends."""
    value = 0
    for position, byte in enumerate(message[at : at + MAX_VARINT_BYTES]):
        value |= (byte & 0x7F) << 7 * position
        if byte < VARINT_CONTINUES:
            return value, at + position + 1
    raise WireError("a number that does not end")
