"""Decode the messages of a file one at a time, with errors for unreadable ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import TypeVar

import pyarrow as pa

from tailc.errors import Code, TailcError
from tailc.ingest.frames import CutError, TooLongError
from tailc.traces.source import Source

T = TypeVar("T")


@dataclass(frozen=True)
class Wording:
    """Texts for error messages about the encoded messages in a file.

    what: what a message should be. advice: how the user gets such a message. shorter: advice for a
    message that is too long.
    """

    what: str
    advice: str
    shorter: str


def decode_messages(
    source: Source,
    messages_of: Callable[[pa.NativeFile], Iterator[bytes]],
    decode: Callable[[bytes], Iterable[T]],
    wording: Wording,
) -> Iterator[T]:
    """Decode all encoded messages in a file.

    messages_of: splits a stream into messages. decode: raises ValueError for an unreadable message,
    which becomes a TailcError with the number of the message.
    """
    source.check_whole()
    with source.plain() as stream:
        messages = messages_of(stream)
        for row in count(1):
            try:
                message = next(messages, None)
                if message is None:
                    return
                yield from decode(message)
            except ValueError as error:
                raise _fault(source, row, error, wording) from None


def _fault(source: Source, row: int, error: ValueError, wording: Wording) -> TailcError:
    """The error about the message with this number."""
    if isinstance(error, CutError):
        message = f"`{source.name}` ends in the middle of message {row}"
        hint = "copy the file again, or wait until the program that writes it has ended"
        return source.fault(Code.TRUNCATED, message, row=row, advice=hint)
    if isinstance(error, TooLongError):
        message = f"message {row} {error}"
        return source.fault(Code.TRACE_TOO_LARGE, message, row=row, advice=wording.shorter)
    message = f"message {row} is not a valid {wording.what} ({error})"
    return source.fault(Code.BROKEN_FORMAT, message, row=row, advice=wording.advice)
