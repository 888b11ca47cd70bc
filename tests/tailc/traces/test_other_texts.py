"""Output of programs that is no table is called what it is, with what to do, also by lint-trace."""

import json
import re
import shutil
import subprocess

import pytest

from tailc.errors import Code, TailcError
from tailc.traces.other_texts import other_text
from tailc.traces.reading import TimeUnit
from tailc.traces.series.reading import SeriesReading
from tailc.traces.series.series import SeriesQuantity
from tailc.traces.series.table_series import read_series
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
OF_PYTHON = [
    "[{'time': '2024-08-20 00:00+02:00', 'price': 0.25}, {'time': 'x', 'price': None}]\n",
    "prices_today: \n[\n{'time': '2024-08-20 00:00+02:00', 'price': 0.25},\n"
    "{'time': 'x', 'price': None},\n]\n",
    "{'time': '2024-08-20 00:00+02:00', 'price': 0.25}\n{'time': 'x', 'price': None}\n",
    "prices = [{'time': '2024-08-20 00:00+02:00', 'price': 0.25}, {'time': 'x', 'price': None}]",
]
HOURS = [{"time": f"20130101:{hour:02d}55", "P": hour} for hour in range(3)]
PVGIS = "Latitude (decimal degrees):\t45.000\r\nLongitude (decimal degrees):\t8.000\r\n"
JMETER = "1431002449675|807|Home|200|Users 1-1|true|20531|1|1|311|1|0|null\n"
GATLING = "\0\0\0\0\x063.13.1\0\0\0\0\x17example.BasicSimulation\0"
EPW = (
    "LOCATION,New Delhi,-,IND,IWEC Data,421820,28.58,77.20,5.5,216.0\n"
    "DESIGN CONDITIONS,1,Climate Design Data 2009,,Heating,1\n"
    + "TYPICAL/EXTREME PERIODS,0\nGROUND TEMPERATURES,0\nHOLIDAYS,No,0,0,0\nCOMMENTS 1,\n"
    "COMMENTS 2,\nDATA PERIODS,1,1,Data,Sunday, 1/ 1,12/31\n"
    + "".join(
        f"{year},1,{day},{hour},60,A7,12.0,8.0,70,99000,0,1400,300,{40 * hour},350\n"
        for year, day in ((1989, 1), (1991, 2))
        for hour in range(1, 25)
    )
)
INFLUX = (
    "#group,false,false,true,false\n#datatype,string,long,string,double\n#default,mean,,,\n"
    ",result,table,_field,_value\n,,0,latency_ms,3.5\n,,0,latency_ms,4.5\n"
)
OF_GO = {"Name": "get", "SpanContext": {"TraceID": "7c"}, "SpanKind": 2, "StartTime": "2023-06-02"}
OF_DATADOG = {
    "trace_id": 7,
    "span_id": 5,
    "parent_id": 0,
    "name": "web.request",
    "resource": "GET /",
    "start": 1700000000000000000,
    "duration": 40000000,
    "error": 0,
}
STORED = {"traceID": "7c", "spanID": "5", "startTimeMillis": 1690700000000, "duration": 40}
XML = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<testResults version="1.2">\n'
    '<httpSample t="120" it="0" lt="80" ts="1625097600000" s="true" lb="a" rc="200" tn="T 1-1"/>\n'
    '<sample t="7" lt="0" ts="1625097600050" s="false" lb="b" rc="" tn="T 1-2"/>\n</testResults>\n'
)
FIO = "".join(f"{2 * at}, {180000 + at}, {at % 2}, 4096, {4096 * at}, 0\n" for at in range(4))
DRAWN = [
    " id | took_ms \n----+---------\n  1 |     5.5\n  2 |       7\n(2 rows)\n",
    "+----+---------+\n| id | took_ms |\n+----+---------+\n|  1 |     5.5 |\n|  2 |       7 |\n"
    "+----+---------+\n2 rows in set (0.00 sec)\n",
    "| id | took_ms |\n|---|---:|\n| 1 | 5.5 |\n| 2 | 7 |\n",
]
OF_JAEGER = {
    "traceID": "a1",
    "processes": {"p1": {"serviceName": "web"}},
    "spans": [{"traceID": "a1", "spanID": "1", "processID": "p1", "references": []}],
}
ACTUATOR = {
    "name": "http.server.requests",
    "baseUnit": "seconds",
    "measurements": [{"statistic": "COUNT", "value": 11.0}, {"statistic": "MAX", "value": 0.01}],
}
NVIDIA = "timestamp, name, power.draw [W]\n2024/05/01 10:00:00.123, NVIDIA H100, 61.25 W\n"
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
    ("a log of JMeter without", JMETER.replace("1431002449675", "2013/07/04 12:26:05.123")),
    ("a log of JMeter without", JMETER.replace("1431002449675", "2013-07-04 12:26:05")),
    ("a file of PVGIS", PVGIS),
    ("JSON of PVGIS", json.dumps({"inputs": {}, "outputs": {"hourly": HOURS}})),
    *(("objects as Python prints them", text) for text in OF_PYTHON),
    ("a binary log of Gatling", GATLING),
    ("a summary of tsung", "# stats: dump at 1530892859\nstats: users 20 20\n"),
    ("a weather file of EnergyPlus", EPW),
    ("a weather file of EnergyPlus", EPW.replace("\n", "\r\n")),
    ("spans as OpenTelemetry's stdout exporter of Go", json.dumps(OF_GO, indent="\t") + "\n"),
    ("spans as OpenTelemetry's stdout exporter of Go", json.dumps([OF_GO])),
    ("spans as the exporter `debug`", "2024-02-01 info TracesExporter\nResourceSpans #0\n"),
    ("spans as the exporter `debug`", "ResourceSpans #0\nResource SchemaURL:\n"),
    ("spans of Jaeger as its storage", json.dumps({"_index": "j", "_source": STORED}) + "\n"),
    ("spans of Jaeger as its storage", json.dumps([STORED, STORED])),
    ("what `curl -v`", "*   Trying 127.0.0.1:9090...\n> GET / HTTP/1.1\n> \n< HTTP/1.1 200 OK\n"),
    (
        "an answer with an error",
        '{"data":null,"total":0,"errors":[{"code":404,"msg":"not found"}]}',
    ),
    ("an answer with an error", '{"data": [], "errors": [{"msg": "timeout"}]}\n'),
    *(("a table drawn with lines", text) for text in DRAWN),
    ("percentiles of HdrHistogram without", "  1.435 0.000000000000  1  1.00\n" * 3),
    ("percentiles of HdrHistogram without", "2.787 0.100000000000 3 1.11\r\n" * 3),
    ("metrics of Spring Boot's actuator", json.dumps(ACTUATOR)),
    ("traces of Jaeger without", json.dumps(OF_JAEGER)),
    ("traces of Jaeger without", json.dumps([OF_JAEGER, OF_JAEGER], indent=1)),
    ("a tar archive", "x" + "\0" * 256 + "ustar\0" + "\0" * 300),
    ("a log of h2load", "1700000000000000\t200\t12345\n" * 3),
    ("output of nvidia-smi", NVIDIA),
    ("what `curl -v`", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nx 5\n"),
    ("one encoded histogram", "HISTFAAAADB4nJNpmSzMwMDAxQABzFCaEUzOZLD/AGEBACvHA5g=\n"),
    ("an answer of Jaeger's API", '{"result":{"resourceSpans":[]}}\n'),
    ("exports of metrics or logs", '{"resourceLogs":[]}\n{"resourceSpans":[]}\n'),
    ("spans of Datadog", json.dumps([[OF_DATADOG, OF_DATADOG]])),
    ("spans of Datadog", json.dumps([OF_DATADOG], indent=2)),
    ("a log of JMeter in XML", XML),
    ("a log of JMeter in XML", XML.partition("?>\n")[2]),
    (
        "a log of fio with means",
        "29000, 443121, 0, 0, 0\n29000, 472570, 1, 0, 0\n30033, 5, 0, 0, 0\n",
    ),
    ("a log of fio with means", "1001, 5081, 0, 0\n2003, 4850, 0, 0\n3004, 4943, 0, 0\n"),
    ("a log of fio", FIO),
    ("a log of fio", "".join(f"{line.rpartition(',')[0]}\n" for line in FIO.splitlines())),
    ("annotated CSV of InfluxDB", INFLUX),
    ("annotated CSV of InfluxDB", "\ufeff" + INFLUX.replace("\n", "\r\n")),
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
        "LOCATION,ms\nDelhi,5\n",
        "5, 7, 1, 3\n" * 3,
        "5,7,1,4096\n" * 3,
        json.dumps({"Name": "a", "took_ms": 5}) + "\n",
        json.dumps({"trace_id": 7, "span_id": 5, "duration": 40}) + "\n",
        json.dumps({"startTimeMillis": 5, "took_ms": 5}) + "\n",
        "<testResult>\n",
        "a|b\n--|--\n5|6\n".replace("--|--", "-|-"),
        "took_ms\n--\n5\n",
        "took_ms\n---------\n5\n",
        "#group,ms\n1,5\n",
        "# stats,ms\n1,5\n",
        "\0\0\0\0\x063.13\0",
    ],
)
def test_other_tables_are_not_taken_for_them(text):
    assert other_text(text.encode()) is None


