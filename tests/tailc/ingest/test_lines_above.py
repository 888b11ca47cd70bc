"""Outputs with other lines above them: the line where the output begins, and the command that
leaves it alone."""

import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tailc.ingest.ingest import ingest
from tailc.lint.lint import lint
from tailc.lint.roles import TraceOptions
from tailc.traces.reading import TimeUnit
from tests.tailc.ingest.refusal import OPEN, options, refused

SPECTRUM = (
    "       Value   Percentile   TotalCount 1/(1-Percentile)\n\n"
    "      45.000     0.000000            1         1.00\n"
    "      60.000     0.500000            6         2.00\n"
    "      80.000     1.000000           10          inf\n"
    "#[Mean    =       60.464, StdDeviation   =        4.799]\n"
    "#[Max     =       80.000, Total count    =           10]\n"
)
LOG = (
    "#[Histogram log format version 1.1]\n"
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"\n'
)
GHZ = "duration (ms),status,error\n1.00,OK,\n2.00,OK,\n"
SCRAPE = (
    "# TYPE t_seconds histogram\n"
    't_seconds_bucket{le="0.1"} 5\nt_seconds_bucket{le="+Inf"} 5\nt_seconds_count 5\n'
)


@pytest.mark.parametrize(
    ("above", "output", "what"),
    [
        ("66.501   <=== Average value\n", SPECTRUM, "HdrHistogram percentiles"),
        ("[Logging for: INSERT]\n", LOG, "HdrHistogram log"),
        ("$ ghz --format csv localhost:50051\n", GHZ, "ghz CSV"),
        ("metrics of pod web-1:\n\n", SCRAPE, "Prometheus text"),
    ],
)
def test_the_first_line_of_the_output_is_named(tmp_path, above, output, what):
    path = tmp_path / "run.txt"
    path.write_text(above + output)
    found = refused(path)
    first = above.count("\n") + 1
    assert found.message == f"`{path}` has other lines above {what}"
    assert found.place is not None
    assert found.place.line == first
    assert re.search(rf"`tail -n \+{first} FILE > rest.txt`", found.help or "")
    (linted,) = lint(str(path), TraceOptions()).findings
    assert linted.message == found.message


def test_the_output_alone_is_read(tmp_path):
    path = tmp_path / "rest.txt"
    path.write_text(SPECTRUM)
    assert ingest([str(path)], options(unit=TimeUnit.US), OPEN).counted.histogram.requests == 10


@pytest.mark.parametrize("rows", ["id,took_ms\n1,5\n2,6\n", '{"took_ms": 5}\n\n{"took_ms": 6}\n'])
def test_a_table_has_no_output_below(tmp_path, rows):
    path = tmp_path / "run.txt"
    path.write_text(rows)
    assert "other lines" not in refused(path).message


def test_the_cells_of_a_parquet_file_are_no_output(tmp_path):
    path = tmp_path / "run.parquet"
    table = pa.table({"demand_ms": [1.0, 2.0], "note": [f"$ ghz\n{GHZ}", "b"]})
    pq.write_table(table, path, compression="none", use_dictionary=False)
    assert b"\n" + GHZ.encode() in path.read_bytes()
    assert lint(str(path), TraceOptions()).findings == ()
    assert "it is unknown which column has the times" in refused(path).message


def test_a_table_below_a_summary_is_named_with_its_line(tmp_path):
    path = tmp_path / "run.txt"
    summary = "p50 4 ms\np90 8 ms\np99 9 ms\n"
    path.write_text(summary + "id,kind,took\n" + "".join(f"{at},a,5\n" for at in range(10)))
    assert refused(path).message == f"`{path}` has other lines above its table"
    findings = lint(str(path), TraceOptions()).findings
    assert any("the table begins in line 4" in finding.message for finding in findings)
