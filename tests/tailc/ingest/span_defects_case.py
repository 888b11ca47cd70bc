"""Helpers of test_span_defects.py that other tests use too."""

import json

import numpy as np

from tailc.ingest.ingest import ingest
from tests.tailc.ingest.refusal import OPEN, options

T0, MS = 1_700_000_000_000_000_000, 1_000_000
SERVER, CLIENT = 2, 3
TRACE = "5b8efff798038103d269b633813fc60c"


def span(id_, start_ms=0, end_ms=100, kind=SERVER, **more):
    """A span of OTLP JSON."""
    times = {"startTimeUnixNano": T0 + start_ms * MS, "endTimeUnixNano": T0 + end_ms * MS}
    return {"traceId": TRACE, "spanId": f"{id_:016x}", "kind": kind, **times, **more}


def child(id_, parent, start_ms=0, end_ms=100, kind=SERVER):
    return span(id_, start_ms, end_ms, kind, parentSpanId=f"{parent:016x}")


def export(*spans):
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}) + "\n"


def jaeger(*spans, **more):
    return json.dumps({"data": [{"traceID": "7f", "spans": spans, **more}]})


def jaeger_span(id_, start_us=0, duration_us=100_000, references=(), kind="server", **more):
    tags = [{"key": "span.kind", "type": "string", "value": kind}]
    times = {"startTime": T0 // 1000 + start_us, "duration": duration_us}
    named = {"traceID": "7f", "spanID": id_, "references": references, "tags": tags}
    return {**named, **times, **more}


def child_of(id_, trace="7f"):
    return {"refType": "CHILD_OF", "traceID": trace, "spanID": id_}


def times_of(folder, written, **given_options):
    """The times in ns as the profile has them, and the warnings."""
    path = folder / "traces.json"
    path.write_bytes(written if isinstance(written, bytes) else written.encode())
    found = ingest([str(path)], options(**given_options), OPEN)
    histogram = found.counted.histogram
    return np.repeat(histogram.demand_ns, histogram.count).tolist(), found.warnings
