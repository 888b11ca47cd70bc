"""Read answers of a server to Prometheus as text: version 0.0.4 or 1.0.0, or OpenMetrics.

Text has only classic histograms; native ones need protobuf.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tailc.errors import Code, Finding, Place, TailcError
from tailc.ingest.cumulative import COUNT, Cumulative
from tailc.ingest.exposition import LineError, line_of
from tailc.ingest.prometheus import format_of_scrapes
from tailc.ingest.scraped_histograms import BUCKET, ScrapedHistogram
from tailc.traces.source import Source

# Labels of one sample, and its exemplar; and a scrape of a hundred thousand series.
MAX_LINE_BYTES = 1 << 16
MAX_BYTES = 1 << 26
_COMMENT = rb"# (?:HELP|TYPE|UNIT) \S+ "
_SAMPLE = rb'[a-zA-Z_:][a-zA-Z0-9_:]*(?:\{|[ \t]+[-+0-9NI])|\{"'
_HEAD = re.compile(rb"\s*(?:" + _COMMENT + rb"|" + _SAMPLE + rb")")
_FAMILY = re.compile(rb"# TYPE \S+ (?:counter|gauge|histogram|summary|untyped|unknown|info)")
_ANEW = "give the unchanged answer of the server"


def scrape(source: Source) -> Iterator[ScrapedHistogram]:
    """Read the classic histograms of a Prometheus scrape in text format."""
    source.check_whole()
    found = Cumulative(source)
    taken = 0
    for number, line in enumerate(source.lines(MAX_LINE_BYTES), 1):
        taken += len(line)
        _check(source, line, taken, number)
        if (BUCKET.encode() in line or COUNT.encode() in line) and not line.startswith(b"#"):
            _add(found, source, line, number)
    yield from found.histograms()


def _check(source: Source, line: bytes, taken: int, number: int) -> None:
    """Raise TailcError if the line is too long or truncated, or the text too long."""
    if len(line) > MAX_LINE_BYTES or taken > MAX_BYTES:
        what = f"line {number} of `{source.name}` is longer than {MAX_LINE_BYTES:,} bytes"
        if taken > MAX_BYTES:
            what = f"`{source.name}` is longer than the limit for a scrape, {MAX_BYTES:,} bytes"
        raise source.fault(Code.TRACE_TOO_LARGE, what, advice=_ANEW)
    if not line.endswith(b"\n") and line.rstrip() != b"# EOF":
        message = f"`{source.name}` ends in the middle of line {number}"
        raise source.fault(Code.TRUNCATED, message, advice="scrape again, to the end")


def _add(found: Cumulative, source: Source, line: bytes, number: int) -> None:
    text = line.decode("utf-8", "replace").rstrip("\r\n")
    try:
        sample = line_of(text)
    except LineError as error:
        place = Place(source.name, number, error.at + 1, excerpt=text)
        message = f"line is not a sample: {error} is expected here"
        raise TailcError(Finding(Code.BROKEN_FORMAT, message, place, _ANEW)) from None
    place = Place(source.name, number, 1, excerpt=text, width=len(text))
    found.add(sample.name, sample.labels, sample.value, place)


def matches(head: bytes) -> bool:
    """Whether the input begins like a text scrape: metric names, with types or buckets."""
    if _HEAD.match(head) is None:
        return False
    return _FAMILY.search(head) is not None or any(map(_is_bucket, head.splitlines()))


def _is_bucket(line: bytes) -> bool:
    return BUCKET.encode() in line and (b'le="' in line or b'vmrange="' in line)


FORMATS = (format_of_scrapes("Prometheus text", matches, scrape, loose=True),)
