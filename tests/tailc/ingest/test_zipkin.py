"""Spans of Zipkin: the same own times and the same checks as of other tracing systems."""

import json

import numpy as np
import pytest

from tailc.errors import Code
from tailc.ingest.ingest import ingest
from tailc.ingest.options import TimeColumn
from tailc.ingest.stated_measure import StatedMeasure
from tailc.traces.profile import Measure
from tailc.traces.reading import TimeUnit
from tests.tailc.ingest.refusal import OPEN, options, refused

T0_US, MS = 1_700_000_000_000_000, 1_000_000
TRACE = "5b8efff798038103d269b633813fc60c"
CPU = StatedMeasure(Measure.DEMAND_CPU)


def span(id_, start_ms=0, end_ms=100, kind="SERVER", parent=None, **more):
    """A span of version 2; a parent or a kind of None is not written."""
    written = {
        "traceId": TRACE,
        "parentId": None if parent is None else f"{parent:016x}",
        "id": f"{id_:016x}",
        "kind": kind,
        "name": "get /",
        "timestamp": T0_US + start_ms * 1000,
        "duration": (end_ms - start_ms) * 1000,
        "localEndpoint": {"serviceName": "front", "ipv4": "10.0.0.1"},
        **more,
    }
    return {name: value for name, value in written.items() if value is not None}


def times_of(folder, written, stated=OPEN, **given):
    path = folder / "spans.json"
    path.write_text(written if isinstance(written, str) else json.dumps(written))
    found = ingest([str(path)], options(**given), stated)
    histogram = found.counted.histogram
    times_ms = np.repeat(histogram.demand_ns, histogram.count) / MS
    return times_ms.tolist(), [one.code for one in found.warnings], found.inputs[0].times


FAMILY = [span(1), span(2, 10, 70, "CLIENT", 1)]
STEPS = [span(1), span(2, 5, 95, None, 1), span(3, 20, 50, "CLIENT", 2)]


@pytest.mark.parametrize(
    "written",
    [
        json.dumps(FAMILY),
        json.dumps([FAMILY]),
        json.dumps([FAMILY], indent=2),
        json.dumps([[FAMILY[0]], [FAMILY[1]]]),
        json.dumps([[], FAMILY, []]),
        json.dumps([[], [], FAMILY], indent=1),
        json.dumps([{**each, "localEndpoint": None} for each in FAMILY]),
        json.dumps([{**each, "traceId": "d269b633813fc60c"} for each in FAMILY]),
        json.dumps([FAMILY[0], {**FAMILY[1], "traceId": "d269b633813fc60c"}]),
        "\n " + json.dumps([{**each, "tags": None, "shared": False} for each in FAMILY]) + "\n",
    ],
)
def test_an_own_time_is_the_length_without_calls(tmp_path, written):
    times_ms, warnings, read = times_of(tmp_path, written)
    assert times_ms == pytest.approx([40], rel=2**-10)
    assert (warnings, read.format, read.unit) == ([], "Zipkin JSON", TimeUnit.US)


@pytest.mark.parametrize(
    ("spans", "wanted_ms", "codes"),
    [
        ([span(1), span(2, 0, 60, parent=2)], [60, 100], [Code.CYCLIC_SPANS]),
        ([span(1, parent=2), span(2, parent=1), span(3, 0, 7)], [7], [Code.CYCLIC_SPANS]),
        ([span(1), span(1), span(2, 10, 70, "CLIENT", 1)], [40], [Code.SPANS_REPEATED]),
        ([span(1), span(2, duration=None)], [100], [Code.SPANS_LEFT_OUT]),
        ([span(1), span(2, timestamp=None)], [100], [Code.SPANS_LEFT_OUT]),
        ([span(1), span(2, 3, 0)], [100], [Code.SPANS_LEFT_OUT]),
        ([span(1), span(2, 0, 0)], [0.0005, 100], [Code.ZERO_LENGTH]),
        ([span(1), span(2, -50, 20, "CLIENT", 1)], [80], [Code.SKEWED_SPANS]),
        ([span(1), span(3, 20, 50, "CLIENT", 2)], [100], [Code.ORPHAN_SPANS]),
        ([span(1), span(2, tags={"error": "503"})], [100], [Code.FAILED_REQUESTS]),
        ([span(1), span(2, tags={"error": ""})], [100], [Code.FAILED_REQUESTS]),
        ([span(1), span(2, 0, 7, tags={"error": "false", "path": "/"})], [7, 100], []),
        ([span(1), span(2, 10, 30, "PRODUCER", 1)], [80], []),
        (STEPS, [10], [Code.INTERNAL_SPANS]),
    ],
)
def test_spans_are_checked_as_those_of_others(tmp_path, spans, wanted_ms, codes):
    times_ms, warnings, _ = times_of(tmp_path, spans)
    assert times_ms == pytest.approx(wanted_ms, rel=2**-10)
    assert warnings == codes


