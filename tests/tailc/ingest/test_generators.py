"""What load generators write when a run is short, old, cut off or configured otherwise."""

import csv
import io
import json

import pytest

from tailc.errors import Code
from tailc.ingest.ingest import ingest
from tailc.ingest.input_times import Loop
from tailc.ingest.options import TimeColumn
from tailc.ingest.stated_measure import StatedMeasure
from tailc.traces.profile import Measure
from tailc.traces.reading import (
    TimeUnit,
)
from tests.tailc.ingest.generators_case import near, read, written
from tests.tailc.ingest.refusal import OPEN, options, refused

ALONE = StatedMeasure(Measure.DEMAND_BUSY, "one client was alone on the machine")
BUSY = StatedMeasure(Measure.DEMAND_BUSY)


HEY = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read"
OLD_HEY = f"{HEY}\n0.0048,0,0,0,0.0039,0\n0.0215,0,0,0,0.0213,0\n"


@pytest.mark.parametrize("text", [OLD_HEY, "\n" + OLD_HEY, OLD_HEY.replace("\n", "\r\n")])
def test_hey_without_status_is_hey_all_the_same(tmp_path, text):
    path = written(tmp_path, text)
    assert refused(path).code is Code.CLOSED_LOOP
    assert refused(path, BUSY).code is Code.RESPONSE_TIME
    column = {"table": TimeColumn("response-time"), "unit": TimeUnit.S}
    assert refused(path, BUSY, **column).code is Code.RESPONSE_TIME
    assert refused(path, OPEN, **column).code is Code.CLOSED_LOOP
    times, found, warnings = read(path, ALONE)
    assert (times, found.loop) == (near([4.8, 21.5]), Loop.CLOSED)
    assert warnings == [Code.FAILED_REQUESTS, Code.CLOSED_AS_DEMAND]


def test_hey_with_status_has_no_warning_about_it(tmp_path):
    text = OLD_HEY.replace("\n", ",200\n").replace("read,200", "read,status-code")
    _, _, warnings = read(written(tmp_path, text), ALONE)
    assert warnings == [Code.CLOSED_AS_DEMAND]


def point(ms, **tags):
    data = {"time": "2026-01-02T03:04:05.6+01:00", "value": ms, "tags": tags}
    return {"metric": "http_req_duration", "type": "Point", "data": data}


def k6_json(*points):
    return "".join(json.dumps(each) + "\n" for each in points)


def k6_csv(*points):
    """The same samples as CSV, with a column for each tag that one of them has."""
    names = list(dict.fromkeys(name for each in points for name in each["data"]["tags"]))
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["metric_name", "timestamp", "metric_value", *names])
    for each in points:
        tags = each["data"]["tags"]
        row = [tags.get(name, "") for name in names]
        writer.writerow([each["metric"], 1767319445, each["data"]["value"], *row])
    return file.getvalue()


UNTAGGED = point(12.5)
UNTAGGED["data"]["tags"] = None


@pytest.mark.parametrize(
    "text",
    [
        k6_json(point(12.5, method="GET"), point(40.25, method="GET")),
        k6_json(point(7, status="200"), point(40.25, expected_response="true")),
        k6_json(UNTAGGED),
        k6_csv(point(12.5, method="GET")),
        k6_csv(point(12.5, group="::setup")),
    ],
)
def test_k6_without_the_tag_status_is_refused_by_its_name(tmp_path, text):
    found = refused(written(tmp_path, text))
    assert (found.code, found.place.field) == (Code.MISSING_COLUMN, "status")
    assert "no tag `status`" in found.message
    assert "systemTags" in found.help


@pytest.mark.parametrize("writer", [k6_json, k6_csv])
@pytest.mark.parametrize("group", ["::setup", "::teardown", "::setup::login"])
def test_requests_of_setup_and_teardown_are_left_out_with_a_warning(tmp_path, writer, group):
    points = [
        point(912.5, status="200", group=group),
        point(12.5, status="200", group=""),
        point(20, status="200", group="::setup page"),
        point(7, status="404", group=""),
    ]
    times, found, warnings = read(written(tmp_path, writer(*points)))
    assert (times, found.left_out) == (near([12.5, 20]), 1)
    assert warnings == [Code.OUTSIDE_LOAD, Code.FAILED_REQUESTS]


