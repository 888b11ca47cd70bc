"""Ticks at round times of a time zone."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

from tailc.forms.plan.plan import LATEST_UNIX_S
from tailc.traces.series.series import SECONDS_PER_DAY, SECONDS_PER_HOUR

# The number of ticks, with dates below them, that fit across a picture.
_MOST_TICKS = 10
_MINUTE_S = 60
_STEPS_S = (
    *(1, 5, 10, 15, 30),
    *(minutes * _MINUTE_S for minutes in (1, 5, 10, 15, 30)),
    *(hours * SECONDS_PER_HOUR for hours in (1, 2, 3, 6, 12)),
    *(days * SECONDS_PER_DAY for days in (1, 2, 7, 14, 28)),
)


class Tick(NamedTuple):
    """A time in Unix seconds and the text below it."""

    unix_s: int
    text: str


def make_ticks(start_unix_s: int, end_unix_s: int, zone: tzinfo) -> list[Tick]:
    """Ticks from start to end at which the zone's clock shows multiples of one step.

    Times that the clock skips have no tick; times that it shows twice have one. The first tick and
    the first of each day have a date below.
    """
    step_s = _step_s(end_unix_s - start_unix_s)
    first_s = start_unix_s + _utc_offset_s(start_unix_s, zone)
    last_s = min(end_unix_s + _utc_offset_s(end_unix_s, zone), LATEST_UNIX_S)
    ticks: list[Tick] = []
    day = None
    for clock_s in range(-(-first_s // step_s) * step_s, last_s + 1, step_s):
        unix_s = _unix_s_at(clock_s, zone)
        if unix_s is not None and start_unix_s <= unix_s <= end_unix_s:
            shown = datetime.fromtimestamp(clock_s, UTC)
            ticks.append(Tick(unix_s, _text(shown, step_s, shown.date() != day)))
            day = shown.date()
    return ticks


def _step_s(length_s: int) -> int:
    """Shortest step that gives few enough ticks; beyond the longest step, a multiple of it."""
    for step_s in _STEPS_S:
        if length_s // step_s < _MOST_TICKS:
            return step_s
    longest_s = _STEPS_S[-1]
    return (length_s // (_MOST_TICKS * longest_s) + 1) * longest_s


def _utc_offset_s(unix_s: int, zone: tzinfo) -> int:
    """Offset of the zone's clock from UTC [s]; 0 beyond the range of the calendar."""
    moment = datetime.fromtimestamp(min(unix_s, LATEST_UNIX_S - SECONDS_PER_DAY), zone)
    offset = moment.utcoffset()
    assert offset is not None
    return offset.days * SECONDS_PER_DAY + offset.seconds


def _unix_s_at(clock_s: int, zone: tzinfo) -> int | None:
    """Unix time at which the zone's clock shows `clock_s`, the first of two; None if it is skipped.

    clock_s: seconds since 1970 on that clock.
    """
    for day_s in (-SECONDS_PER_DAY, SECONDS_PER_DAY):
        unix_s = clock_s - _utc_offset_s(clock_s + day_s, zone)
        if unix_s + _utc_offset_s(unix_s, zone) == clock_s:
            return unix_s
    return None


def _text(shown: datetime, step_s: int, is_new_day: bool) -> str:
    date = shown.date().isoformat()
    if step_s >= SECONDS_PER_DAY:
        return date
    time = shown.strftime("%H:%M" if step_s >= _MINUTE_S else "%H:%M:%S")
    return f"{time}\n{date}" if is_new_day else time
