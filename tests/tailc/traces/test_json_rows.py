"""JSON without a row on each line: where its rows are, and a command that writes them."""

import json
import re
import shutil
import subprocess

import pytest

from tailc.errors import Code, TailcError
from tailc.ingest.options import TimeColumn
from tailc.traces.json_rows import rows_in_json
from tailc.traces.trace import read_trace
from tests.tailc.ingest.refusal import refused
from tests.tailc.traces.making import reading

RUN = {"id": "a", "response": {"code": 200, "responseTime": 120}}
REPORT = {"collection": {"name": "shop"}, "run": {"stats": {"n": 9}, "executions": [RUN] * 30}}
HIT = {"_score": 1.0, "_source": {"@timestamp": "2024-03-01T10:00:00Z", "took": {"us": 5200}}}
HITS = {"took": 4, "hits": {"total": {"value": 2}, "hits": [HIT, HIT]}}
CARBON = {"data": [{"from": "2024-05-01T00:00Z", "intensity": {"actual": 263}}] * 4}


@pytest.mark.parametrize(
    ("document", "path", "names"),
    [
        (REPORT, ".run.executions[]", ["responseTime", "code"]),
        (HITS, ".hits.hits[]", ["@timestamp", "took_us", "_score"]),
        (CARBON, ".data[]", ["from", "actual"]),
        ([{"a": {"took_ms": 5}}] * 2, ".[]", ["took_ms"]),
        ([[{"a": {"took_ms": 5}}] * 2], ".[][]", ["took_ms"]),
        ({"a-b": [{"x": [{"took": 1}, {"took": 2}]}]}, '."a-b"[].x[]', ["took"]),
        (
            [{"target": "a", "points": [[1.5, 17], [None, 18]]}],
            ".[].points[]",
            ["column_1", "column_2"],
        ),
        ({"time": ["2024-05-01"] * 9, "x": [1.5] * 9}, "[.time, .x] | transpose[]", ["time", "x"]),
        (
            {"f": [{"values": [[*range(20)], [*range(20)]]}]},
            ".f[].values | transpose[]",
            ["column_1", "column_2"],
        ),
        (
            {"requests": [{"timestamp": 5, "response_timestamps": [7, 9]}] * 3},
            ".requests[]",
            ["timestamp", "response_timestamps"],
        ),
        ({"h": {"at": [1, 2], "kw": [3, 4]}}, "[.h.at, .h.kw] | transpose[]", ["at", "kw"]),
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_the_longest_list_has_the_rows(document, path, names, indent):
    found = rows_in_json(json.dumps(document, indent=indent).encode())
    assert found is not None
    assert list(found.names) == names
    assert f"jq -c '{path} | {{" in found.advice


def test_a_command_names_each_field():
    found = rows_in_json(json.dumps(HITS).encode())
    members = '"@timestamp": ._source."@timestamp", took_us: ._source.took.us, _score: ._score'
    assert found is not None
    assert f"`jq -c '.hits.hits[] | {{{members}}}' FILE > rows.ndjson`" in found.advice


def test_objects_of_several_kinds_are_chosen_from():
    kinds = ({"metadata": {"name": "web"}}, *({"transaction": {"duration": at}} for at in (5, 6)))
    found = rows_in_json("".join(json.dumps(each) + "\n" for each in kinds).encode())
    assert found is not None
    program = "select(.transaction.duration != null) | {duration: .transaction.duration}"
    assert program in found.advice


def test_lists_may_have_texts_among_their_numbers():
    found = rows_in_json(json.dumps({"latencies": [[17, "u1", 40], [18, "u2", 41]]}).encode())
    assert found is not None
    assert found.names == ("column_1", "column_2", "column_3")


def test_an_instant_is_no_time_of_a_request():
    line = json.dumps({"latencies": {"request": 42, "proxy": 38}, "started_at": 1700000000000})
    found = rows_in_json(f"{line}\n{line}\n".encode())
    assert found is not None
    assert found.names[:2] == ("request", "proxy")


def test_a_list_of_numbers_has_rows_of_one():
    document = {"benchmarks": [{"stats": {"mean": 0.15, "data": [0.15, 0.16] * 20}}]}
    found = rows_in_json(json.dumps(document).encode())
    assert found is not None
    assert "jq -c '.benchmarks[].stats.data[] | {data: .}'" in found.advice


def test_commas_after_objects_are_to_be_removed(tmp_path):
    path = tmp_path / "rows.json"
    path.write_text('{"took_ms": 5},\n{"took_ms": 6},\n')
    assert "sed 's/[,;]$//'" in (refused(path, table=TimeColumn("took_ms")).help or "")


def test_rows_without_a_time_are_left_out():
    events = {"traceEvents": [{"pid": 1}, *({"pid": 1, "ts": at, "dur": 9} for at in range(5))]}
    found = rows_in_json(json.dumps(events).encode())
    assert found is not None
    assert ".traceEvents[] | select(.dur != null) | {dur: .dur, pid: .pid" in found.advice


@pytest.mark.parametrize("cut", [200, 500, 900])
def test_a_text_that_is_cut_has_the_same_rows(cut):
    text = json.dumps(REPORT).encode()
    part, whole = rows_in_json(text[:cut]), rows_in_json(text)
    assert part is not None
    assert whole is not None
    assert (part.place, part.advice) == (whole.place, whole.advice)


@pytest.mark.parametrize(
    "text",
    [
        '{"took_ms": 5, "tags": [{"n": 1}]}\n' * 2,
        '{"took_ms": 5, "server": {"ms": 3}}\n' * 2,
        '{"took_ms": 5}\n',
        '{"request_time": "0.020", "server": {"ms": 3}}\n' * 2,
        '{"duration": "5 ms", "server": {"ms": 3}}\n' * 2,
        '{"name": "a", "tags": {"b": "c"}}\n' * 2,
        '[{"name": "a"}]',
        "[1, 2, 3]",
        "took_ms\n5\n",
        '{"a": [{"b": 1',
        '{"a": }',
        "[" * 5000,
        "",
    ],
)
def test_rows_on_lines_and_other_texts_have_no_rows_within(text):
    assert rows_in_json(text.encode()) is None


def test_a_text_that_is_cut_in_a_string_has_the_rows_before_it():
    found = rows_in_json(b'{"runs": [{"ms": 1}, {"ms": 2}, {"ms": 3, "log": "{\\"a\\": {}}, ')
    assert found is not None
    assert (found.count, found.names) == (3, ("ms",))


def test_a_list_of_objects_is_gone_through_first(tmp_path):
    path = tmp_path / "render.json"
    path.write_text(json.dumps([{"target": "a", "points": [[1.5, 17], [2.5, 18]]}] * 2))
    program = ".[] | .points[] | {column_1: .[0], column_2: .[1]}"
    assert f"jq -c '{program}' FILE" in (refused(path).help or "")


def test_ingest_says_where_the_rows_are(tmp_path):
    path = tmp_path / "report.json"
    path.write_text(json.dumps(REPORT, indent=2))
    found = refused(path)
    assert (found.code, "rows are in `run.executions`" in found.message) == (
        Code.UNKNOWN_INPUT,
        True,
    )
    found = refused(path, table=TimeColumn("responseTime"))
    assert ".run.executions[]" in (found.help or "")


def test_objects_on_lines_with_times_within_are_to_be_flattened(tmp_path):
    path = tmp_path / "dump.json"
    path.write_text((json.dumps(HIT) + "\n") * 3)
    assert "took_us: ._source.took.us" in (refused(path).help or "")
    with pytest.raises(TailcError) as caught:
        read_trace(str(path), reading(demand="took_us"))
    assert "took_us: ._source.took.us" in (caught.value.findings[0].help or "")


def test_lines_without_a_time_among_others_are_left_out():
    first, other = '{"ts": 1700000000.5, "msg": "started"}', '{"ts": 1700000001.5, "duration": 0.2}'
    rows = rows_in_json("\n".join([first, other, other, other]).encode())
    assert rows is not None
    assert "select(.duration != null)" in rows.program


@pytest.mark.parametrize(
    "row",
    [
        '{"time": "2024-09-27T00:00Z", "price": 0.15}',
        '{"at": 1700000000.5, "a": 1}',
        '{"end_ts": 5}',
    ],
)
def test_lines_with_plain_members_are_the_rows(row):
    assert rows_in_json(f"{row}\n{row}\n".encode()) is None


@pytest.mark.parametrize(
    "document",
    [
        {"counts": [1, 0, 2], "bin_edges": [0.0, 1.0, 2.5, 4.0]},
        {"bins": [0.0, 1.0, 2.5, 4.0], "n": [1, 0, 2]},
        {"get /": {"p99": 4.0, "times": {"histogram": [1, 0, 2], "bins": [0, 1, 2.5, 4]}}},
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_a_histogram_with_bounds_becomes_upper_bounds_with_weights(tmp_path, document, indent):
    path = tmp_path / "histogram.json"
    path.write_text(json.dumps(document, indent=indent) + "\n")
    help_ = refused(path).help or ""
    assert "`--weight requests`" in help_
    (program,) = re.findall(r"jq -c '(.*)' FILE", help_)
    if shutil.which("jq") is None:
        pytest.skip("needs jq")
    rows = subprocess.check_output(["jq", "-c", program, str(path)], text=True).splitlines()
    assert [json.loads(row) for row in rows] == [
        {"up_to": 1, "requests": 1},
        {"up_to": 4, "requests": 2},
    ]


@pytest.mark.parametrize(
    "document", [{"a": [1, 2], "b": [3, 2, 1]}, {"ms": [1, 2, 3], "at": [1, 2, 3, 4, 5]}]
)
def test_other_lists_of_unequal_length_are_no_columns(document):
    rows = rows_in_json(json.dumps(document).encode())
    assert rows is None or "transpose" not in rows.program
