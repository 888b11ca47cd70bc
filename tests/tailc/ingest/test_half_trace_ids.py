"""Traces of which some spans have half the id, as tracers with ids of 64 bits pass them on."""

import json

import numpy as np
import pytest

from tailc.ingest.ingest import ingest
from tests.tailc.ingest.refusal import OPEN, options

T0_US = 1_700_000_000_000_000
WHOLE, HALF = "7ca373f7c7e0f17df9965485593768ce", "f9965485593768ce"
OTHER = "0000000000000001f9965485593768ce"


def span(trace, id_, parent, kind, start_ms, length_ms, of=None):
    references = [{"refType": "CHILD_OF", "traceID": of or trace, "spanID": parent}]
    return {
        "traceID": trace,
        "spanID": id_,
        "references": references if parent else [],
        "startTime": T0_US + start_ms * 1000,
        "duration": length_ms * 1000,
        "tags": [{"key": "span.kind", "value": kind}],
    }


def own_ms(folder, *spans):
    path = folder / "traces.json"
    path.write_text(json.dumps({"data": [{"traceID": "1", "spans": spans}]}))
    histogram = ingest([str(path)], options(), OPEN).counted.histogram
    return sorted((np.repeat(histogram.demand_ns, histogram.count) / 1e6).tolist())


SERVER = span(WHOLE, "a1", "", "server", 0, 100)


@pytest.mark.parametrize(
    ("spans", "wanted_ms"),
    [
        ([SERVER, span(WHOLE, "b1", "a1", "client", 10, 60)], [40]),
        ([SERVER, span(HALF, "b1", "a1", "client", 10, 60)], [40]),
        ([span(HALF, "b1", "a1", "client", 10, 60), SERVER], [40]),
        ([SERVER, span(HALF, "b1", "a1", "client", 10, 60, of=WHOLE)], [40]),
        ([SERVER, span(WHOLE, "b1", "a1", "client", 10, 60, of=HALF)], [40]),
        (
            [
                SERVER,
                span(HALF, "b1", "a1", "client", 10, 60),
                span(HALF, "c1", "b1", "server", 15, 50),
                span(WHOLE, "d1", "c1", "client", 20, 30),
            ],
            [20, 40],
        ),
        ([span(HALF, "a1", "", "server", 0, 100), span(WHOLE, "b1", "a1", "client", 10, 60)], [40]),
        # The half does not say which of two traces it is of.
        (
            [
                SERVER,
                span(OTHER, "a1", "", "server", 0, 100),
                span(HALF, "b1", "a1", "client", 10, 60),
            ],
            [100, 100],
        ),
        ([SERVER, span(HALF[:-1] + "f", "b1", "a1", "client", 10, 60)], [100]),
        ([SERVER, span(WHOLE, "b1", "a1", "client", 10, 60, of=OTHER)], [100]),
    ],
)
def test_half_an_id_is_of_the_trace_that_ends_in_it(tmp_path, spans, wanted_ms):
    # A bucket is 1/1024 of its value wide.
    assert own_ms(tmp_path, *spans) == pytest.approx(wanted_ms, rel=2**-10)
