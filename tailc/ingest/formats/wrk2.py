"""Read the output of `wrk2 --latency`, and percentiles printed by HdrHistogram.

A line of the spectrum is a value, the percentile that it reaches, how many requests that is, and 1
/ (1 - percentile); between the four are spaces, or commas in the CSV of HdrHistogram. wrk2 sends at
a rate, and counts from when a request should have been sent; its times are milliseconds. wrk prints
four percentiles of a closed loop, which is refused. vegeta prints percentiles with `report
-type=hdrplot`, and their unit after `Value`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from tailc.errors import Code, Finding, Place, TailcError
from tailc.ingest.format import Format
from tailc.ingest.input_times import InputTimes, Loop
from tailc.ingest.options import InputOptions
from tailc.ingest.percentiles import of_points
from tailc.ingest.texts import TextLine, lines_of, stated_unit
from tailc.traces.counted_times import Grain
from tailc.traces.histogram import MAX_NS
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source

_HEADING = re.compile(
    r'\s*"?Value(?:\((ns|us|µs|ms|s)\))?"?[\s,]+"?Percentile"?[\s,]+"?TotalCount"?[\s,]+'
    r'"?1/\(1-Percentile\)"?\s*$'
)
# A terminal has the command above the output.
_BEGIN = re.compile(rb"(?:[^\n]{0,1000}\n){0,3}?\s*Running [^\n]{1,60} test @ ")
_RUN = re.compile(r"\s*Running .* test @ ")
_COUNT = r"([0-9]{1,15})"
_POINT = re.compile(
    rf"\s*([0-9]+(?:\.[0-9]*)?)\s+([01]\.[0-9]+)\s+{_COUNT}(\s+([0-9.]+|inf|Infinity))?\s*$"
)
# Times out is a connection at each check of it, so that there may be fewer requests than of those.
_LOST = re.compile(
    rf"\s*Socket errors: connect {_COUNT}, read {_COUNT}, write {_COUNT}, timeout {_COUNT}\s*$"
)
_FAILED = re.compile(rf"\s*Non-2xx or 3xx responses: {_COUNT}\s*$")
_NS_PER_MS = 1e6


def is_wrk(head: bytes) -> bool:
    """Whether the input is output of wrk or wrk2."""
    return _BEGIN.match(head) is not None


def is_percentiles(head: bytes) -> bool:
    """Whether the input begins like percentiles printed by HdrHistogram."""
    first = head.lstrip().split(b"\n", 1)[0].decode(errors="replace")
    return _HEADING.match(first) is not None


def read_wrk2(source: Source, _options: InputOptions) -> InputTimes:
    """Read the percentile spectrum of wrk2: times since each request should have been sent."""
    lines = lines_of(source)
    heading = _heading(lines)
    if heading is None:
        raise _without_spectrum(source, lines)
    _refuse_several(source, lines, _RUN)
    failed = [int(found[1]) for line in lines if (found := _FAILED.match(line.text))]
    lost = [
        int(count)
        for line in lines
        if (found := _LOST.match(line.text))
        for count in found.groups()
    ]
    times = _times(source, lines[heading + 1 :], "wrk2 output", TimeUnit.MS, Loop.OPEN)
    return replace(times, failed_among=sum(failed), left_out=sum(lost))


def read_percentiles(source: Source, options: InputOptions) -> InputTimes:
    """Read percentiles printed by HdrHistogram, in the unit of the heading or of the option."""
    lines = lines_of(source)
    heading = _heading(lines)
    assert heading is not None, "the format is known by its heading"
    _refuse_several(source, lines, _HEADING)
    found = _HEADING.match(lines[heading].text)
    named = found and found[1]
    unit = TimeUnit(named.replace("µ", "u")) if named else stated_unit(source, options.unit)
    return _times(source, lines[heading + 1 :], "HdrHistogram percentiles", unit, None)


def _heading(lines: list[TextLine]) -> int | None:
    return next((at for at, line in enumerate(lines) if _HEADING.match(line.text)), None)


def _refuse_several(source: Source, lines: list[TextLine], begin: re.Pattern[str]) -> None:
    """Raise TailcError if more than one run begins in the text."""
    begun = [line for line in lines if begin.match(line.text)]
    if len(begun) > 1:
        message = f"`{source.name}` has the output of {len(begun)} runs, one below the other"
        hint = "write each to a file, and give all files, whose requests are added"
        raise source.fault(Code.BROKEN_FORMAT, message, line=begun[1].number, advice=hint)


def _times(
    source: Source, lines: list[TextLine], name: str, unit: TimeUnit, loop: Loop | None
) -> InputTimes:
    points = list(_points(source, lines, unit.in_ms * _NS_PER_MS))
    if points[-1][1] == 0:
        raise _without_values(source, loop)
    what = "recorded latency" if loop else "values"
    histogram = of_points(points)
    return InputTimes(name, what, unit, Grain.PERCENTILES, loop, histogram, len(points))


def _points(source: Source, lines: list[TextLine], ns_per_unit: float) -> Iterator[tuple[int, int]]:
    """Times [whole ns] and the number of requests up to each, to the line with all requests."""
    ns, total = 0, 0
    for line in lines:
        if not line.text.strip():
            continue
        found = _POINT.match(_with_points(line.text))
        if found is None:
            break
        before = ns, total
        value = float(found[1]) * ns_per_unit
        ns, total = round(min(value, 2 * MAX_NS)), int(found[3])
        if (ns, total) < before or total < before[1] or ns > MAX_NS:
            message = "the percentile spectrum does not rise, or has a value beyond the limits"
            raise _fault(source, line, Code.OUT_OF_RANGE, message)
        yield ns, total
        if float(found[2]) >= 1:
            return
    message = f"`{source.name}` ends before its spectrum is complete"
    raise source.fault(Code.TRUNCATED, message, advice="give the whole output of wrk2")


def _with_points(line: str) -> str:
    """The line with blanks between numbers, and decimal points, whatever the locale writes."""
    cells = line.split()
    has_decimal_commas = len(cells) > 2 and not any(cell.endswith(",") for cell in cells)
    return line.replace(",", "." if has_decimal_commas else " ")


def _without_values(source: Source, loop: Loop | None) -> TailcError:
    message = f"`{source.name}` has percentiles of 0 requests"
    hint = "measure again: no request was answered"
    if loop is Loop.OPEN:
        message += ": wrk2 records nothing in the first 10 s, in which it calibrates"
        hint = "run wrk2 for longer, such as `-d 60s`"
    return source.fault(Code.EMPTY_TRACE, message, advice=hint)


def _without_spectrum(source: Source, lines: list[TextLine]) -> TailcError:
    line = next((line for line in lines if line.text.strip().startswith("50")), lines[0])
    message = (
        f"`{source.name}` has no percentile spectrum. wrk waits for each answer before it sends "
        "again, and prints four percentiles"
    )
    hint = "measure at a rate: `wrk2 -R RATE --latency`, or another generator with an open loop"
    place = Place(source.name, line.number, 1, excerpt=line.text)
    return TailcError(Finding(Code.CLOSED_LOOP, message, place, hint))


def _fault(source: Source, line: TextLine, code: Code, message: str) -> TailcError:
    place = Place(source.name, line.number, 1, excerpt=line.text, width=len(line.text.rstrip()))
    return TailcError(Finding(code, message, place, "give the unchanged output of the tool"))


FORMATS = (
    Format("wrk2 output", is_wrk, read_wrk2),
    Format("HdrHistogram percentiles", is_percentiles, read_percentiles, has_rows=False),
)
