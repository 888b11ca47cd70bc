"""Tables whose columns a map says the meaning of."""

import csv
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tailc.cli import run
from tailc.errors import Code, TailcError
from tailc.ingest.ingest import ingest
from tailc.ingest.options import InputOptions
from tailc.ingest.stated_measure import StatedMeasure
from tailc.specs.column_map import read_column_map
from tailc.traces.histogram import histogram_of
from tailc.traces.profile import Measure

MAPS = Path(__file__).parents[3] / "examples" / "maps"
HEAD = "apiVersion: tailc/v1\nkind: column-map\nname: calls\nmeasure: demand-busy\n"
ROWS = """\
ms,ns0,ns1,at,to,calls,kind
5,1661145617085456942,1661145617085456949,2026-01-01T00:00:00,2026-01-01T00:00:00.005,2,http
2.5,1661145617085456942,1661145618085456942,2026-01-01T00:00:00,2026-01-01T00:00:01,3,rpc
7,100,1100,2026-01-01T00:00:00,2026-01-01T00:01:00,1,http
"""


def counted(folder, keys, rows=ROWS, suffix="csv"):
    """What a map of these keys takes from the rows."""
    table, map_ = folder / f"calls.{suffix}", folder / "map.yaml"
    if suffix == "csv":
        table.write_text(rows)
    map_.write_text(HEAD + keys)
    said = StatedMeasure(Measure.DEMAND_BUSY)
    return ingest([str(table)], InputOptions(table=read_column_map(str(map_))), said).counted


def assert_times(found, times_ns):
    expected = histogram_of(np.array(times_ns, dtype=np.float64))
    assert (found.histogram.min_ns, found.histogram.max_ns) == (expected.min_ns, expected.max_ns)
    np.testing.assert_array_equal(found.histogram.bucket, expected.bucket)
    np.testing.assert_array_equal(found.histogram.count, expected.count)


@pytest.mark.parametrize(
    ("keys", "times_ns"),
    [
        ("times: {column: ms, unit: ms}", [5e6, 2.5e6, 7e6]),
        ("times: {column: ms, unit: ms}\nweight: calls", [5e6] * 2 + [2.5e6] * 3 + [7e6]),
        ("times: {column: ms, unit: ms}\nwhere: {kind: http, calls: 1}", [7e6]),
        # Nanoseconds since 1970 differ by less than floats of that size can tell.
        ("times: {begin: ns0, end: ns1, unit: ns}", [7, 1e9, 1_000]),
        ("times: {begin: at, end: to}", [5e6, 1e9, 60e9]),
        ("times: {sum: {calls: 3ms, ms: 10us}}", [6.05e6, 9.025e6, 3.07e6]),
    ],
)
def test_times_are_what_the_map_says(tmp_path, keys, times_ns):
    assert_times(counted(tmp_path, keys), times_ns)


def test_a_table_as_parquet_counts_the_same(tmp_path):
    calls = pa.table(
        {
            "at": pa.array([0, 0], pa.timestamp("us")),
            "to": pa.array([5_000, 1_000_000], pa.timestamp("us")),
            "kind": ["http", "rpc"],
        }
    )
    pq.write_table(calls, tmp_path / "calls.parquet")
    found = counted(tmp_path, "times: {begin: at, end: to}", suffix="parquet")
    assert_times(found, [5e6, 1e9])


def test_times_too_far_apart_for_64_bits_are_refused(tmp_path):
    rows = f"from,to\n{2**63 - 1},{-(2**63) + 10}\n"
    with pytest.raises(TailcError) as caught:
        counted(tmp_path, "times: {begin: from, end: to, unit: ns}", rows)
    assert caught.value.findings[0].code is Code.NOT_POSITIVE


def test_a_profile_keeps_the_map_and_its_reason(tmp_path):
    keys = "times: {sum: {calls: 3ms}}\nbecause: a call takes so long alone\n"
    (tmp_path / "map.yaml").write_text(HEAD + keys)
    (tmp_path / "calls.csv").write_text(ROWS)
    found = tmp_path / "calls.profile"
    arguments = ["--columns", str(tmp_path / "map.yaml"), "-o", str(found)]
    assert run(["ingest", str(tmp_path / "calls.csv"), *arguments]) == 0
    text = found.read_text()
    assert '"because":"a call takes so long alone"' in text
    assert '"taken":"3 ms x calls"' in text
    assert '"format":"CSV by the map `calls`"' in text


