"""Messages of a file that are decoded one at a time, and what is told where one cannot be."""

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
    """What a message should be, how it is had, and what to do about one that is too long."""

    what: str
    advice: str
    shorter: str


def decoded(
    source: Source,
    messages_of: Callable[[pa.NativeFile], Iterator[bytes]],
    decode: Callable[[bytes], Iterable[T]],
    wording: Wording,
) -> Iterator[T]:
    """What is in every message; TailcError, by its number, where one cannot be read.

    `decode` raises ValueError for a message that is none.
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
    """What is wrong with the message of that number."""
    if isinstance(error, CutError):
        message = f"`{source.name}` ends in the middle of message {row}"
        hint = "copy the file again, or wait until what writes it has ended"
        return source.fault(Code.TRUNCATED, message, row=row, advice=hint)
    if isinstance(error, TooLongError):
        message = f"message {row} {error}"
        return source.fault(Code.TRACE_TOO_LARGE, message, row=row, advice=wording.shorter)
    message = f"message {row} is no {wording.what} ({error})"
    return source.fault(Code.BROKEN_FORMAT, message, row=row, advice=wording.advice)
