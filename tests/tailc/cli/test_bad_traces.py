"""Every broken trace ends in a located message and exit code 65, and nothing is written."""

import gzip
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.tailc.toy import with_lines, write_toy

HEAD = "request,demand_ms\n"


@pytest.mark.parametrize(
    ("trace", "place", "says"),
    [
        ("", "toy.csv", "empty"),
        (HEAD, "toy.csv", "no rows"),
        ("request,demand\n1,50\n", "toy.csv", "`demand_ms`"),
        ("demand_ms,demand_ms\n1,50\n", "toy.csv", "`demand_ms`"),
        (HEAD + "1,50\n2,nan\n", "row 2, column `demand_ms`", "nan"),
        (HEAD + "1,50\n2,\n", "row 2, column `demand_ms`", "empty"),
        (HEAD + "1,50\n2,inf\n", "row 2, column `demand_ms`", "inf"),
        (HEAD + "1,0\n2,50\n", "row 1, column `demand_ms`", "0"),
        (HEAD + "1,50\n2,-5\n", "row 2, column `demand_ms`", "-5"),
        (HEAD + "1,50\n2,fast\n", "row 2, column `demand_ms`", "`fast`"),
        (HEAD + "1,50\n2,50,3\n", "row 2", "cells"),
        (HEAD + "1,50\n2\n", "row 2", "cell"),
    ],
)
def test_a_broken_csv_is_located(in_folder, tailc, trace, place, says):
    ended = tailc("compile", write_toy(in_folder, trace=trace), "-o", "out")
    assert ended.code == 65
    assert place in ended.err
    assert says in ended.err
    assert not (in_folder / "out.tailc").exists()


def spec_for(folder, name, content):
    """The spec of the worked example, pointed at a trace file of that name and content."""
    (folder / name).write_bytes(content)
    return write_toy(folder, with_lines(("trace: toy.csv", f"trace: {name}")))


def parquet(folder, **columns):
    pq.write_table(pa.table(columns), folder / "whole.parquet")
    return (folder / "whole.parquet").read_bytes()


def test_a_truncated_gzip_is_refused(in_folder, tailc):
    whole = gzip.compress((HEAD + "".join(f"{i},{i % 90 + 5}\n" for i in range(5000))).encode())
    ended = tailc("compile", spec_for(in_folder, "t.csv.gz", whole[: len(whole) // 2]))
    assert ended.code == 65
    assert "TC0208" in ended.err
    assert "t.csv.gz" in ended.err


@pytest.mark.parametrize("keep", [0.5, 0.98])
def test_a_parquet_file_without_its_footer_is_refused(in_folder, tailc, keep):
    whole = parquet(in_folder, demand_ms=np.linspace(1, 90, 5000))
    ended = tailc("compile", spec_for(in_folder, "t.parquet", whole[: int(keep * len(whole))]))
    assert ended.code == 65
    assert "t.parquet" in ended.err


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0, 0.0, None])
def test_a_bad_cell_of_a_parquet_file_is_located(in_folder, tailc, value):
    whole = parquet(in_folder, demand_ms=pa.array([5.0, 6.0, value], pa.float64()))
    ended = tailc("compile", spec_for(in_folder, "t.parquet", whole))
    assert ended.code == 65
    assert "row 3, column `demand_ms`" in ended.err


def test_a_column_of_text_is_refused_by_its_cell(in_folder, tailc):
    whole = parquet(in_folder, demand_ms=pa.array(["5", "six"]))
    ended = tailc("compile", spec_for(in_folder, "t.parquet", whole))
    assert ended.code == 65
    assert "`demand_ms`" in ended.err


def test_a_broken_line_of_ndjson_is_located(in_folder, tailc):
    lines = b'{"demand_ms": 50}\n{"demand_ms": }\n'
    ended = tailc("compile", spec_for(in_folder, "t.ndjson", lines))
    assert ended.code == 65
    assert "row 2" in ended.err


def test_a_missing_trace_is_exit_66(in_folder, tailc):
    spec = write_toy(in_folder, with_lines(("trace: toy.csv", "trace: gone.csv")))
    ended = tailc("compile", spec)
    assert ended.code == 66
    assert "gone.csv" in ended.err


def test_a_response_time_is_no_demand_unless_the_spec_says_why(in_folder, tailc):
    measured = ("measure: demand-busy", "measure: response-open")
    refused = tailc("compile", write_toy(in_folder, with_lines(measured)), "-o", "out")
    assert refused.code == 65
    assert "toy.yaml:9:" in refused.err
    reason = "measure: response-open\n  response_time_because: measured at one request a minute"
    accepted = write_toy(in_folder, with_lines((measured[0], reason)))
    assert tailc("compile", accepted, "-o", "out").code == 0
    policy = json.loads((in_folder / "out.json").read_text())
    assert policy["reading"]["note"] == "measured at one request a minute"


@pytest.mark.parametrize(
    ("curve", "code"),
    [("[1, 1.5, 1.2]", "TC0252"), ("[1, 2.5, 3]", "TC0253"), ("[1, 1.5, 2.6]", "TC0254")],
)
def test_an_odd_speedup_is_a_warning_with_a_count(in_folder, tailc, curve, code):
    ended = tailc("compile", write_toy(in_folder, with_lines(("[1, 1.5, 2]", curve))), "-o", "out")
    assert ended.code == 0
    assert f"warning[{code}]" in ended.err


def test_a_unit_off_by_a_thousand_is_a_warning(in_folder, tailc):
    spec = with_lines(("unit: ms", "unit: s"), ("step: 50ms", "step: 50s"))
    path = write_toy(in_folder, spec, HEAD + "1,5000\n2,9000\n")
    ended = tailc("compile", path, "--allow-misses", "-o", "out")
    assert ended.code == 0
    assert "warning[TC0251]" in ended.err


def test_a_speedup_that_does_not_begin_at_one_is_a_warning(in_folder, tailc):
    spec = with_lines(("[1, 1.5, 2]", "[0.9, 1.5, 2]"))
    ended = tailc("compile", write_toy(in_folder, spec), "-o", "out")
    assert ended.code == 0
    assert "warning[TC0257]: 1 of 1 speed-up curves are not 1 at degree 1" in ended.err


def test_an_odd_curve_is_placed_where_it_is_written(in_folder, tailc):
    spec = with_lines(("[1, 1.5, 2]", "[1, 1.5, 1.2]"))
    ended = tailc("check", "--with-trace", write_toy(in_folder, spec))
    assert "toy.yaml:11:" in ended.err
