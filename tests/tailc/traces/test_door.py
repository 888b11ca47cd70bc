"""Whatever a measured file is written in, it is read as the same requests, or refused as a kind."""

import bz2
import codecs
import gzip
import json
import lzma

import pyarrow as pa
import pytest

from tailc.errors import Code, TailcError
from tailc.traces.source import open_source
from tailc.traces.trace import read_trace
from tests.tailc.traces.making import reading

DEMAND_MS = [8.01, 10.785, 6.082, 0.25]
LINES = ["id,demand", *(f"{at},{value}" for at, value in enumerate(DEMAND_MS))]
TEXT = "\n".join([*LINES, ""])
SEMICOLONS = TEXT.replace(",", ";")
OBJECTS = [{"id": at, "demand": value} for at, value in enumerate(DEMAND_MS)]

SAME = {
    "t.csv": TEXT.encode(),
    "t.csv.gz": gzip.compress(TEXT.encode()),
    "t.csv.bz2": bz2.compress(TEXT.encode()),
    "t.csv.xz": lzma.compress(TEXT.encode()),
    "t.csv.zst": pa.compress(TEXT.encode(), "zstd", asbytes=True),
    "renamed": lzma.compress(TEXT.encode()),
    "semicolons.csv": SEMICOLONS.encode(),
    "decimals.csv": SEMICOLONS.replace(".", ",").encode(),
    "tabs.tsv": TEXT.replace(",", "\t").encode(),
    "bars.csv": TEXT.replace(",", "|").encode(),
    "quoted.csv": "\n".join(
        ["id,demand", *(f'{at},"{value}"'.replace(".", ",") for at, value in enumerate(DEMAND_MS))]
    ).encode(),
    "mark.csv": codecs.BOM_UTF8 + TEXT.encode(),
    "utf16.csv": TEXT.encode("utf-16"),
    "mac.csv": TEXT.replace("\n", "\r").encode(),
    "crlf.csv": TEXT.replace("\n", "\r\n").encode(),
    "list.json": json.dumps(OBJECTS).encode(),
    "laid-out.json": json.dumps(OBJECTS, indent=2).encode("utf-16"),
    "lines.csv": "\n".join(map(json.dumps, OBJECTS)).encode(),
    "marked.json.gz": gzip.compress(codecs.BOM_UTF8 + json.dumps(OBJECTS).encode()),
}


@pytest.mark.parametrize("name", SAME)
def test_what_a_file_is_written_in_does_not_change_its_requests(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(SAME[name])
    assert read_trace(str(path), reading()).profile.demand_ms.tolist() == DEMAND_MS


def test_columns_without_a_header_are_numbered(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("\n".join(LINES[1:]) + "\n")
    trace = read_trace(str(path), reading(demand="column_2"))
    assert trace.profile.demand_ms.tolist() == DEMAND_MS


def test_numbers_of_degrees_are_a_header(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("1,2,4\n50.5,30,20\n")
    assert read_trace(str(path), reading(demand="1")).profile.demand_ms.tolist() == [50.5]


def test_thousands_are_not_taken_for_decimals(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('id,demand\n1,"8,010"\n2,"10,785"\n')
    (finding,) = refused(path)
    assert finding.code is Code.NOT_A_NUMBER


CUT = {name: SAME[name][:-12] for name in ("t.csv.gz", "t.csv.bz2", "t.csv.xz", "t.csv.zst")}


@pytest.mark.parametrize("name", CUT)
def test_what_is_compressed_and_cut_is_called_truncated(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(CUT[name])
    (finding,) = refused(path)
    assert finding.code is Code.TRUNCATED, finding


KINDS = {
    "a spec": b"# mine\napiVersion: tailc/v1\nkind: few-to-many\ndemand:\n  trace: a.csv\n",
    "a YAML document of `openslo`, not measurements": b"apiVersion: openslo/v1\nkind: SLO\n",
    "a compiled policy": b"\x10\0\0\0TLC1\0\0",
    "a workbook": b"PK\x03\x04\x14\0",
    "a PDF": b"%PDF-1.7\n",
    "a log of Gatling": b"RUN\tcomputers.Basic\tbasic\t16094\t \t3.9.5\nUSER\tscn\tSTART\t1\n",
    "a web page": b"<!DOCTYPE html>\n<html>",
    "a summary of k6": b'{"metrics": {"http_req_duration": {"avg": 13, "p(90)": 29.9}}}',
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_another_kind_is_called_what_it_is(tmp_path, kind):
    path = tmp_path / "t.csv"
    path.write_bytes(KINDS[kind])
    (finding,) = refused(path)
    assert finding.code is Code.UNKNOWN_INPUT
    assert f"is {kind}" in finding.message
    assert finding.help


@pytest.mark.parametrize(
    ("text", "row", "line"),
    [
        ("demand\n1\n2\nnan\n", 3, 4),
        ("demand\n1\n\n\nnan\n", 2, 5),
        ('of,demand\n"a\nb",1\nc,nan\n', 2, 4),
        ("1.5\n2.5\nnan\n", 3, 3),
        ('{"demand": 1}\n\n{"demand": "nan"}\n', 2, 3),
        ("demand\r1\rnan\r", 2, 3),
        ("id;demand\n1;2\n1;nan\n", 2, 3),
    ],
)
def test_a_bad_cell_has_its_row_and_its_line(tmp_path, text, row, line):
    path = tmp_path / "t.csv"
    path.write_text(text, newline="")
    column = "column_1" if text.startswith("1.5") else "demand"
    (finding,) = refused(path, column)
    assert (finding.place.row, finding.place.line) == (row, line)
    assert "nan" in finding.place.excerpt


def test_binary_data_is_not_taken_for_text(tmp_path):
    path = tmp_path / "t"
    path.write_bytes(b"\xff\xfe\x03\x91\r\x01\x02")
    with open_source(str(path)) as source:
        assert not source.rewritten


def refused(path, column="demand"):
    with pytest.raises(TailcError) as caught:
        read_trace(str(path), reading(demand=column))
    return caught.value.findings
