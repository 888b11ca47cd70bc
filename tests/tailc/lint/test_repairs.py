"""`tailc lint-trace --fix`: certain repairs of text tables, with a log of every change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROWS = 'demand_ms,name\n5,a\n6,"x\r\n\r\ny"\n7,b\n'


def repaired(tailc, content: bytes, name: str = "bad.csv"):
    Path(name).write_bytes(content)
    ended = tailc("lint-trace", name, "--fix", "good.csv")
    assert ended.code == 0, ended.err
    log = Path("good.csv.changes.ndjson").read_text().splitlines()
    return Path("good.csv").read_bytes(), [json.loads(line) for line in log]


def test_a_table_without_defects_stays_as_it_is(in_folder, tailc):
    assert repaired(tailc, ROWS.encode()) == (ROWS.encode(), [])


def test_lines_that_are_no_rows_are_removed_and_listed(in_folder, tailc):
    content = b'demand_ms,name\n5,a\n\n# c\ndemand_ms,name\n6,"x\r\n\r\ny"\n7,b'
    found, changes = repaired(tailc, content)
    assert found == ROWS.encode()
    assert [(one["line"], one["name"]) for one in changes] == [
        (3, "blank-line"),
        (4, "comment-line"),
        (5, "repeated-header"),
        (9, "line-end"),
    ]


@pytest.mark.parametrize(
    ("encoding", "name"), [("utf-8-sig", "byte-order-mark"), ("utf-16", "utf-16")]
)
def test_another_encoding_is_rewritten(in_folder, tailc, encoding, name):
    found, changes = repaired(tailc, "demand_ms\n5\n".encode(encoding))
    assert found == b"demand_ms\n5\n"
    assert [(one["line"], one["name"]) for one in changes] == [(1, name)]


def test_a_json_list_becomes_lines(in_folder, tailc):
    found, changes = repaired(tailc, b'[{"demand_ms": 5}, {"demand_ms": 6}]', "bad.json")
    assert [json.loads(line) for line in found.splitlines()] == [
        {"demand_ms": 5},
        {"demand_ms": 6},
    ]
    assert [one["code"] for one in changes] == ["TC1014"]


def test_numbers_are_not_repaired(in_folder, tailc):
    content = b"demand_ms\n5ms\n5ms\n-1\nx\n"
    assert repaired(tailc, content) == (content, [])


def test_the_trace_itself_is_not_replaced(in_folder, tailc):
    Path("bad.csv").write_text("demand_ms\n\n5\n")
    assert tailc("lint-trace", "bad.csv", "--fix", "bad.csv").code == 64
    assert Path("bad.csv").read_text() == "demand_ms\n\n5\n"


def test_the_log_of_changes_does_not_replace_the_trace(in_folder, tailc):
    trace = in_folder / "a.changes.ndjson"
    trace.write_bytes(b"demand_ms\r\n1\r\n")
    assert tailc("lint-trace", trace.name, "--fix", "a").code == 64
    assert trace.read_bytes() == b"demand_ms\r\n1\r\n"
