"""Load generators that sent as answers came are recognised by the times in their rows."""

import json
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.ingest.ingest import ingest
from tailc.ingest.input_times import Loop
from tailc.ingest.options import InputOptions, TimeColumn
from tailc.ingest.responses import refuse_responses
from tailc.ingest.stated_measure import StatedMeasure
from tailc.lint.lint import lint
from tailc.lint.roles import TraceOptions
from tailc.traces.profile import Measure
from tailc.traces.reading import TimeUnit, ValueMeaning
from tailc.traces.source import open_source
from tests.tailc.ingest.refusal import OPEN, options, refused
from tests.tailc.traces.closed_loop_case import closed, latencies

T0 = datetime(2023, 11, 14, 22, 13, 20, tzinfo=timezone(timedelta(hours=1)))
T0_NS = 1_700_000_000_000_000_000
ALONE = StatedMeasure(Measure.DEMAND_BUSY, "one client was alone on the machine")


def vegeta_json(at_ns, latency_ns):
    rows = (
        {
            "attack": "",
            "seq": row,
            "code": 200,
            "timestamp": (T0 + timedelta(microseconds=at / 1000)).isoformat(),
            "latency": round(latency),
        }
        for row, (at, latency) in enumerate(zip(at_ns, latency_ns, strict=True))
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


def vegeta_csv(at_ns, latency_ns):
    return "".join(
        f"{T0_NS + round(at)},200,{round(latency)},0,5,,,,{row},GET,http://h/,\n"
        for row, (at, latency) in enumerate(zip(at_ns, latency_ns, strict=True))
    )


def oha_csv(at_ns, latency_ns):
    head = "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n"
    rows = zip(at_ns / 1e9, latency_ns / 1e9, strict=True)
    return head + "".join(f"{at:.9f},0,0,0,{latency:.9f},5,200\n" for at, latency in rows)


def at_a_rate(latency_ms):
    gaps = np.random.default_rng(1).exponential(4, len(latency_ms))
    return np.cumsum(gaps) * 1e6, latency_ms * 1e6


def written(folder, text):
    path = folder / "run"
    path.write_text(text)
    return path


@pytest.mark.parametrize("clients", [1, 4])
@pytest.mark.parametrize("writer", [vegeta_json, vegeta_csv, oha_csv])
def test_a_closed_loop_is_refused_and_can_be_corrected(tmp_path, writer, clients):
    path = written(tmp_path, writer(*closed(clients, latencies("stalled"))))
    for stated in (StatedMeasure(), OPEN):
        found = refused(path, stated)
        assert found.code is Code.CLOSED_LOOP
        assert "requests that would have waited were" in found.message
    corrected = ingest([str(path)], options(), StatedMeasure(interval_us=10_000)).counted
    assert corrected.measure is Measure.RESPONSE_CLOSED
    assert corrected.origins[0].estimated > 0
    assert ingest([str(path)], options(), ALONE).counted.measure is Measure.DEMAND_BUSY


@pytest.mark.parametrize("writer", [vegeta_json, vegeta_csv])
def test_a_run_at_a_rate_needs_no_measure(tmp_path, writer):
    path = written(tmp_path, writer(*at_a_rate(latencies("stalled"))))
    (found,) = ingest([str(path)], options(), StatedMeasure()).inputs
    assert found.times.loop is Loop.OPEN


def test_rows_of_several_workers_are_in_the_order_of_their_answers(tmp_path):
    at, latency = closed(4, latencies("exponential"))
    order = np.argsort(at + latency)
    path = written(tmp_path, vegeta_json(at[order], latency[order]))
    assert refused(path).code is Code.CLOSED_LOOP


@pytest.mark.parametrize(
    ("writer", "column", "unit"),
    [(vegeta_json, "latency", TimeUnit.NS), (oha_csv, "request-duration", TimeUnit.S)],
)
def test_a_column_of_a_closed_loop_is_no_open_one(tmp_path, writer, column, unit):
    path = written(tmp_path, writer(*closed(1, latencies("exponential"))))
    given = {"table": TimeColumn(column), "unit": unit}
    assert refused(path, **given).code is Code.CLOSED_LOOP
    path.write_text(writer(*at_a_rate(latencies("exponential"))))
    assert ingest([str(path)], options(**given), OPEN).counted.measure is Measure.RESPONSE_OPEN


def test_a_spec_that_calls_a_closed_loop_open_is_refused(tmp_path):
    measured = ValueMeaning(Measure.RESPONSE_OPEN, "", TimeUnit.NS)
    path = written(tmp_path, vegeta_json(*closed(1, latencies("exponential"))))
    with open_source(str(path)) as source, pytest.raises(TailcError) as caught:
        refuse_responses(source, measured)
    assert caught.value.findings[0].code is Code.CLOSED_LOOP
    path.write_text(vegeta_json(*at_a_rate(latencies("exponential"))))
    with open_source(str(path)) as source:
        refuse_responses(source, measured)


def test_lint_finds_a_closed_loop_in_what_vegeta_wrote(tmp_path):
    path = written(tmp_path, vegeta_json(*closed(1, latencies("stalled"))))
    assert [each.code for each in lint(str(path), TraceOptions()).findings] == [Code.CLOSED_LOOP]
    path.write_text(vegeta_json(*at_a_rate(latencies("stalled"))))
    assert lint(str(path), TraceOptions()).exit_code.value == 0


def test_times_that_cannot_be_read_are_left_to_the_reader(tmp_path):
    text = vegeta_json(*closed(1, latencies("exponential")))
    path = written(tmp_path, text.replace('"timestamp": "20', '"timestamp": "x20'))
    found = ingest([str(path)], InputOptions(), StatedMeasure()).inputs[0]
    assert found.times.loop is Loop.OPEN
    path.write_text(text.replace('"latency": ', '"latency": -', 1))
    assert refused(path).code is Code.NOT_POSITIVE


def stepped(at_ns, latency_ns, *steps_s):
    """The times of a clock that goes back by so much, evenly over the run."""
    parts = np.array_split(np.arange(len(at_ns)), len(steps_s) + 1)
    back_s = np.concatenate([[0], np.cumsum(steps_s)])
    at_ns = at_ns.copy()
    for part, back in zip(parts, back_s, strict=True):
        at_ns[part] -= back * 1e9
    return at_ns, latency_ns


@pytest.mark.parametrize("writer", [vegeta_json, vegeta_csv])
@pytest.mark.parametrize(
    ("steps_s", "told"),
    [((0.5,), "1 time while"), ((3600,), "by up to 3.6e+03 s"), ((1, 2), "2 times while")],
)
def test_a_clock_that_goes_back_is_told_by_ingest_and_by_lint(tmp_path, writer, steps_s, told):
    run = stepped(*at_a_rate(latencies("exponential")), *steps_s)
    path = written(tmp_path, writer(*run))
    (warning,) = ingest([str(path)], options(), StatedMeasure()).warnings
    assert (warning.code, told in warning.message) == (Code.CLOCK_STEP, True)
    after = -(-len(run[0]) // (len(steps_s) + 1)) + 1
    assert (warning.place.row, warning.place.field) == (after, "timestamp")
    assert Code.CLOCK_STEP in [one.code for one in lint(str(path), TraceOptions()).findings]


@pytest.mark.parametrize("writer", [vegeta_json, vegeta_csv])
@pytest.mark.parametrize("clients", [1, 4])
def test_a_closed_loop_shows_between_the_steps_of_the_clock(tmp_path, writer, clients):
    run = stepped(*closed(clients, latencies("exponential")), 0.3)
    found = refused(written(tmp_path, writer(*run)), StatedMeasure())
    assert found.code is Code.CLOSED_LOOP


@pytest.mark.parametrize("writer", [vegeta_json, vegeta_csv])
def test_requests_in_the_order_of_their_ends_are_no_step(tmp_path, writer):
    at_ns, latency_ns = at_a_rate(latencies("stalled"))
    lines = writer(at_ns, latency_ns).splitlines(keepends=True)
    path = written(tmp_path, "".join(lines[row] for row in np.argsort(at_ns + latency_ns)))
    assert ingest([str(path)], options(), StatedMeasure()).warnings == ()


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + text,
        lambda text: text.replace('"seq"', '"number"'),
        lambda text: text.replace('"seq": 7,', ""),
    ],
)
def test_without_the_order_of_sending_no_step_is_told(tmp_path, change):
    run = stepped(*at_a_rate(latencies("exponential")), 0.5)
    path = written(tmp_path, change(vegeta_json(*run)))
    assert ingest([str(path)], options(), StatedMeasure()).warnings == ()
