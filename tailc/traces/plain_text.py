"""Convert text when a file is opened, so that every reader gets the same encoding.

The result is UTF-8 without a byte order mark, with lines that end in LF, and with one JSON object
per line.
"""

from __future__ import annotations

import codecs
import enum
import io
import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tailc.errors import Code
from tailc.traces.json_items import items_of

if TYPE_CHECKING:
    from tailc.traces.source import Source

_BLOCK_BYTES = 1 << 20
_UTF16_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_LIST = re.compile(r"\s*\[(?=\s*\{)")


class Rewriting(enum.Enum):
    """A conversion of a text when it is opened; the value describes the original file."""

    UTF8_MARK = "begins with a byte order mark"
    UTF16 = "is in UTF-16"
    BARE_CR = "has lines that end in CR alone"
    JSON_LIST = "has its rows in one JSON list"


def encoding_rewritings(head: bytes) -> frozenset[Rewriting]:
    """The conversions of encoding and line ends that a file with this beginning needs.

    They include the removal of a byte order mark.
    """
    found = set()
    if head.startswith(codecs.BOM_UTF8):
        found.add(Rewriting.UTF8_MARK)
    encoding = _utf16(head)
    if encoding is not None:
        found.add(Rewriting.UTF16)
        head = head[2:].decode(encoding, "ignore").encode()
    if b"\r" in head and b"\n" not in head and not _CONTROLS.search(head):
        found.add(Rewriting.BARE_CR)
    return frozenset(found)


def _utf16(head: bytes) -> str | None:
    """The encoding after this byte order mark; binary data can begin with one, but has no
    letters then."""
    encoding = _UTF16_MARKS.get(head[:2])
    if encoding is None or not head[2:4].decode(encoding, "ignore").isascii():
        return None
    return encoding


def re_encoded(source: Source, rewritings: frozenset[Rewriting]) -> Iterator[bytes]:
    """Convert text to UTF-8 without a byte order mark, with LF at the end of lines."""
    with source.plain() as stream:
        first = stream.read(len(codecs.BOM_UTF8))
        encoding = "utf-16" if Rewriting.UTF16 in rewritings else None
        decoder = codecs.getincrementaldecoder(encoding)("replace") if encoding else None
        block = first.removeprefix(codecs.BOM_UTF8)
        while block or (block := stream.read(_BLOCK_BYTES)):
            text = block if decoder is None else decoder.decode(block).encode()
            yield text.replace(b"\r", b"\n") if Rewriting.BARE_CR in rewritings else text
            block = b""


def is_list_of_objects(head: bytes) -> bool:
    """Whether a text with this beginning is a JSON list of objects."""
    return _LIST.match(head.decode("utf-8", "replace")) is not None


def object_lines(source: Source) -> Iterator[bytes]:
    """Yield each object of a JSON list as a line of its own."""
    for row, item in enumerate(items_of(source, _LIST), 1):
        try:
            yield json.dumps(item).encode() + b"\n"
        except RecursionError:
            message = f"values of element {row} are nested too deeply"
            hint = "remove the members of each object that are not needed"
            raise source.fault(Code.BROKEN_FORMAT, message, row=row, advice=hint) from None


def in_blocks(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Join pieces of bytes to larger blocks."""
    block = io.BytesIO()
    for piece in pieces:
        block.write(piece)
        if block.tell() >= _BLOCK_BYTES:
            yield block.getvalue()
            block = io.BytesIO()
    yield block.getvalue()
