"""Read answers of a server to Prometheus in protobuf: metric families with their lengths.

The media type is `application/vnd.google.protobuf` with `encoding=delimited`, which includes native
histograms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

from tailc.errors import Place
from tailc.ingest.cumulative import Cumulative
from tailc.ingest.frames import split_messages
from tailc.ingest.messages import Wording, decode_messages
from tailc.ingest.metric_family import histograms_of
from tailc.ingest.prometheus import format_of_scrapes
from tailc.ingest.scraped_histograms import ScrapedHistogram
from tailc.ingest.wire import WireError, varint
from tailc.traces.source import Source

_AGAIN = "give the unchanged answer to `Accept: application/vnd.google.protobuf; {}`"
_WORDING = Wording(
    "metric family",
    _AGAIN.format("proto=io.prometheus.client.MetricFamily; encoding=delimited"),
    "scrape fewer series at a time, or check that the file is not damaged",
)
# A name with its length, and then a help, a type, a metric or a unit.
_NAME = re.compile(
    rb"\x0a(?P<length>.)(?P<name>[a-zA-Z_:][a-zA-Z0-9_:.]*)[\x12\x18\x22\x2a]", re.DOTALL
)


def scrape(source: Source) -> Iterator[ScrapedHistogram]:
    """Read the histograms of a Prometheus scrape in protobuf encoding.

    If a metric has a native histogram and one with fixed buckets, the native one is read.
    """
    classic = Cumulative(source)
    rows = count(1)

    def decode(family: bytes) -> Iterator[ScrapedHistogram]:
        place = Place(source.name, row=next(rows))
        return histograms_of(memoryview(family), classic, place)

    yield from decode_messages(source, split_messages, decode, _WORDING)
    yield from classic.histograms()


def matches(head: bytes) -> bool:
    """Whether the input begins like a protobuf scrape: a length, then a metric family."""
    try:
        length, at = varint(head[:10], 0)
    except WireError:
        return False
    found = _NAME.match(head[at : at + length])
    return found is not None and found["length"][0] == len(found["name"])


FORMATS = (format_of_scrapes("Prometheus protobuf", matches, scrape, loose=True),)