def test_the_hours_of_a_weather_file_are_a_series_as_advised(tmp_path):
    (finding,) = refused(tmp_path, EPW)
    command = re.findall(r"`(.*) > ghi.csv`", finding.help)[0].replace("FILE", "t.csv")
    written = subprocess.check_output(["/bin/sh", "-c", command], cwd=tmp_path, text=True)
    (tmp_path / "ghi.csv").write_text(written)
    reading = SeriesReading("time", "ghi", SeriesQuantity.IRRADIANCE, "W/m2", zone="+05:30")
    series = read_series(str(tmp_path / "ghi.csv"), reading)
    # The first hour ends at 1 o'clock in Delhi.
    assert (series.start_unix_s, series.step_s) == (1_672_531_200 - 19_800, 3600)
    assert series.value.tolist() == [40 * hour for _day in range(2) for hour in range(1, 25)]


def test_samples_of_jmeter_in_xml_are_read_as_advised(tmp_path):
    (finding,) = refused(tmp_path, XML)
    command = re.findall(r"`([(].*) > run.csv`", finding.help)[0].replace("FILE", "t.csv")
    written = subprocess.check_output(["/bin/sh", "-c", command], cwd=tmp_path, text=True)
    assert written == "timeStamp,elapsed,success\n1625097600000,120,true\n1625097600050,7,false\n"


