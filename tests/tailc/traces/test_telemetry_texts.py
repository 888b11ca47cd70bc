"""Metrics and logs of monitoring systems are called what they are, with what to give instead."""

import subprocess

import pytest

from tailc.errors import Code, TailcError
from tailc.traces.source import open_source
from tailc.traces.telemetry_texts import telemetry_text

STATSD = "web.render:12.5|ms|#page:a\nweb.hits:1|c\nweb.render:7|ms|@0.1\n"
TEXTS = [
    ("metrics in OTLP JSON", '{"resourceMetrics":[{"scopeMetrics":[]}]}', "exporter `prometheus`"),
    ("metrics in OTLP JSON", '{\n "resource_metrics": []}', "a scrape"),
    ("logs in OTLP JSON", '{"resourceLogs":[]}', "the spans of the requests"),
    ("an export of VictoriaMetrics", '{"metric":{"le":"1"},"values":[1]}\n', "/api/v1/query"),
    ("what promtool prints", 'x_bucket{le="0.1"} => 5 @[1700000000.123]\n', "/api/v1/query"),
    ("what promtool prints", '{__name__="x", le="0.1"} 5 1700000000000\n', "/api/v1/query"),
    ("traces of AWS X-Ray", '{"Traces":[{"Id":"1","Segments":[]}]}', "the exporter `file`"),
    ("messages of StatsD", STATSD, "--column time_ms"),
]


@pytest.mark.parametrize(("what", "text", "advice"), TEXTS)
def test_texts_of_monitoring_are_called_what_they_are(tmp_path, what, text, advice):
    message, help_ = refused(tmp_path, text)
    assert (f"is {what}" in message, advice in help_) == (True, True)


def test_the_times_of_a_metric_of_statsd_are_given_by_the_advised_command(tmp_path):
    _, help_ = refused(tmp_path, STATSD)
    command = help_.split("`(")[1].split(") > ")[0]
    command = command.replace("NAME", "web.render").replace("FILE", "t.txt")
    table = subprocess.check_output(["/bin/sh", "-c", command], cwd=tmp_path, text=True)
    assert table.split() == ["time_ms", "12.5", "7"]


@pytest.mark.parametrize(
    "text",
    [
        '{"resourceSpans":[]}',
        '{"metric": "latency", "ms": 5}\n',
        'x_bucket{le="0.1"} 5\n',
        '{"Traces": 5, "ms": 7}\n',
        "at:time|ms\n1|2\n",
        '{"x_bucket",le="0.1"} 5\n',
        '{a="b"}\n',
        '{"le": 0.1} 5\n',
        "a:1,ms\n",
    ],
)
def test_other_texts_are_not_taken_for_them(text):
    assert telemetry_text(text.encode()) is None


@pytest.mark.parametrize(
    "text",
    [
        '{app="shop",le="+Inf"}  199.50187708588712\n{app="shop",le="10.0"} 149.2\n',
        '{le="0.5"}\t17\n',
        '\n{code="200", path="/a{b}", le="0.5"} 1.5e-3\n',
        '{le="0.5"} +Inf\n',
    ],
)
def test_rows_of_the_console_of_prometheus_are_to_be_the_answer_of_its_api(tmp_path, text):
    message, help_ = refused(tmp_path, text)
    assert "is what the console of Prometheus shows" in message
    assert ("/api/v1/query" in help_, "not their `rate`" in help_) == (True, True)


def refused(folder, text):
    path = folder / "t.txt"
    path.write_text(text)
    with pytest.raises(TailcError) as caught, open_source(str(path)):
        pass
    (finding,) = caught.value.findings
    assert finding.code is Code.UNKNOWN_INPUT
    return finding.message, finding.help or ""