def test_rows_beyond_the_first_batch_are_named_as_in_the_file(tmp_path):
    many = 200_000
    rows = "ms,kind\n" + "1,a\n2,b\n" * (many // 2) + "-4,b\n"
    with pytest.raises(TailcError) as caught:
        counted(tmp_path, "times: {column: ms, unit: ms}\nwhere: {kind: b}", rows)
    (finding,) = caught.value.findings
    assert (finding.code, finding.place.row) == (Code.NOT_POSITIVE, many + 1)


@pytest.mark.parametrize(
    ("keys", "code", "message"),
    [
        ("times: {begin: ns1, end: ns0, unit: ns}", Code.NOT_POSITIVE, "is not after `ns1`"),
        ("times: {begin: at, end: to, unit: ms}", Code.CONFLICT, "date-time, which has no unit"),
        ("times: {begin: ns0, end: ns1}", Code.MISSING_UNIT, "is a number without a unit"),
        ("times: {begin: ns0, end: to, unit: ms}", Code.WRONG_TYPE, "but `ns0` has `int64`"),
        ("times: {begin: kind, end: to}", Code.NOT_A_NUMBER, "cell `http` is not a valid time"),
        ("times: {column: kind, unit: s}", Code.NOT_A_NUMBER, "cell `http` is not a number"),
        ("times: {sum: {kind: 1ms}}", Code.NOT_A_NUMBER, "cell `http` is not a number"),
        ("times: {sum: {calls: 1300h}}", Code.OUT_OF_RANGE, "more than 104 days"),
        ("times: {column: mss, unit: s}", Code.MISSING_COLUMN, "there is no column `mss`"),
        (
            "times: {column: ms, unit: s}\nwhere: {kind: ftp}",
            Code.EMPTY_TRACE,
            "3 rows, but none where `kind` = `ftp`",
        ),
    ],
)
def test_rows_that_the_map_does_not_fit_are_refused(tmp_path, keys, code, message):
    with pytest.raises(TailcError) as caught:
        counted(tmp_path, keys)
    finding = caught.value.findings[0]
    assert finding.code is code
    assert message in finding.message
    assert finding.help


@pytest.mark.parametrize(
    ("keys", "code", "line"),
    [
        ("times: {}", Code.MISSING_KEY, 5),
        ("times: {column: ms}", Code.MISSING_UNIT, 5),
        ("times: {begin: at}", Code.MISSING_KEY, 5),
        ("times: {column: ms, sum: {a: 1ms}, unit: s}", Code.CONFLICT, 5),
        ("times: {sum: {a: 1ms}, unit: s}", Code.CONFLICT, 5),
        ("times: {sum: {a: 1}}", Code.MISSING_UNIT, 5),
        ("times: {column: ms, unit: s}\nbecause: dunno", Code.RESPONSE_TIME, 6),
        ("time: {column: ms, unit: s}", Code.UNKNOWN_KEY, 5),
    ],
)
def test_a_map_that_cannot_be_is_refused_at_its_line(tmp_path, keys, code, line):
    path = tmp_path / "map.yaml"
    path.write_text(HEAD + keys)
    with pytest.raises(TailcError) as caught:
        read_column_map(str(path))
    finding = caught.value.findings[0]
    assert (finding.code, finding.place.line) == (code, line)
    assert finding.help


def test_a_reason_is_for_a_demand(tmp_path):
    path = tmp_path / "map.yaml"
    text = HEAD.replace("demand-busy", "response-open") + "times: {column: ms, unit: s}\n"
    path.write_text(text + "because: one client was alone there\n")
    with pytest.raises(TailcError) as caught:
        read_column_map(str(path))
    assert caught.value.findings[0].code is Code.CONFLICT


@pytest.mark.parametrize("other", [("--unit", "ms"), ("--with-internal",)])
def test_options_do_not_say_what_the_map_does(tmp_path, capsys, other):
    arguments = ["--columns", str(MAPS / "azure-llm.yaml"), *other]
    assert run(["ingest", "calls.csv", *arguments, "-o", str(tmp_path / "x.profile")]) == 64
    assert "remove these options," in capsys.readouterr().err


def test_a_map_makes_no_demand_of_responses_without_a_reason(tmp_path):
    head = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code\n"
    keys = "times: {column: response-time, unit: s}\n"
    rows = head + "0.5,0,0,0,0.5,0,200\n"
    with pytest.raises(TailcError) as caught:
        counted(tmp_path, keys, rows)
    assert caught.value.findings[0].code is Code.RESPONSE_TIME


def test_what_a_closed_loop_did_not_send_is_added_to_exact_times(tmp_path):
    table, map_ = tmp_path / "calls.csv", tmp_path / "map.yaml"
    table.write_text("ms,n\n1,1\n100000,2\n")
    map_.write_text(HEAD + "times: {column: ms, unit: ms}\nweight: n\n")
    options = InputOptions(table=read_column_map(str(map_)))
    said = StatedMeasure(Measure.RESPONSE_CLOSED, None, 10_000)
    (origin,) = ingest([str(table)], options, said).counted.origins
    assert (origin.estimated, origin.requests) == (2 * 9_999, 3 + 2 * 9_999)


def public(*path):
    data = os.environ.get("TAILC_DATA")
    if data is None:
        pytest.skip("needs the public traces: set TAILC_DATA")
    return Path(data, *path)


def of_map(path, name):
    map_ = read_column_map(str(MAPS / name))
    return ingest(
        [str(path)], InputOptions(table=map_), StatedMeasure(Measure(map_.measure))
    ).counted


def test_the_map_of_llm_requests_reads_the_published_table():
    path = public("azure-llm-2023", "AzureLLMInferenceTrace_code.part.csv")
    with path.open() as file:
        rows = [(int(r["ContextTokens"]), int(r["GeneratedTokens"])) for r in csv.DictReader(file)]
    assert len(rows) == 7_491
    assert_times(of_map(path, "azure-llm.yaml"), [a * 1e5 + b * 3e7 for a, b in rows])


def test_the_map_of_a_microservice_reads_the_published_spans():
    path = public("microservice-requests", "spans_2022-08-22_05_20_trace.csv")
    with path.open() as file:
        rows = [r for r in csv.DictReader(file) if r["OperationName"].endswith("Service/Carry")]
    spans_ns = [int(row["EndTimeUnixNano"]) - int(row["StartTimeUnixNano"]) for row in rows]
    assert len(spans_ns) == 598
    assert_times(of_map(path, "boutique-currency.yaml"), spans_ns)