# The front calls the back, whose clock is 25 ms ahead; both have the id 2, and the back calls 3.
SHARED = [
    span(1),
    span(2, 10, 70, "CLIENT", 1),
    span(2, 40, 90, parent=1, shared=True),
    span(3, 50, 80, "CLIENT", 2),
]


@pytest.mark.parametrize("spans", [SHARED, SHARED[::-1], [SHARED[:2], SHARED[2:]]])
def test_a_server_that_shares_its_id_takes_no_time_from_the_caller_of_its_caller(tmp_path, spans):
    times_ms, warnings, _ = times_of(tmp_path, spans)
    assert times_ms == pytest.approx([20, 40], rel=2**-10)
    assert warnings == []


def test_a_shared_span_without_that_of_its_caller_is_subtracted_itself(tmp_path):
    times_ms, warnings, _ = times_of(tmp_path, [SHARED[0], *SHARED[2:]])
    assert times_ms == pytest.approx([20, 50], rel=2**-10)
    assert warnings == []


def test_steps_of_the_server_count_as_its_own_on_request(tmp_path):
    times_ms, warnings, _ = times_of(tmp_path, STEPS, with_internal=True)
    assert (times_ms, warnings) == (pytest.approx([70], rel=2**-10), [])


def test_a_tag_with_a_processor_time_is_read_as_a_number(tmp_path):
    spans = [span(1, tags={"cpu_us": "31250", "http.path": "/"}), span(2, tags={"cpu_us": "12.5"})]
    times_ms, _, _ = times_of(tmp_path, spans, CPU, attribute="cpu_us", unit=TimeUnit.US)
    assert times_ms == pytest.approx([0.0125, 31.25], rel=2**-10)


@pytest.mark.parametrize(
    ("spans", "code"),
    [
        ([span(1, id="xyz")], Code.BROKEN_FORMAT),
        ([span(1, traceId="0")], Code.BROKEN_FORMAT),
        ([span(1, timestamp="soon")], Code.BROKEN_FORMAT),
        ([span(1, duration=1.5)], Code.BROKEN_FORMAT),
        ([span(1, tags={"error": 1, "x": []}), 7], Code.BROKEN_FORMAT),
        ([span(1, kind="CLIENT")], Code.EMPTY_TRACE),
        ([span(1, tags={"error": "x"})], Code.EMPTY_TRACE),
    ],
)
def test_other_spans_are_refused(tmp_path, spans, code):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(spans))
    assert refused(path).code is code


@pytest.mark.parametrize("cut", [30, 200, 330])
def test_a_list_that_is_cut_is_refused(tmp_path, cut):
    path = tmp_path / "x.json"
    path.write_text(json.dumps([span(id_) for id_ in range(1, 9)])[: 600 + cut])
    assert refused(path).code is Code.TRUNCATED


def test_a_column_of_spans_is_not_counted_as_requests(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(FAMILY))
    found = refused(path, table=TimeColumn("duration"), unit=TimeUnit.US)
    assert (found.code, "are spans" in found.message) == (Code.UNKNOWN_INPUT, True)


LOGGED = {"traceId": TRACE, "id": f"{7:016x}", "kind": "SERVER", "duration": 12.5}


@pytest.mark.parametrize(
    "row",
    [
        {**LOGGED, "path": "/search"},
        {**LOGGED, "id": 7},
        {"level": "info", "msg": "served", **LOGGED, "status": 200},
        {**LOGGED, "localPort": 80},
        {"traceId": 5, "id": "a", "kind": "CLIENT", "duration": 12.5},
    ],
)
def test_a_log_of_requests_with_ids_of_traces_is_a_table(tmp_path, row):
    rows = "".join(json.dumps({**row, "duration": each}) + "\n" for each in (5.5, 7.25))
    table = TimeColumn("duration")
    times_ms, _warnings, read = times_of(tmp_path, rows, CPU, table=table, unit=TimeUnit.MS)
    assert times_ms == pytest.approx([5.5, 7.25], rel=2**-10)
    assert read.format == "a column of NDJSON"
