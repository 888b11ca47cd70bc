"""What times may be taken for, and what a closed loop did not send."""

import codecs
from pathlib import Path

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.ingest.estimate import histogram_with_missing, with_missing
from tailc.ingest.ingest import ingest
from tailc.ingest.options import InputOptions, TimeColumn
from tailc.ingest.stated_measure import StatedMeasure
from tailc.traces.histogram import histogram_of
from tailc.traces.profile import Measure
from tailc.traces.profile_file import written_counted
from tailc.traces.reading import TimeUnit
from tests.tailc.ingest.refusal import options

SAMPLES = Path(__file__).parent / "samples"
ALONE = "one client was alone on the machine"


def said(measure=None, because=None, interval_us=None):
    return StatedMeasure(None if measure is None else Measure(measure), because, interval_us)


def counted(name, words, **given):
    return ingest([str(SAMPLES / name)], options(**given), words).counted


@pytest.mark.parametrize(
    ("name", "words", "code"),
    [
        # An open loop is told; a closed one is refused, and so is one that is called open.
        ("hey.csv", said(), Code.CLOSED_LOOP),
        ("hey.csv", said("response-open"), Code.CLOSED_LOOP),
        ("hey.csv", said("response-closed"), Code.CLOSED_LOOP),
        ("k6.csv", said(), Code.UNSTATED_MEASURE),
        ("k6.csv", said("response-closed"), Code.CLOSED_LOOP),
        ("oha.json", said(), Code.UNSTATED_MEASURE),
        # A response is no demand, unless it is said why.
        ("vegeta.csv", said("demand-busy"), Code.RESPONSE_TIME),
        ("wrk2.txt", said("demand-cpu"), Code.RESPONSE_TIME),
        ("hey.csv", said("demand-busy"), Code.RESPONSE_TIME),
        # What is not a closed loop has nothing to correct.
        ("vegeta.csv", said(interval_us=1_000), Code.USAGE),
        ("hey.csv", said("demand-busy", ALONE, 1_000), Code.USAGE),
        # No estimator adds without end.
        ("hey.csv", said(interval_us=0), Code.OUT_OF_RANGE),
    ],
)
def test_times_are_never_taken_for_what_they_are_not(name, words, code):
    if words.interval_us == 0:
        words = said(interval_us=1)
        name = "k6.csv"  # 221 ms, which is 221,899 intervals
    with pytest.raises(TailcError) as caught:
        counted(name, words)
    (finding,) = caught.value.findings
    assert finding.code is code
    assert finding.help


@pytest.mark.parametrize(
    ("name", "column", "words", "code"),
    [
        ("hey.csv", "response-time", said("demand-busy"), Code.RESPONSE_TIME),
        ("hey.csv", "response-time", said("response-open"), Code.CLOSED_LOOP),
        ("oha.csv", "request-duration", said("demand-cpu"), Code.RESPONSE_TIME),
        ("oha.csv", "request-duration", said("response-closed"), Code.CLOSED_LOOP),
        ("vegeta.json", "latency", said("demand-busy"), Code.RESPONSE_TIME),
    ],
)
def test_a_column_of_responses_is_no_demand_either(name, column, words, code):
    with pytest.raises(TailcError) as caught:
        counted(name, words, table=TimeColumn(column), unit=TimeUnit.MS)
    assert caught.value.findings[0].code is code
    found = counted(name, said("demand-busy", ALONE), table=TimeColumn(column), unit=TimeUnit.MS)
    assert found.origins[0].because == ALONE


def test_a_mark_before_a_table_does_not_hide_what_wrote_it(tmp_path):
    path = tmp_path / "run.csv"
    path.write_bytes(codecs.BOM_UTF8 + (SAMPLES / "hey.csv").read_bytes())
    given = InputOptions(TimeUnit.S, TimeColumn("response-time"))
    with pytest.raises(TailcError) as caught:
        ingest([str(path)], given, said("demand-busy"))
    assert caught.value.findings[0].code is Code.RESPONSE_TIME


def test_a_profile_measures_what_it_says_alone(tmp_path):
    path = tmp_path / "open.profile"
    path.write_bytes(written_counted(counted("vegeta.csv", said())))
    assert (
        ingest([str(path)], InputOptions(), said("response-open")).counted.histogram.requests == 59
    )
    with pytest.raises(TailcError) as caught:
        ingest([str(path)], InputOptions(), said("demand-busy", ALONE))
    assert caught.value.findings[0].code is Code.OTHER_PROFILE


def test_a_log_says_nothing_so_it_must_be_said():
    with pytest.raises(TailcError) as caught:
        counted("ycsb.logV1.hlog", said(), unit=TimeUnit.NS)
    assert caught.value.findings[0].code is Code.UNSTATED_MEASURE
    found = counted("ycsb.logV1.hlog", said("demand-busy"), unit=TimeUnit.NS)
    assert found.measure is Measure.DEMAND_BUSY
    assert found.origins[0].because is None


def test_a_reason_is_recorded_where_a_response_is_taken_for_demand():
    found = counted("vegeta.csv", said("demand-busy", ALONE))
    assert (found.measure, found.origins[0].because) == (Measure.DEMAND_BUSY, ALONE)
    assert ALONE in found.origins[0].sentence


