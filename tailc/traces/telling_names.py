"""Recognise by their names what the columns of a table contain."""

from __future__ import annotations

import re
from collections.abc import Sequence

TIMES = re.compile(r"(.+)_(ns|us|ms|s)$")
# As in `Elapsed (s)` and `time[ms]`.
_BRACKETED = re.compile(r"(.*\S)\s*(?:\(\s*(\S{1,20})\s*\)|\[\s*(\S{1,20})\s*\])")
_UNIT_WORDS = {
    **dict.fromkeys(("ns", "nsec", "nanosecond", "nanoseconds"), "ns"),
    # The sign of micro, and the Greek letter.
    **dict.fromkeys(("us", "µs", "μs", "usec", "microsecond", "microseconds"), "us"),
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "s"),
    **{unit: unit for unit in ("min", "h", "d", "w", "kw", "mw")},
}
_OF_ENERGY = re.compile(r"([a-z]+)/([km]wh)")
SPEEDUP = re.compile(r"speedup_([0-9]{1,9})$")
_RUNNING = re.compile(
    r"(cum|cumul|cumulative|running)[ _-]?(count|total|sum|n|weight)?", re.IGNORECASE
)
_TOTAL = re.compile(r"total[ _-]?count", re.IGNORECASE)
_OF_PERCENTILES = re.compile(r"percentile|quantile", re.IGNORECASE)
# As in `99%`, `99.9% (us)`, `p95`, `p99_ms` and `latency_p50`, but no `p2` of a column by number.
_PERCENTILE = re.compile(
    r"(?<![0-9.])([0-9.]+)\s*%|(?:^|[^a-z])p([0-9]{2}(?:\.[0-9]+)?|99[0-9]+)(?![a-z0-9])",
    re.IGNORECASE,
)
_MANY_PERCENTILES = 3
_STATISTIC = re.compile(
    r"\b(?:avg|average|mean|median|max|maximum|min|minimum|std ?dev|stdev|std|deviation|"
    r"p ?\d\d+|sample count)\b"
)
_MANY_STATISTICS = 3
_TAIL_PERCENT = 75
# A whole number that is too large to be called a degree, a percentile or a year.
_VALUE = re.compile(r"\s*(?:[3-9][0-9]{3}|[0-9]{5,})\s*")
_OF_A_ROW = re.compile(r"[0-9.]+|column_[0-9]+")
REQUESTS = ("request_id", "query_id", "request", "query", "id")
DEGREES = ("degree", "threads")
_NUMBERED = r"(?:id|key|number|num|no|nr|#)"
_REQUEST_WORDS = (
    re.compile(rf"(?:request|query|job|task|item) ?{_NUMBERED}"),
    re.compile(r"request|query|job|task|item"),
    re.compile(r"id|#"),
)
_OF_TIME = re.compile(r"dur|elaps|latenc|took|respon|delay|time|\b(?:rt|ns|us|ms|s)\b")
_OF_INSTANT = re.compile(r"stamp|date|local|\b(?:iso|start|begin|end|zone)")
_COUNTED = r"(?:threads?|workers?|cores?|cpus?)"
_DEGREE_WORDS = (
    re.compile(r"degree|parallelism|degree of parallelism|dop"),
    re.compile(rf"{_COUNTED} (?:count|used)|(?:n|num|no|nr|number|number of|#|used) ?{_COUNTED}"),
    re.compile(r"threads|workers|cores|cpus"),
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|#")


def first_of(wanted: tuple[str, ...], names: tuple[str, ...]) -> str | None:
    """The first of the names `wanted` that is in `names`; None if none is."""
    return next((name for name in wanted if name in names), None)


def requests_of(names: Sequence[str]) -> tuple[str, ...]:
    """Columns whose names identify a request, such as `query_id` and `Job #`.

    The likeliest comes first.
    """
    return _likeliest(REQUESTS, _REQUEST_WORDS, names)


def degrees_of(names: Sequence[str]) -> tuple[str, ...]:
    """Columns whose names count threads, such as `degree` and `Worker Count`.

    The likeliest comes first.
    """
    return _likeliest(DEGREES, _DEGREE_WORDS, names)


def _likeliest(
    exact: tuple[str, ...], patterns: tuple[re.Pattern[str], ...], names: Sequence[str]
) -> tuple[str, ...]:
    words = {name: " ".join(_WORD.findall(name)).lower() for name in names}
    by_words = [name for each in patterns for name in names if each.fullmatch(words[name])]
    return tuple(dict.fromkeys((*(name for name in exact if name in words), *by_words)))


def times_of(names: tuple[str, ...]) -> dict[str, str]:
    """Unit of time at the end of each column name that has one."""
    return {name: found[2] for name in names if (found := TIMES.match(with_unit_suffix(name)))}


def times_first(names: Sequence[str]) -> tuple[str, ...]:
    """The column names in their order, but those that look like lengths of time come first."""

    def is_other(name: str) -> bool:
        words = " ".join(_WORD.findall(name)).lower()
        return _OF_TIME.search(words) is None or _OF_INSTANT.search(words) is not None

    return tuple(sorted(names, key=is_other))


def with_unit_suffix(name: str) -> str:
    """Rewrite a unit at the end of a column name, such as `(s)` or `[s]`, to `_s`."""
    found = _BRACKETED.fullmatch(name.strip())
    if found is None:
        return name
    word = (found[2] or found[3]).lower()
    of_energy = _OF_ENERGY.fullmatch(word)
    unit = f"{of_energy[1]}_{of_energy[2]}" if of_energy else _UNIT_WORDS.get(word)
    return name if unit is None else f"{found[1]}_{unit}"


def values_in(names: Sequence[str]) -> list[str]:
    """The column names that look like values, which shows that a file has no line of names."""
    return [name for name in names if _VALUE.fullmatch(name)]


def is_of_a_row(name: str) -> bool:
    """Whether the name of a column is a value, or no more than a number: the file has no names."""
    return _OF_A_ROW.fullmatch(name.strip()) is not None


def is_running_total(name: str, names: tuple[str, ...]) -> bool:
    """Whether a column's name says that it counts all rows up to its own (a running total).

    A name such as `total` means this only next to columns of percentiles.
    """
    has_percentiles = any(_OF_PERCENTILES.fullmatch(each) for each in names)
    is_total = _TOTAL.fullmatch(name) is not None
    return _RUNNING.fullmatch(name) is not None or (is_total and has_percentiles)


def is_percentile(name: str, names: tuple[str, ...], *, has_weight: bool = False) -> bool:
    """Whether the name of a column says that it has percentiles of many requests.

    A median may be that of repeated timings of one request. So it means this only if rows have
    weights, or if there are other columns of percentiles. The same holds for names with a per cent
    sign.
    """
    found = _PERCENTILE.search(name)
    if found is None:
        return False
    is_of_tail = found[2] is not None and float(found[2]) >= _TAIL_PERCENT
    many = sum(_PERCENTILE.search(each) is not None for each in names) >= _MANY_PERCENTILES
    return is_of_tail or many or (has_weight and found[2] is not None)


def are_of_spans(names: Sequence[str]) -> bool:
    """Whether columns have ids of spans and of their parents."""
    last = {"".join(_WORD.findall(name)).lower().removeprefix("trace") for name in names}
    return bool(last & {"spanid"}) and bool(last & {"parentid", "parentspanid"})


def statistics_among(names: Sequence[str]) -> tuple[str, ...]:
    """The column names that are statistics of many requests, such as `Average` and `p99`.

    Empty if there are too few to conclude that a row summarises many requests.
    """
    found = tuple(
        name for name in names if _STATISTIC.search(" ".join(_WORD.findall(name)).lower())
    )
    return found if len(found) >= _MANY_STATISTICS else ()


def speedups_of(names: tuple[str, ...]) -> tuple[str, ...]:
    """Columns of speed-ups on 1, 2, ... threads; empty if a number is missing."""
    numbered = {int(found[1]): name for name in names if (found := SPEEDUP.match(name))}
    if sorted(numbered) != list(range(1, len(numbered) + 1)):
        return ()
    return tuple(numbered[degree] for degree in sorted(numbered))
