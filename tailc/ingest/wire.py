"""Split protobuf messages into fields without decoding them.

Source: Protocol Buffers, "Encoding": a field is a varint with its number and wire type, followed by
its value: a varint, 4 or 8 bytes, or a varint with a length and that number of bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

MAX_VARINT_BYTES = 10
VARINT, EIGHT, SIZED, _FOUR = 0, 1, 2, 5
VARINT_CONTINUES = 0x80
"""From here on a byte of a varint is not its last."""
_WIRE_BITS = 3


class WireError(ValueError):
    """Error: the bytes are not a protobuf message; the text is the reason."""


def parts(message: memoryview, field: int, *, is_start: bool = False) -> Iterator[memoryview]:
    """Yield the bytes of each value of one field of a protobuf message.

    field: number of a field whose values have a length. is_start: the end of the message is
    missing, so the last value may be truncated. Raises WireError for malformed messages, and for a
    value longer than the message.
    """
    for number, wire, value in values(message, is_start=is_start):
        if number == field:
            if wire != SIZED:
                raise WireError("a field of the wrong type")
            yield value


def values(message: memoryview, *, is_start: bool = False) -> Iterator[tuple[int, int, memoryview]]:
    """Yield number, wire type and bytes of each field of a protobuf message.

    Raises the same errors as `parts`.
    """
    at = 0
    while at < len(message):
        key, at = varint(message, at)
        number, wire = key >> _WIRE_BITS, key & 7
        if not number:
            raise WireError("a field with the number 0")
        end, begin = _end(message, at, wire)
        if end > len(message) and not is_start:
            raise WireError("a value that states more bytes than the message has")
        yield number, wire, message[begin:end]
        at = end


def _end(message: memoryview, at: int, wire: int) -> tuple[int, int]:
    """End of a value, and start of its bytes."""
    if wire == SIZED:
        length, begin = varint(message, at)
        return begin + length, begin
    if wire == VARINT:
        return varint(message, at)[1], at
    if wire in (EIGHT, _FOUR):
        return at + (8 if wire == EIGHT else 4), at
    raise WireError("a field of an unknown wire type")


def varint(message: memoryview | bytes, at: int) -> tuple[int, int]:
    """Decode the varint at index `at`; return its value and the index after it."""
    value = 0
    for position, byte in enumerate(message[at : at + MAX_VARINT_BYTES]):
        value |= (byte & 0x7F) << 7 * position
        if byte < VARINT_CONTINUES:
            return value, at + position + 1
    raise WireError("a number without an end")