def test_the_estimator_is_recorded_with_what_it_added():
    found = counted("hey.csv", said(interval_us=2_000))
    (origin,) = found.origins
    assert found.measure is Measure.RESPONSE_CLOSED
    assert origin.estimator == "expected-interval 2 ms"
    assert origin.estimated == found.histogram.requests - 59 > 0


def test_missing_requests_wait_an_interval_less_each():
    # 100 ms every 30 ms: 70 and 40 were not sent; 10 would have been, but waits less than 30.
    found = with_missing(histogram_of(np.array([10_000_000, 100_000_000])), 30_000_000)
    exact = [10_000_000, 40_000_000, 70_000_000, 100_000_000]
    assert found.requests == 4
    # The middle of the bucket of 100 ms is up to 2^-11 of that away, and so are what it adds.
    assert found.demand_ns.tolist() == pytest.approx(exact, abs=2 * 100_000_000 * 2**-11)


def test_nothing_is_added_where_nothing_took_longer():
    histogram = histogram_of(np.array([10, 59]))
    assert with_missing(histogram, 30).requests == 2
    assert with_missing(histogram, 29).requests == 3


def rows_of_hey(times_s):
    heading = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,"
    rows = "".join(f"{time},0,0,0,{time},0,200,0\n" for time in times_s)
    return f"{heading}status-code,offset\n{rows}"


def rows_of_k6(times_s):
    rows = "".join(f"http_req_duration,1,{time * 1000},200\n" for time in times_s)
    return f"metric_name,timestamp,metric_value,status\n{rows}"


def rows_of_oha(times_s):
    heading = (SAMPLES / "oha.csv").read_text().splitlines()[0].split(",")
    values = {"status": "200", "status-code": "200"}
    rows = (
        ",".join(
            str(time) if name == "request-duration" else values.get(name, "1") for name in heading
        )
        for time in times_s
    )
    return "\n".join([",".join(heading), *rows]) + "\n"


def missing_ns(times_ns, interval_ns):
    """What is missing, one by one: v - i, v - 2 i, ..., down to i."""
    return [
        waited
        for time in times_ns
        for waited in range(time - interval_ns, interval_ns - 1, -interval_ns)
    ]


LONG_S = [0.001] * 20 + [100.0, 0.7, 0.02, 0.019999999, 3.14159]


@pytest.mark.parametrize(
    ("rows", "given"),
    [
        (rows_of_hey, {}),
        (rows_of_k6, {}),
        (rows_of_oha, {}),
        (rows_of_hey, {"table": TimeColumn("response-time"), "unit": TimeUnit.S}),
        (rows_of_hey, {"table": TimeColumn("response-time", "status-code"), "unit": TimeUnit.S}),
    ],
)
def test_exactly_what_is_documented_is_added(tmp_path, rows, given):
    path = tmp_path / "run.csv"
    path.write_text(rows(LONG_S))
    words = said("response-closed", interval_us=10_000)
    (origin,) = ingest([str(path)], options(**given), words).counted.origins
    times = 200 if given and given["table"].weight else 1
    times_ns = [round(time * 1e9) for time in LONG_S]
    missing = missing_ns(times_ns, 10_000_000)
    assert (origin.estimated, origin.requests) == (
        times * len(missing),
        times * (len(missing) + len(LONG_S)),
    )


def test_a_pause_of_100_s_hides_9999_requests_of_10_ms(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text(rows_of_hey([0.001] * 10_000 + [100.0]))
    found = ingest([str(path)], InputOptions(), said(interval_us=10_000)).counted
    assert (found.origins[0].estimated, found.histogram.requests) == (9_999, 20_000)
    assert found.histogram.quantile_ns(500_000) == pytest.approx(1_000_000, rel=2**-11)


def test_what_is_added_is_spread_as_if_each_had_been_counted():
    times_ns = np.array([100_000_000_000, 700_000_000, 19_999_999])
    found, added = histogram_with_missing(times_ns, 10_000_000)
    missing = missing_ns(times_ns.tolist(), 10_000_000)
    exact = histogram_of(np.array([*times_ns, *missing]))
    assert added == len(missing)
    assert (found.bucket.tolist(), found.count.tolist(), found.min_ns, found.max_ns) == (
        exact.bucket.tolist(),
        exact.count.tolist(),
        exact.min_ns,
        exact.max_ns,
    )


def test_parts_corrected_apart_add_up_to_the_whole_corrected(tmp_path):
    text = (SAMPLES / "hey.csv").read_text().splitlines(keepends=True)
    paths = []
    for part, rows in enumerate((text[1:20], text[20:33], text[33:])):
        paths.append(tmp_path / f"{part}.csv")
        paths[-1].write_text("".join([text[0], *rows]))
    words = said(interval_us=1_000)
    parts = ingest([str(path) for path in paths], InputOptions(), words).counted
    assert written_counted(parts) == written_counted(counted("hey.csv", words))


def test_what_measures_other_things_is_not_added():
    paths = [str(SAMPLES / "vegeta.csv"), str(SAMPLES / "hey.csv")]
    with pytest.raises(TailcError) as caught:
        ingest(paths, InputOptions(), said(interval_us=None, because=None, measure=None))
    assert caught.value.findings[0].code is Code.CLOSED_LOOP
