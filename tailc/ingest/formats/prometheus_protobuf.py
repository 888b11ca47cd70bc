"""What a server answers Prometheus as protobuf: metric families, each after its length.

That is the media type `application/vnd.google.protobuf` with `encoding=delimited`, in which native
histograms are told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

from tailc.errors import Place
from tailc.ingest.cumulative import Cumulative
from tailc.ingest.frames import delimited
from tailc.ingest.messages import Wording, decoded
from tailc.ingest.metric_family import histograms_of
from tailc.ingest.prometheus import format_of_scrapes
from tailc.ingest.scraped import Scraped
from tailc.ingest.wire import WireError, varint
from tailc.traces.source import Source

_AGAIN = "give what the server answered to `Accept: application/vnd.google.protobuf; {}`"
_WORDING = Wording(
    "metric family",
    _AGAIN.format("proto=io.prometheus.client.MetricFamily; encoding=delimited"),
    "scrape fewer series at a time; or it is not what was answered",
)
# A name with its length, and then a help, a type, a metric or a unit.
_NAME = re.compile(
    rb"\x0a(?P<length>.)(?P<name>[a-zA-Z_:][a-zA-Z0-9_:.]*)[\x12\x18\x22\x2a]", re.DOTALL
)


def scrape(source: Source) -> Iterator[Scraped]:
    """The histograms of either kind; a native one where there are both."""
    classic = Cumulative(source)
    rows = count(1)

    def decode(family: bytes) -> Iterator[Scraped]:
        place = Place(source.name, row=next(rows))
        return histograms_of(memoryview(family), classic, place)

    yield from decoded(source, delimited, decode, _WORDING)
    yield from classic.scraped()


def matches(head: bytes) -> bool:
    """Whether it begins with a length, and a family of that length with a name."""
    try:
        length, at = varint(head[:10], 0)
    except WireError:
        return False
    found = _NAME.match(head[at : at + length])
    return found is not None and found["length"][0] == len(found["name"])


FORMATS = (format_of_scrapes("Prometheus protobuf", matches, scrape, loose=True),)
