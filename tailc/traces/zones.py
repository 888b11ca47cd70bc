"""Convert texts of times to Unix seconds, with time zones.

A time zone is an IANA name such as `America/Denver`, an offset such as `-07:00`, or `UTC`.
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
ADVICE = "give a time zone such as `America/Denver`, `-07:00` or `UTC`"


class TimeError(ValueError):
    """Error: a text is not a time or time zone; `index` is the position of the text in a list."""

    def __init__(self, message: str, index: int = 0, lacks_zone: bool = False) -> None:
        super().__init__(message)
        self.index = index
        self.lacks_zone = lacks_zone


@dataclass(frozen=True)
class ClockTimes:
    """Times in Unix seconds, and the changes of the clock of their time zone.

    unix_s: int64, one per text. back_at, forward_at: index of the first time after each change of
    the clock between the first and the last time.
    """

    unix_s: NDArray[np.int64]
    back_at: tuple[int, ...] = ()
    forward_at: tuple[int, ...] = ()


def zone_of(name: str) -> tzinfo:
    """The time zone with this name; raises TimeError if there is none."""
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
        raise TimeError(f"`{name}` is not a time zone") from None


def utc_text(unix_s: int) -> str:
    """Format a time as `2012-11-04T06:00Z`, with seconds only if they are not 0."""
    time = datetime.fromtimestamp(unix_s, UTC).replace(tzinfo=None)
    return time.isoformat(timespec="seconds" if time.second else "minutes") + "Z"


def instant(text: str, zone: str | None = None) -> int:
    """Convert one text to Unix seconds; the first occurrence if the clock repeats the hour."""
    return int(instants([text], zone).unix_s[0])


def instants(
    texts: Sequence[str], zone: str | None = None, pattern: str | None = None
) -> ClockTimes:
    """Convert texts to Unix seconds, from ISO 8601 or the `strptime` pattern `pattern`.

    Times without an offset are in `zone`. If the clock goes back, an hour occurs twice: the order
    of rows determines the occurrence, and the first one is used if the hour occurs once. Raises
    TimeError for texts that are not times, times without a time zone, hours that the clock skips,
    and fractions of a second.
    """
    times = [_parse_time(text, index, pattern) for index, text in enumerate(texts)]
    lacking = next((i for i, time in enumerate(times) if time.tzinfo is None), None)
    if lacking is None:
        return ClockTimes(np.array([_unix(time) for time in times], dtype=np.int64))
    if zone is None:
        message = f"the time `{texts[lacking]}` has no time zone"
        raise TimeError(message, lacking, lacks_zone=True)
    return _local(times, texts, zone_of(zone))


def _parse_time(text: str, index: int, pattern: str | None) -> datetime:
    try:
        time = datetime.fromisoformat(text) if pattern is None else datetime.strptime(text, pattern)
    except ValueError:
        raise TimeError(f"`{text}` is not a time", index) from None
    if time.microsecond:
        raise TimeError(f"`{text}` has fractions of a second, which are not accepted", index)
    return time


def _unix(time: datetime) -> int:
    return (time - UNIX_EPOCH) // _SECOND


def _local(times: Sequence[datetime], texts: Sequence[str], zone: tzinfo) -> ClockTimes:
    """Local times in Unix seconds; a repeated hour is its second occurrence after times go back."""
    unix_s = np.empty(len(times), dtype=np.int64)
    back_at, forward_at = [], []
    offset_before: timedelta | None = None
    for index, time in enumerate(times):
        local = time if time.tzinfo else time.replace(tzinfo=zone)
        at = _unix(local)
        if time.tzinfo is None:
            if _is_skipped(local, at):
                message = f"`{texts[index]}` does not exist: the clock of `{zone}` skips it"
                raise TimeError(message, index)
            if index and at <= unix_s[index - 1]:
                local = local.replace(fold=1)
                at = _unix(local)
        offset = local.utcoffset()
        assert offset is not None
        if offset_before is not None and offset != offset_before:
            (forward_at if offset > offset_before else back_at).append(index)
        unix_s[index], offset_before = at, offset
    return ClockTimes(unix_s, tuple(back_at), tuple(forward_at))


def _is_skipped(local: datetime, unix_s: int) -> bool:
    """Whether the clock of the time zone skips this time: it converts back to another one."""
    shown = datetime.fromtimestamp(unix_s, local.tzinfo)
    return shown.replace(tzinfo=None) != local.replace(tzinfo=None)