def test_latencies_of_fio_are_read_as_advised(tmp_path):
    (finding,) = refused(tmp_path, FIO)
    command = re.findall(r"`(.*) > run.csv`", finding.help)[0].replace("FILE", "t.csv")
    written = subprocess.check_output(["/bin/sh", "-c", command], cwd=tmp_path, text=True)
    (tmp_path / "run.csv").write_text(written)
    trace = read_trace(str(tmp_path / "run.csv"), reading(demand="latency_ns", unit=TimeUnit.NS))
    assert trace.profile.demand_ms.tolist() == [0.18, 0.180001, 0.180002, 0.180003]


@pytest.mark.parametrize("text", DRAWN)
def test_a_drawn_table_is_read_as_advised(tmp_path, text):
    (finding,) = refused(tmp_path, text)
    command = re.findall(r"`(awk .*) > table.csv`", finding.help)[0].replace("FILE", "t.csv")
    written = subprocess.check_output(["/bin/sh", "-c", command], cwd=tmp_path, text=True)
    assert written == "id,took_ms\n1,5.5\n2,7\n"


def test_units_of_nvidia_smi_are_removed_as_advised(tmp_path):
    (finding,) = refused(tmp_path, NVIDIA)
    command = re.findall(r"`(sed .*) > power.csv`", finding.help)[0].replace("FILE", "t.csv")
    written = subprocess.check_output(["/bin/sh", "-c", command], cwd=tmp_path, text=True)
    wanted = "timestamp,name,power.draw [W]\n2024-05-01 10:00:00.123,NVIDIA H100,61.25\n"
    assert written == wanted


def test_a_table_of_influxdb_is_read_without_its_annotations_as_advised(tmp_path):
    (finding,) = refused(tmp_path, INFLUX)
    command = re.findall(r"`(.*) > table.csv`", finding.help)[0].replace("FILE", "t.csv")
    written = subprocess.check_output(["/bin/sh", "-c", command], cwd=tmp_path, text=True)
    (tmp_path / "table.csv").write_text(written)
    trace = read_trace(str(tmp_path / "table.csv"), reading(demand="_value"))
    assert trace.profile.demand_ms.tolist() == [3.5, 4.5]


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
    path.write_text(text, newline="", encoding="utf-8")
    with pytest.raises(TailcError) as caught:
        read_trace(str(path), reading(demand=column))
    return caught.value.findings


@pytest.mark.parametrize("text", OF_PYTHON)
def test_the_advised_command_writes_objects_of_python_as_json(tmp_path, text):
    rows = json.loads(written_by_advice(tmp_path, text))
    wanted = [{"time": "2024-08-20 00:00+02:00", "price": 0.25}, {"time": "x", "price": None}]
    assert rows == wanted


PVGIS_ROWS = "20080101:0010,5.5,3.1\n20080101:0110,7,3.2\n"
PVGIS_END = "\n\nP: PV system power (W)\n\nPVGIS (c) European Union, 2001-2021\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{PVGIS}Slope: 30 deg.\n\ntime,P,T2m\n{PVGIS_ROWS}{PVGIS_END}",
        f"{PVGIS}\ntime,P,T2m\n{PVGIS_ROWS}{PVGIS_END}".replace("\n", "\r\n"),
        json.dumps(
            {
                "outputs": {
                    "hourly": [
                        {"time": "20080101:0010", "P": 5.5},
                        {"time": "20080101:0110", "P": 7},
                    ]
                }
            },
            indent=1,
        ),
    ],
)
def test_the_advised_command_writes_rows_of_pvgis(tmp_path, text):
    path = tmp_path / "rows.txt"
    path.write_text(written_by_advice(tmp_path, text))
    read = read_series(str(path), SeriesReading("time", "P", SeriesQuantity.POWER, "W"))
    assert (read.value.tolist(), read.start_unix_s) == ([5.5, 7], 1199146200)


def written_by_advice(folder, text):
    """Run the last command of the advice about a text, and return what it writes."""
    (folder / "t.txt").write_text(text, newline="")
    found = other_text(text.encode())
    assert found is not None
    command = re.sub(r" > \S+$", "", re.findall(r"`([^`]*)`", found.advice)[-1])
    command = command.replace("FILE", "t.txt")
    if shutil.which(command.split()[0]) is None:
        pytest.skip(f"needs {command.split()[0]}")
    return subprocess.check_output(["/bin/sh", "-c", command], cwd=folder, text=True)