def test_a_run_of_setup_alone_has_no_requests(tmp_path):
    points = [point(912.5, status="200", group="::setup")]
    for writer in (k6_json, k6_csv):
        assert refused(written(tmp_path, writer(*points))).code is Code.EMPTY_TRACE


TREND = {"min": 2.1, "med": 9.8, "max": 481.0, "p(95)": 167.0, "avg": 32.7}


@pytest.mark.parametrize(
    "summary",
    [
        {"metrics": {"http_req_duration": {**TREND, "count": 912}}},
        {"metrics": {"http_req_duration": {"type": "trend", "values": TREND}}},
        {"root_group": {"name": ""}, "metrics": {"vus": {"value": 1}, "http_req_duration": TREND}},
    ],
)
@pytest.mark.parametrize("indent", [None, 4])
def test_a_summary_of_k6_is_refused_with_what_to_run(tmp_path, summary, indent):
    found = refused(written(tmp_path, json.dumps(summary, indent=indent)))
    assert (found.code, "a summary of k6" in found.message) == (Code.UNKNOWN_INPUT, True)
    assert "k6 run --out" in found.help


AUTOCANNON = {
    "url": "http://localhost:3000",
    "connections": 10,
    "sampleInt": 1000,
    "pipelining": 1,
    "duration": 10.02,
    "errors": 0,
    "2xx": 51234,
    "non2xx": 0,
    "latency": {"average": 1.5, "min": 0, "max": 62, "p2_5": 1, "p50": 1, "p97_5": 4, "p99": 6},
    "requests": {"average": 5120, "total": 51234, "p97_5": 5400},
}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("changed", [{}, {"title": "my run"}, {"duration": 0.5, "2xx": 1}])
def test_a_summary_of_autocannon_is_refused_with_what_to_run(tmp_path, changed, indent):
    found = refused(written(tmp_path, json.dumps(AUTOCANNON | changed, indent=indent)))
    assert (found.code, "a summary of autocannon" in found.message) == (Code.UNKNOWN_INPUT, True)
    assert "oha -q RATE" in found.help


SUMMARIES = {
    "bombardier": {
        "spec": {"numberOfConnections": 10, "testType": "timed", "method": "GET"},
        "result": {
            "timeTakenSeconds": 5.1,
            "req2xx": 912,
            "latency": {"mean": 912.5, "max": 40_000, "percentiles": {"50": 900, "99": 2000}},
        },
    },
    "artillery": {
        "aggregate": {
            "counters": {"http.requests": 10},
            "summaries": {"http.response_time": {"min": 1, "count": 10, "p99": 8.9}},
        },
        "intermediate": [],
    },
    "fortio": {
        "RunType": "HTTP",
        "RequestedQPS": "8",
        "DurationHistogram": {
            "Count": 40,
            "Data": [{"Start": 0.001, "End": 0.02, "Percent": 100, "Count": 40}],
        },
    },
}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("tool", SUMMARIES)
def test_summaries_are_refused_by_the_name_of_their_tool(tmp_path, tool, indent):
    found = refused(written(tmp_path, json.dumps(SUMMARIES[tool], indent=indent)))
    assert (found.code, f"a summary of {tool}" in found.message) == (Code.UNKNOWN_INPUT, True)


NIGHTHAWK = [
    {
        "options": {"requests_per_second": 1000},
        "results": [
            {
                "name": "global",
                "statistics": [
                    {
                        "count": "100",
                        "id": "benchmark_http_client.latency_2xx",
                        "percentiles": [{"percentile": 0.5, "count": "50", "duration": "0.00008s"}],
                    }
                ],
            }
        ],
    },
    {
        "RunType": "HTTP",
        "RequestedQPS": "8",
        "DurationHistogram": {"Count": "40", "Data": [{"Start": 0.001, "Count": "40"}]},
    },
]


@pytest.mark.parametrize(
    "summary",
    [
        {"Labels": "Fortio", "DurationHistogram": {"Count": 4, "Min": 0.001, "Data": []}},
        {"StartTime": "2018-03-05", "DurationHistogram": {"Count": 4, "Data": [{"Count": 4}]}},
        {"Count": 100, "StdDev": 0.1, "Data": [{"Start": 0.1, "Percent": 100, "Count": 100}]},
    ],
)
def test_other_versions_and_histograms_of_fortio_are_named(tmp_path, summary):
    assert "a summary of fortio" in refused(written(tmp_path, json.dumps(summary))).message


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("summary", NIGHTHAWK)
def test_json_of_nighthawk_is_not_taken_for_that_of_fortio(tmp_path, summary, indent):
    found = refused(written(tmp_path, json.dumps(summary, indent=indent)))
    assert (found.code, "a summary of Nighthawk" in found.message) == (Code.UNKNOWN_INPUT, True)
    assert "oha -q RATE" in found.help


