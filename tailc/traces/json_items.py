"""Read the elements of a JSON array, or successive JSON documents, one at a time.

The size of an element or document is limited.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tailc.errors import Code, TailcError

if TYPE_CHECKING:
    from tailc.traces.source import Source

# What json makes of them is up to thirty times as large.
MAX_ITEM_CHARACTERS = 1 << 23
# An error this near the end of a block is a cut token: json reports the start of a token.
_LONGEST_TOKEN = 16
# The rest of a block is copied after each element, so blocks are small.
_BLOCK_BYTES = 1 << 14
_UNTERMINATED = "Unterminated string"
_DECODER = json.JSONDecoder()


def items_of(source: Source, begin: re.Pattern[str]) -> Iterator[Any]:
    """Yield each element of the array at the beginning of the document.

    `begin` is a pattern that ends with the bracket of the array. Text after the array is ignored.
    Raises TailcError, with the number of the element, if an element is not JSON or is longer than
    MAX_ITEM_CHARACTERS, or if the document ends within the array.
    """
    with source.plain() as stream:
        blocks = _texts(stream)
        text = next(blocks, "")
        found = begin.match(text)
        assert found is not None
        text = _skip_space(text[found.end() :], blocks)
        for row in count(1):
            if text.startswith("]"):
                return
            if row > 1:
                text = _after_comma(text, blocks, source, row)
            item, text = _item(text, blocks, source, f"element {row}", row)
            yield item
            text = _skip_space(text, blocks)


def documents_of(source: Source) -> Iterator[Any]:
    """Yield each JSON document of a text; documents are separated by white space.

    Raises TailcError with the number of the document, as `items_of`.
    """
    with source.plain() as stream:
        blocks = _texts(stream)
        text = _skip_space("", blocks)
        for row in count(1):
            if not text:
                return
            document, text = _item(text, blocks, source, f"document {row}", row)
            yield document
            text = _skip_space(text, blocks)


def _texts(stream: pa.NativeFile) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    while block := stream.read(_BLOCK_BYTES):
        yield decoder.decode(block)


def _skip_space(text: str, blocks: Iterator[str]) -> str:
    """The text from its next character that is not white space; empty at the end of the input."""
    text = text.lstrip()
    while not text and (more := next(blocks, None)) is not None:
        text = more.lstrip()
    return text


def _after_comma(text: str, blocks: Iterator[str], source: Source, row: int) -> str:
    if not text:
        raise _truncated_json(source, f"element {row}", row)
    if not text.startswith(","):
        raise _invalid_json(source, f"element {row}", row)
    return _skip_space(text[1:], blocks)


def _item(text: str, blocks: Iterator[str], source: Source, what: str, row: int) -> tuple[Any, str]:
    """The item at the beginning of the text, and the remaining text; reads more as needed."""
    while True:
        try:
            item, end = _DECODER.raw_decode(text)
            return item, text[end:]
        except json.JSONDecodeError as error:
            is_wrong = error.pos < len(text) - _LONGEST_TOKEN
            if is_wrong and not error.msg.startswith(_UNTERMINATED):
                raise _invalid_json(source, what, row) from None
        except (ValueError, RecursionError):
            raise _invalid_json(source, what, row) from None
        if len(text) > MAX_ITEM_CHARACTERS:
            message = f"{what} is longer than {MAX_ITEM_CHARACTERS:,} characters"
            hint = "check that the file is the right one, or remove the element"
            raise source.fault(Code.TRACE_TOO_LARGE, message, row=row, advice=hint)
        # As much again as there is, so that a long element is not gone through often.
        more = _as_much(min(len(text), MAX_ITEM_CHARACTERS - len(text)), blocks)
        if not more:
            raise _truncated_json(source, what, row)
        text += more


def _as_much(length: int, blocks: Iterator[str]) -> str:
    """More blocks, together longer than `length` unless the input ends."""
    found, total = [], 0
    while total <= length and (more := next(blocks, None)) is not None:
        found.append(more)
        total += len(more)
    return "".join(found)


def _truncated_json(source: Source, what: str, row: int) -> TailcError:
    message = f"`{source.name}` ends in the middle, at {what}"
    return source.fault(Code.TRUNCATED, message, row=row, advice="write or copy the file again")


def _invalid_json(source: Source, what: str, row: int) -> TailcError:
    message = f"{what} is not valid JSON"
    return source.fault(Code.BROKEN_FORMAT, message, row=row, advice="write or copy the file again")
