"""Zones of time, and texts of times made into Unix seconds.

A zone is an IANA name such as `America/Denver`, an offset such as `-07:00`, or `UTC`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

_OFFSET = re.compile(r"([+-])(\d{2}):?(\d{2})")
UNIX_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = timedelta(seconds=1)
ADVICE = "name a zone such as `America/Denver`, `-07:00` or `UTC`"


class TimeError(ValueError):
    """A text is no time, or no zone; `index` is which text of several."""

    def __init__(self, message: str, index: int = 0, lacks_zone: bool = False) -> None:
        super().__init__(message)
        self.index = index
        self.lacks_zone = lacks_zone


@dataclass(frozen=True)
class Clocked:
    """Times in Unix seconds, and what the clock of their zone did.

    unix_s: int64, one a text. back_at, forward_at: of the changes of the clock between the first
    and the last, the indices of the first time after each.
    """

    unix_s: NDArray[np.int64]
    back_at: tuple[int, ...] = ()
    forward_at: tuple[int, ...] = ()


def zone_of(name: str) -> tzinfo:
    """The zone of that name; TimeError where there is none."""
    if match := _OFFSET.fullmatch(name):
        sign = -1 if match[1] == "-" else 1
        ahead = sign * timedelta(hours=int(match[2]), minutes=int(match[3]))
        if abs(ahead) < timedelta(days=1):
            return timezone(ahead)
    if name.upper() in ("UTC", "Z"):
        return UTC
    try:
        return ZoneInfo(name)
    # ZoneInfoNotFoundError is a KeyError; a path is a ValueError, a folder an OSError.
    except (KeyError, ValueError, OSError):
        raise TimeError(f"`{name}` is not a zone of time") from None


def utc_text(unix_s: int) -> str:
    """A time as `2012-11-04T06:00Z`, with seconds only where it has some."""
    time = datetime.fromtimestamp(unix_s, UTC).replace(tzinfo=None)
    return time.isoformat(timespec="seconds" if time.second else "minutes") + "Z"


def instant(text: str, zone: str | None = None) -> int:
    """A single time in Unix seconds; where the clock repeats an hour, its first pass."""
    return int(instants([text], zone).unix_s[0])


def instants(texts: Sequence[str], zone: str | None = None, pattern: str | None = None) -> Clocked:
    """Times in Unix seconds, each a text in ISO 8601, or as `pattern` of strptime has it.

    Times that state an offset mean what they state; the others are in `zone`. Where its clock goes
    back, an hour comes twice: the rows' order tells which pass a time is of, and where it comes
    once only, it is the first pass. Raises TimeError for texts that are no time, times with no
    zone, hours that the clock skips, and fractions of a second.
    """
    times = [_parsed(text, index, pattern) for index, text in enumerate(texts)]
    lacking = next((i for i, time in enumerate(times) if time.tzinfo is None), None)
    if lacking is None:
        return Clocked(np.array([_unix(time) for time in times], dtype=np.int64))
    if zone is None:
        message = f"`{texts[lacking]}` does not say in which zone it is"
        raise TimeError(message, lacking, lacks_zone=True)
    return _local(times, texts, zone_of(zone))


def _parsed(text: str, index: int, pattern: str | None) -> datetime:
    try:
        time = datetime.fromisoformat(text) if pattern is None else datetime.strptime(text, pattern)
    except ValueError:
        raise TimeError(f"`{text}` is not a time", index) from None
    if time.microsecond:
        raise TimeError(f"`{text}` is not on a whole second", index)
    return time


def _unix(time: datetime) -> int:
    return (time - UNIX_EPOCH) // _SECOND


def _local(times: Sequence[datetime], texts: Sequence[str], zone: tzinfo) -> Clocked:
    """Of local times, the second pass of a repeated hour is where they go back."""
    unix_s = np.empty(len(times), dtype=np.int64)
    back_at, forward_at = [], []
    offset_before: timedelta | None = None
    for index, time in enumerate(times):
        local = time if time.tzinfo else time.replace(tzinfo=zone)
        at = _unix(local)
        if time.tzinfo is None:
            if _is_skipped(local, at):
                message = f"the clock of `{zone}` skips `{texts[index]}`"
                raise TimeError(message, index)
            if index and at <= unix_s[index - 1]:
                local = local.replace(fold=1)
                at = _unix(local)
        offset = local.utcoffset()
        assert offset is not None
        if offset_before is not None and offset != offset_before:
            (forward_at if offset > offset_before else back_at).append(index)
        unix_s[index], offset_before = at, offset
    return Clocked(unix_s, tuple(back_at), tuple(forward_at))


def _is_skipped(local: datetime, unix_s: int) -> bool:
    """Whether no clock of the zone ever shows the time: it comes back as another one."""
    shown = datetime.fromtimestamp(unix_s, local.tzinfo)
    return shown.replace(tzinfo=None) != local.replace(tzinfo=None)
