"""Messages of protobuf made by hand, sound and forged."""

TRACE, SPAN = b"\x11" * 16, b"\x22" * 8


def varint(number):
    found = b""
    while number > 0x7F:
        found += bytes([number & 0x7F | 0x80])
        number >>= 7
    return found + bytes([number])


def sized(field, value, claimed=None):
    """A field with a length, or with one that is claimed in its place."""
    length = len(value) if claimed is None else claimed
    return varint(field << 3 | 2) + varint(length) + value


def request(*spans):
    """A request with these spans, which are the bytes of their fields."""
    return sized(1, sized(2, b"".join(sized(2, span) for span in spans)))


def server(length_ns=1_000_000, more=b""):
    """The fields of a server span that begins at 0."""
    ids = sized(1, TRACE) + sized(2, SPAN)
    return ids + b"\x30\x02" + b"\x41" + length_ns.to_bytes(8, "little") + more


def framed(message, claimed=None):
    """The message after its length in 4 bytes, as a file exporter writes it."""
    return (len(message) if claimed is None else claimed).to_bytes(4) + message
