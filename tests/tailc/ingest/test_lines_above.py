"""Outputs with other lines above them: the line where the output begins, and the command that
leaves it alone."""

import re

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