LOCUST = (
    "Type,Name,Request Count,Failure Count,Median Response Time,50%,66%,75%,99%,100%\n"
    "GET,/hello,500,0,12,12,13,14,40,120\n,Aggregated,500,0,12,12,13,14,40,120\n"
)


@pytest.mark.parametrize(
    "text",
    [
        LOCUST,
        "\ufeff" + LOCUST,
        '"Type","Name","# requests","50%","66%","75%"\n"None","Aggregated",0,"N/A","N/A","N/A"\n',
        "Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,66%,75%\n"
        "1767319445,10,,Aggregated,99.1,0,N/A,N/A,N/A\n",
        '"Name","# requests","50%","66%","75%"\n"GET /get",287,82,82,83\n',
        '"Method","Name","# requests","# failures","50%"\n"GET","/get",287,0,82\n',
    ],
)
@pytest.mark.parametrize("given", [{}, {"table": TimeColumn("50%"), "unit": TimeUnit.MS}])
def test_statistics_of_locust_are_a_summary_also_if_a_column_is_named(tmp_path, text, given):
    found = refused(written(tmp_path, text), **given)
    assert (found.code, "a summary of locust" in found.message) == (Code.UNKNOWN_INPUT, True)


def ghz(*calls, **options):
    details = [
        {"timestamp": "2026-01-02T03:04:05.6+01:00", "latency": ns, "error": "", "status": status}
        for ns, status in calls
    ]
    totals = {"count": len(calls), "average": 1, "statusCodeDistribution": {"OK": len(calls)}}
    document = {"date": "2026-01-02T03:04:05Z", "options": {"concurrency": 2, **options}, **totals}
    return json.dumps({**document, "latencyDistribution": None, "details": details}, indent=1)


CALLS = ((5_000_000, "OK"), (7_000_000, "Unavailable"), (15_000_000, "OK"))


def test_calls_of_ghz_count_if_their_status_is_ok(tmp_path):
    times, found, warnings = read(written(tmp_path, ghz(*CALLS, rps=50)))
    assert (times, found.format, found.left_out) == (near([5, 15]), "ghz JSON", 1)
    assert warnings == [Code.FAILED_REQUESTS]


@pytest.mark.parametrize(
    ("given", "loop"),
    [
        ({}, Loop.CLOSED),
        ({"rps": 0}, Loop.CLOSED),
        ({"rps": 50}, Loop.UNSTATED),
        ({"rps": 50, "async": True}, Loop.OPEN),
    ],
)
def test_the_options_of_ghz_say_how_calls_were_sent(tmp_path, given, loop):
    _, found, _ = read(written(tmp_path, ghz(*CALLS, **given)), ALONE)
    assert found.loop is loop


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (ghz(rps=5), Code.EMPTY_TRACE),
        (ghz((5_000_000, "Canceled"), rps=5), Code.EMPTY_TRACE),
        (ghz((-5, "OK"), rps=5), Code.NOT_POSITIVE),
        (ghz((5, "OK"), rps=5).replace('"latency"', '"took"'), Code.BROKEN_FORMAT),
        (ghz(*CALLS)[:-9], Code.BROKEN_FORMAT),
    ],
)
def test_a_result_of_ghz_without_good_calls_is_refused(tmp_path, text, code):
    assert refused(written(tmp_path, text)).code is code


@pytest.mark.parametrize(
    "line",
    [
        {"latency": {"p97_5": 4}, "demand_ms": 5.5},
        {"metrics": {"http": 3}, "demand_ms": 5.5},
        {"num_prompts": 4, "demand_ms": 5.5},
    ],
)
def test_one_line_of_a_log_that_has_such_names_is_no_summary(tmp_path, line):
    path = written(tmp_path, json.dumps(line) + "\n")
    assert read(path, table=TimeColumn("demand_ms"))[0] == near([5.5])


def oha(answered, errors):
    points = {f"p{name}": 5.0 for name in (10, 25, 50, 75, 90, 95, 99, 99.9, 99.99)}
    return json.dumps(
        {
            "summary": {"slowest": 6.2, "fastest": 4.1},
            "latencyPercentiles": points | {"p99.9": 6.2, "p99.99": 6.2},
            "statusCodeDistribution": {"200": answered},
            "errorDistribution": errors,
        }
    )


