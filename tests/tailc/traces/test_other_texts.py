"""Output of programs that is no table is called what it is, with what to do, also by lint-trace."""

import json

import pytest

from tailc.errors import Code, TailcError
from tailc.traces.other_texts import other_text
from tailc.traces.trace import read_trace
from tests.tailc.traces.making import reading

ZIPKIN = {"traceId": "0e7d", "id": "1a", "kind": "SERVER", "timestamp": 1, "duration": 12000}
PLACED = {**ZIPKIN, "localEndpoint": {"serviceName": "back"}}
CONSOLE = {
    "name": "hello",
    "context": {"trace_id": "0x7ca3", "span_id": "0x51", "trace_state": "[]"},
    "kind": "SpanKind.SERVER",
    "start_time": "2026-04-29T18:52:58.114201Z",
}
PVGIS = "Latitude (decimal degrees):\t45.000\r\nLongitude (decimal degrees):\t8.000\r\n"
JMETER = "1431002449675|807|Home|200|Users 1-1|true|20531|1|1|311|1|0|null\n"
KINDS = [
    ("spans of version 1 of Zipkin", json.dumps([{**ZIPKIN, "binaryAnnotations": []}])),
    ("spans of version 1 of Zipkin", json.dumps([[{**PLACED, "binaryAnnotations": []}]])),
    ("spans as OpenTelemetry's", json.dumps(CONSOLE, indent=4) + "\n"),
    ("a summary of memtier_benchmark", '{\n"run information":{},"ALL STATS":{"Latency":-nan}}'),
    ("a summary of redis-benchmark", '"test","rps","avg_latency_ms","p50_latency_ms"\n"SET","9"\n'),
    ("a summary of Nighthawk", "Nighthawk - A layer 7 protocol benchmarking tool.\n\n"),
    ("the output of YCSB", "[OVERALL], RunTime(ms), 1000\n[READ], Operations, 10\n"),
    ("the output of YCSB", "YCSB Client 0.17.0\n\n[OVERALL], RunTime(ms), 1000\n"),
    ("a log of pgbench", "0 199 2241 0 1175850568 995598\n0 200 2465 0 1175850568 998079\n"),
    ("a log of pgbench", "0 81 skipped 0 1412881037 912698 304\n"),
    ("a log of pgbench", "3 0 failed 0 1499414498 84905 9 0\n"),
    ("a log of JMeter without", JMETER),
    ("a log of JMeter without", JMETER.replace("|", ",").replace("true", "false")),
    ("a file of PVGIS", PVGIS),
]


@pytest.mark.parametrize(("kind", "text"), KINDS)
def test_output_of_other_programs_is_called_what_it_is(tmp_path, kind, text):
    (finding,) = refused(tmp_path, text)
    assert (finding.code, f"is {kind}" in finding.message) == (Code.UNKNOWN_INPUT, True)
    assert finding.help


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([ZIPKIN]),
        json.dumps([PLACED]),
        json.dumps([[PLACED, PLACED]], indent=2),
        json.dumps([{"traceId": "7", "duration": 5}]),
        json.dumps(CONSOLE) + "\n",
        '{"ALL STATS": {}}',
        '"test","rps"\n"SET","9"\n',
        "1 0 5 100 4 -1 -1 4 200 -1 1 3 1 -1 1 -1 -1 -1\n",
        "1 2 3 4 5 6\n",
        "1431002449675,807,1\n",
        "at,took,ok\n1431002449675,807,true,\n",
        "Latitude,Longitude\n45,8\n",
        "op,[OVERALL]\n",
    ],
)
def test_other_tables_are_not_taken_for_them(text):
    assert other_text(text.encode()) is None


ROW = "READ,1457000000010,301\n"


@pytest.mark.parametrize("column", ["300", "1457000000000", "column_3"])
@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_a_first_row_is_not_taken_for_names_if_a_value_in_it_is_chosen(tmp_path, column, mark):
    text = ("READ,1457000000000,300\n" + ROW).replace(",", mark)
    (finding,) = refused(tmp_path, text, column)
    assert (finding.code, "`1457000000000`" in finding.message) == (Code.MISSING_COLUMN, True)
    assert "line of names" in finding.help


@pytest.mark.parametrize(
    ("head", "column"),
    [
        ("op,at,us\n", "us"),
        ("op,1,2\n", "2"),
        ("op,2023,2024\n", "2024"),
        ("op,50,99.9\n", "99.9"),
        ("op,1457000000000,us\n", "us"),
    ],
)
def test_numbers_that_are_names_are_read(tmp_path, head, column):
    path = tmp_path / "t.csv"
    path.write_text(head + ROW + ROW.replace("301", "302"))
    assert read_trace(str(path), reading(demand=column)).profile.demand_ms.tolist() == [301, 302]


def refused(folder, text, column="demand"):
    path = folder / "t.csv"
    path.write_text(text, newline="")
    with pytest.raises(TailcError) as caught:
        read_trace(str(path), reading(demand=column))
    return caught.value.findings
