"""Files in no known format that are no tables: binary data, spans and summaries of any tool."""

import json
import re
import struct
import subprocess

import pytest

from tailc.errors import Code
from tailc.ingest.ingest import ingest
from tailc.ingest.options import TimeColumn
from tailc.ingest.stated_measure import StatedMeasure
from tailc.lint.lint import lint
from tailc.lint.roles import TraceOptions
from tailc.traces.profile import Measure
from tailc.traces.reading import TimeUnit
from tests.tailc.ingest.refusal import options, refused

SPAN = {"traceId": "7c", "spans": [{"spanId": "5", "parentSpanId": "4", "startTime": "2024-01-01"}]}
LOADTEST = (
    "Completed requests:  51234\nMean latency:        1.9 ms\n\n"
    "Percentage of requests served within a certain time\n"
    "  50%      2 ms\n  90%      3 ms\n  99%      6 ms\n 100%      41 ms (longest request)\n"
)
STATISTICS = {"latency_avg": 2.1, "latency_max": 40.2, "latency_std_deviation": 1.1, "mean": 3}
PERIODS = {
    "Points": [{"Timestamp": "2024-01-01", "Average": 1.5, "Maximum": 4, "SampleCount": 9}] * 9
}
DOCUMENT = {"_index": "spans-2024", "_id": "1", "_source": {"traceId": "a", "id": "b", "took": 5}}
BINARY = b"".join(struct.pack("<QQ", 2**20 + at, 2**21 + at) for at in range(99))
BLANKS = [
    ("id   took_ms\n1    5.5\n2    7\n3   8\n4 9\n", "id,took_ms\n1,5.5\n2,7\n3,8\n4,9\n"),
    ("# id took_ms\n1 5.5\n2 7\n3 8\n4 9\n", "id,took_ms\n1,5.5\n2,7\n3,8\n4,9\n"),
    (
        '"id" "took_ms"\n"a" 1 5.5\n"b" 2 7\n"c" 3 8\n"d" 4 9\n',
        'row,"id","took_ms"\n"a",1,5.5\n"b",2,7\n"c",3,8\n"d",4,9\n',
    ),
]
FILES = [
    (BINARY, "is a binary file"),
    (b"TLB\0\0\1" + BINARY, "is a binary file"),
    (':::MLLOG {"key": "a", "value": 5}\n' * 3, "has JSON behind other words"),
    ('2024-02-01T10:00:00Z stdout F {"took": 5}\n' * 3, "has JSON behind other words"),
    ("id,took (µs)\n1,5\n".encode("cp1252"), "is text in another encoding than UTF-8"),
    ("登录,ms\na,5\n".encode("gbk"), "is text in another encoding than UTF-8"),
    *((text, "is a table with blanks") for text, _table in BLANKS),
    ("Phase,Mean,Min,p99.0,Max\na,2,1,3,4\n", "has means or percentiles"),
    (json.dumps(SPAN, indent=1), "has spans in an unknown layout"),
    (json.dumps({"trace_id": 1, "span_id": 2, "parent_span_id": 3, "ns": 5}), "has spans in an"),
    (json.dumps([{"traceID": "a", "spanID": "b", "parentSpanID": "c"}]), "has spans in an"),
    (json.dumps([{"traceId": "a", "id": "b", "parentId": "c", "durationMicros": 5}]), "has spans"),
    (json.dumps({"hits": {"hits": [DOCUMENT, DOCUMENT]}}), "is an export of Elasticsearch"),
    (f"{json.dumps(DOCUMENT)}\n" * 3, "is an export of Elasticsearch"),
    (json.dumps([DOCUMENT] * 3, indent=1), "is an export of Elasticsearch"),
    (LOADTEST, "has means or percentiles"),
    ("Latency  mean 5 ms\n  p50 4 ms\n  p99 9 ms\n", "has means or percentiles"),
    (
        "Statistics    Min      Mean     StdDev      Max\n  Latency     32µs   155µs\n",
        "has means or",
    ),
    ("min: 3\navg: 4\n95th percentile: 9\n", "has means or percentiles"),
    (json.dumps(STATISTICS), "has means or percentiles"),
    (
        json.dumps({"result": {"p95": 5, "mean": 3, "median ms": 4, "n": 10}}, indent=2),
        "has means or",
    ),
    (json.dumps(PERIODS), "has means or percentiles"),
]


