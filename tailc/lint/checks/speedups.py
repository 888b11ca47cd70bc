"""Checks of speed-ups and of timings."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tailc.errors import Severity
from tailc.lint.defect import Check, Defect, Sighting, first_rows
from tailc.lint.views import SpeedupRows, TimingRows
from tailc.traces.speedup_check import is_superlinear

_NO_GAIN = 1.05
# Less is noise of timings.
_BEND = 0.02
_NOISY, _ENOUGH_TIMINGS = 0.3, 3
_COLDER, _OFTEN = 1.1, 0.8
_TIME_FROM = 2.0
_PERCENT = 50.0


def _bent(curves: SpeedupRows) -> Iterator[Sighting]:
    """A thread that adds more speed-up than the one before it."""
    gains = np.diff(np.concatenate([np.zeros((len(curves.speedup), 1)), curves.speedup], 1))
    found = (np.diff(gains) > _BEND).any(axis=1) & ~_as_times(curves) & ~_as_percent(curves)
    # A superlinear speed-up has its own finding.
    found &= ~is_superlinear(curves.speedup, np.arange(1.0, curves.speedup.shape[1] + 1))
    if found.any():
        first = ", ".join(f"{value:g}" for value in curves.speedup[int(np.argmax(found))][:8])
        message = (
            f"a further thread adds more speed-up than the thread before it: speed-ups are {first}"
        )
        yield Sighting(message, int(found.sum()), first_rows(curves.row, found))


def _flat(curves: SpeedupRows) -> Iterator[Sighting]:
    if curves.speedup.shape[1] > 1 and not _as_times(curves).any():
        most = float(curves.longest.max())
        if most < _NO_GAIN:
            message = (
                f"with the best number of threads, {curves.longest_are} are only "
                f"{most:.3g} times as fast as with one"
            )
            yield Sighting(message)


def _as_times(curves: SpeedupRows) -> np.ndarray:
    """Which rows fall from far above 1, like times."""
    falls = (np.diff(curves.speedup) < 0).all(axis=1)
    return falls & (curves.speedup[:, 0] > _TIME_FROM) & (curves.speedup.shape[1] > 1)


def _times(curves: SpeedupRows) -> Iterator[Sighting]:
    found = _as_times(curves)
    if found.any():
        first = ", ".join(f"{value:g}" for value in curves.speedup[int(np.argmax(found))][:8])
        message = f"speed-ups decrease from far above 1, as run times would: {first}"
        yield Sighting(message, int(found.sum()), first_rows(curves.row, found))


def _as_percent(curves: SpeedupRows) -> np.ndarray:
    return (curves.speedup[:, 0] >= _PERCENT) & (np.diff(curves.speedup) >= 0).all(axis=1)


def _percents(curves: SpeedupRows) -> Iterator[Sighting]:
    found = _as_percent(curves)
    if found.any():
        value = curves.speedup[int(np.argmax(found)), 0]
        message = f"the speed-up at degree 1 is {value:g} instead of 1, as if in percent"
        yield Sighting(message, int(found.sum()), first_rows(curves.row, found))


def _groups(timings: TimingRows) -> tuple[np.ndarray, np.ndarray]:
    """Group (request, degree) of each row, and number of timings in each group."""
    pair = np.stack([timings.request, timings.degree], axis=1)
    _pairs, group, count = np.unique(pair, axis=0, return_inverse=True, return_counts=True)
    return group.ravel(), count


def _noisy(timings: TimingRows) -> Iterator[Sighting]:
    group, count = _groups(timings)
    mean = np.bincount(group, timings.duration_ms) / count
    square = np.bincount(group, timings.duration_ms**2) / count
    spread = np.sqrt(np.maximum(square - mean**2, 0)) / mean
    noisy = (spread > _NOISY) & (count >= _ENOUGH_TIMINGS)
    if noisy.any():
        rows = first_rows(timings.row, noisy[group] & _first_of_each(group))
        message = "timings of the same request and degree differ by "
        message += f"{spread[noisy].max():.0%} of their mean"
        yield Sighting(message, int(noisy.sum()), rows, column=timings.column)


def _first_of_each(group: np.ndarray) -> np.ndarray:
    is_first = np.zeros(len(group), np.bool_)
    is_first[np.unique(group, return_index=True)[1]] = True
    return is_first


def _cold(timings: TimingRows) -> Iterator[Sighting]:
    """Whether almost all first timings are longer than the mean of the later ones."""
    group, count = _groups(timings)
    is_first = _first_of_each(group)
    total = np.bincount(group, timings.duration_ms)
    first = np.bincount(group[is_first], timings.duration_ms[is_first])
    has_more = count >= _ENOUGH_TIMINGS
    later = (total - first)[has_more] / (count[has_more] - 1)
    if len(later) and (first[has_more] > _COLDER * later).mean() > _OFTEN:
        times = float(np.median(first[has_more] / later))
        message = "the first timing of a request and degree is usually "
        message += f"{times:.2f} times the mean of the later ones"
        yield Sighting(message, rows=first_rows(timings.row, is_first), column=timings.column)


def _check(number: int, name: str, severity: Severity, view: type, find, *texts: str) -> Check:
    return Check(Defect(f"TC{1500 + number}", name, severity, *texts), view, find)


_WARNING = Severity.WARNING

CHECKS = (
    _check(
        1,
        "bent-speedup",
        _WARNING,
        SpeedupRows,
        _bent,
        "a thread adds more speed-up than the one before it",
        "lower degrees are skipped, so noise may make a request jump over rungs",
        "repeat the timings; a lasting effect may be the memory of a second socket",
    ),
    _check(
        2,
        "flat-speedup",
        _WARNING,
        SpeedupRows,
        _flat,
        "threads give the longest requests no speed-up",
        "a policy of parallelism cannot shorten the tail",
        "check that the timed code runs on several threads",
    ),
    _check(
        3,
        "times-as-speedups",
        Severity.ERROR,
        SpeedupRows,
        _times,
        "speed-ups look like times",
        "every rung would be slower than the one below",
        "give the times as rows with a degree each, or divide the first time by each",
    ),
    _check(
        4,
        "percent-as-speedup",
        Severity.ERROR,
        SpeedupRows,
        _percents,
        "speed-ups look like percents",
        "every request would be a hundred times shorter",
        "divide them by 100",
    ),
    _check(
        5,
        "noisy-timings",
        _WARNING,
        TimingRows,
        _noisy,
        "timings of one request and degree vary",
        "a speed-up is the ratio of two means, so noise becomes rungs",
        "time on an idle machine with a fixed clock, and repeat more often",
    ),
    _check(
        6,
        "cold-timings",
        _WARNING,
        TimingRows,
        _cold,
        "first timings are longer than later ones",
        "a cold start at degree 1 counts as a speed-up of threads",
        "leave out the first repetition",
    ),
)
