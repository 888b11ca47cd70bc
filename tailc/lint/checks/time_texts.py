"""Checks of times as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

import numpy as np

from tailc.errors import Severity
from tailc.lint.defect import Sighting, check, first_rows
from tailc.lint.views import TimeTexts

_SLASHED = re.compile(r"^\s*[0-9]{1,2}[/.][0-9]{1,2}[/.][0-9]{2,4}\b")
_ZONED = re.compile(r"(Z|[+-][0-9]{2}:?[0-9]{2}|UTC|GMT)\s*$")
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ]00:00(:00(\.0+)?)?Z?)?\s*$")
_LEAP = re.compile(r":[0-9]{2}:60(\D|$)")
_HALVES = re.compile(r"[0-9]:[0-9]{2}(:[0-9]{2})?\s*[aApP]\.?[mM]\.?\s*$")


def _those(view: TimeTexts, pattern: re.Pattern[str]) -> np.ndarray:
    return np.array([pattern.search(text or "") is not None for text in view.texts], np.bool_)


def _sighting_of(view: TimeTexts, found: np.ndarray, what: str) -> Iterator[Sighting]:
    if found.any():
        message = f"time `{view.texts[int(np.argmax(found))]}` {what}"
        rows = first_rows(view.row, found)
        yield Sighting(message, int(found.sum()), rows, column=view.column)


def _slashed_dates(view: TimeTexts) -> Iterator[Sighting]:
    yield from _sighting_of(view, _those(view, _SLASHED), "may have the day or the month first")


def _halves(view: TimeTexts) -> Iterator[Sighting]:
    yield from _sighting_of(view, _those(view, _HALVES), "is on a 12-hour clock")


def _leap(view: TimeTexts) -> Iterator[Sighting]:
    yield from _sighting_of(view, _those(view, _LEAP), "is in a leap second")


def _partly_zoned(view: TimeTexts) -> Iterator[Sighting]:
    iso = _those(view, _ISO)
    zoned = iso & _those(view, _ZONED)
    if zoned.any() and not zoned[iso].all():
        bare = iso & ~zoned
        found = bare if bare.sum() <= zoned.sum() else zoned
        yield from _sighting_of(
            view, found, "differs from most others in whether it has a time zone"
        )


def _zoneless(view: TimeTexts) -> Iterator[Sighting]:
    iso = _those(view, _ISO)
    if iso.any() and not (iso & _those(view, _ZONED)).any():
        yield from _sighting_of(view, iso, "has no time zone")


def _dates(view: TimeTexts) -> Iterator[Sighting]:
    found = _those(view, _DATE)
    if len(found) > 1 and found.all():
        yield from _sighting_of(view, found, "is a date without a time of day")


_check = partial(check, TimeTexts, 1420)

CHECKS = (
    _check(
        1,
        "slashed-date",
        Severity.ERROR,
        _slashed_dates,
        "a date may have the day or the month first",
        "days and months may be swapped, so seasons and gaps are wrong",
        "write times like 2012-10-01T06:30:00Z",
    ),
    _check(
        2,
        "twelve-hours",
        Severity.ERROR,
        _halves,
        "a time is on a 12-hour clock",
        "it cannot be read; without am or pm it may be wrong by half a day",
        "write times like 2012-10-01T18:30:00Z",
    ),
    _check(
        3,
        "leap-second",
        Severity.WARNING,
        _leap,
        "a time is in a leap second",
        "Unix time does not have it, so the file is refused because of one row",
        "write the next second instead",
    ),
    _check(
        4,
        "partly-zoned",
        Severity.ERROR,
        _partly_zoned,
        "some times have a time zone, and others have none",
        "times without a time zone can be wrong by hours",
        "write all of them with an offset, or in UTC",
    ),
    _check(
        5,
        "zoneless-times",
        Severity.NOTE,
        _zoneless,
        "no time has a time zone",
        "where the clock changes, an hour is missing or repeated",
        "write them with an offset, or state the time zone in the spec",
    ),
    _check(
        6,
        "dates-alone",
        Severity.WARNING,
        _dates,
        "times are dates without a time of day",
        "all requests of a day arrive at once",
        "log the time of day too",
    ),
)