@pytest.mark.parametrize(("content", "what"), FILES)
def test_a_file_without_requests_is_called_what_it_is(tmp_path, content, what):
    path = tmp_path / "f"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    found = refused(path)
    assert (found.code, what in found.message) == (Code.UNKNOWN_INPUT, True)


@pytest.mark.parametrize(("text", "table"), BLANKS)
def test_the_advised_command_puts_commas_for_blanks(tmp_path, text, table):
    path = tmp_path / "t.txt"
    path.write_text(text)
    command = re.findall(r"`(sed .*) > table.csv`", refused(path).help or "")[0]
    command = command.replace("FILE", "t.txt")
    written = subprocess.check_output(["/bin/sh", "-c", command], cwd=tmp_path, text=True)
    assert written == table


@pytest.mark.parametrize(
    "content", [BINARY, json.dumps(SPAN, indent=1), json.dumps(PERIODS), LOADTEST]
)
def test_lint_trace_has_the_same_error(tmp_path, content):
    path = tmp_path / "f"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (found,) = lint(str(path), TraceOptions()).findings
    assert found.message == refused(path).message


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("class,max,took_ms\nmean 5,1,5\nmedian 6,1,6\navg 7,1,7\n", "took_ms"),
        ('{"trace_id": 1, "span_id": 2, "parent_id": 3, "took_ms": 5}\n' * 3, "took_ms"),
        ('{"took_ms": 5, "mean": 3, "p99": 9, "avg": 1}\n' * 3, "took_ms"),
    ],
)
def test_a_named_column_is_read(tmp_path, text, column):
    path = tmp_path / "t"
    path.write_text(text)
    given = options(unit=TimeUnit.MS, table=TimeColumn(column))
    found = ingest([str(path)], given, StatedMeasure(Measure.DEMAND_CPU))
    assert found.counted.histogram.requests == 3


@pytest.mark.parametrize(
    ("head", "is_warned"),
    [
        ("trace.trace_id,trace.span_id,trace.parent_id,took_ms", True),
        ("traceID,spanID,parentSpanID,took_ms", True),
        ("trace_id,span_id,parent_span_id,took_ms", True),
        ("trace_id,span_id,x,took_ms", False),
        ("id,parent_id,x,took_ms", False),
    ],
)
def test_spans_of_a_table_are_warned_of(tmp_path, head, is_warned):
    (tmp_path / "t.csv").write_text(f"{head}\n7,8,9,5\n7,9,,6\n")
    given = options(table=TimeColumn("took_ms"))
    found = ingest([str(tmp_path / "t.csv")], given, StatedMeasure(Measure.RESPONSE_OPEN))
    assert (Code.SPANS_AS_REQUESTS in [one.code for one in found.warnings]) is is_warned


@pytest.mark.parametrize(
    ("head", "column", "is_warned"),
    [
        ("time,Average,Maximum,SampleCount", "Average", True),
        ("time,avg_ms,min_ms,max_ms", "max_ms", True),
        ("time,mean_ms", "mean_ms", False),
        ("time,avg_ms,min_ms,took_ms", "took_ms", False),
    ],
)
def test_statistics_of_periods_are_warned_of(tmp_path, head, column, is_warned):
    path = tmp_path / "t.csv"
    path.write_text(f"{head}\n" + "1,2,3,4\n"[: 2 * head.count(",") + 1] + "\n")
    given = options(unit=TimeUnit.MS, table=TimeColumn(column))
    found = ingest([str(path)], given, StatedMeasure(Measure.RESPONSE_OPEN))
    warned = [f"`{column}` is a statistic" in one.message for one in found.warnings]
    assert (True in warned) is is_warned