@pytest.mark.parametrize(
    ("answered", "cut_short", "ppm", "is_told"),
    [
        (100, 100, None, True),
        (990, 10, None, True),
        (991, 9, None, False),
        (991, 9, 999_000, True),
        (900, 100, 900_000, True),
        (901, 99, 900_000, False),
        (100, 0, None, False),
    ],
)
def test_requests_cut_short_are_told_if_the_percentile_is_among_them(
    tmp_path, answered, cut_short, ppm, is_told
):
    errors = {"aborted due to deadline": cut_short, "connection refused": 3}
    path = written(tmp_path, oha(answered, errors))
    found = ingest([str(path)], options(percentile_ppm=ppm), OPEN)
    told = [each.message for each in found.warnings if each.code is Code.CUT_SHORT]
    assert len(told) == is_told
    assert found.inputs[0].times.left_out == 3
    assert all(f"{cut_short:,} of {answered + cut_short:,} requests" in each for each in told)


@pytest.mark.parametrize("errors", [{"connection refused": 10}, {"aborted": 1, "dns": 2}, {}])
def test_a_run_of_oha_without_an_answer_is_said_to_have_none(tmp_path, errors):
    document = json.loads(oha(0, errors)) | {"statusCodeDistribution": {}}
    document["latencyPercentiles"] = dict.fromkeys(document["latencyPercentiles"])
    found = refused(written(tmp_path, json.dumps(document)))
    assert (found.code, "was answered" in found.message) == (Code.EMPTY_TRACE, True)
    assert all(f"`{reason}`" in found.message for reason in errors)


AB_HEAD = "starttime\tseconds\tctime\tdtime\tttime\twait\n"
AB = AB_HEAD + "".join(
    f"Mon Apr 15 10:00:0{at} 2013\t136602000{at}\t2\t{took - 2}\t{took}\t{took - 3}\n"
    for at, took in enumerate((40, 170, 250))
)


@pytest.mark.parametrize("text", [AB, AB.replace("\n", "\r\n")])
def test_the_file_of_ab_has_responses_of_a_closed_loop(tmp_path, text):
    path = written(tmp_path, text)
    assert refused(path).code is Code.CLOSED_LOOP
    times, found, warnings = read(path, ALONE)
    assert (times, found.format, found.unit) == (near([40, 170, 250]), "ab TSV", TimeUnit.MS)
    assert warnings == [Code.FAILED_REQUESTS, Code.CLOSED_AS_DEMAND]


def test_requests_that_ab_did_not_send_are_estimated(tmp_path):
    stated = StatedMeasure(Measure.RESPONSE_CLOSED, interval_us=100_000)
    times, found, _ = read(written(tmp_path, AB), stated)
    # 250 ms hid one that would have taken 150; 170 ms hid none of 100 ms and more.
    assert (times, found.estimated) == (near([40, 150, 170, 250]), 1)


def test_half_a_tick_of_ab_is_half_a_millisecond(tmp_path):
    rows = "x\t1\t0\t0\t0\t0\nx\t1\t0\t3\t3\t2\n"
    times, _, warnings = read(written(tmp_path, AB_HEAD + rows), ALONE)
    assert (times, warnings[0]) == (near([0.5, 3]), Code.ZERO_LENGTH)


@pytest.mark.parametrize("measure", [Measure.DEMAND_BUSY, Measure.DEMAND_CPU])
def test_the_column_of_ab_is_no_demand_without_a_reason(tmp_path, measure):
    path = written(tmp_path, AB, "ab.tsv")
    found = refused(path, StatedMeasure(measure), table=TimeColumn("ttime"), unit=TimeUnit.MS)
    assert found.code is Code.RESPONSE_TIME


@pytest.mark.parametrize(
    "text",
    [
        "This is ApacheBench, Version 2.3 <$Revision: 1903618 $>\nCopyright 1996 Adam Twiss\n",
        "Percentage served,Time in ms\n0,40.000\n1,40.000\n",
    ],
)
def test_summaries_of_ab_are_refused_with_what_to_run(tmp_path, text):
    found = refused(written(tmp_path, text))
    assert (found.code, "a summary of ab" in found.message) == (Code.UNKNOWN_INPUT, True)
    assert "ab -g" in found.help
