"""Output of load generators in unusual shapes: from a spreadsheet or terminal, or several runs."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tailc.errors import Code
from tailc.ingest.options import TimeColumn
from tailc.ingest.stated_measure import StatedMeasure
from tailc.traces.profile import Measure
from tailc.traces.reading import TimeUnit
from tests.tailc.ingest.generators_case import read, written
from tests.tailc.ingest.prometheus_case import SAMPLES
from tests.tailc.ingest.refusal import OPEN, refused

BUSY = StatedMeasure(Measure.DEMAND_BUSY, "one client was alone on the machine")


def saved_again(text: str, quote: str) -> str:
    """With semicolons, decimal commas, CR LF and a byte order mark."""
    rows = [line.split(",") for line in text.splitlines()]
    cells = [[quote + cell.replace(".", ",") + quote for cell in row] for row in rows]
    header = [quote + name + quote for name in rows[0]]
    return "\ufeff" + "".join(";".join(row) + "\r\n" for row in (header, *cells[1:]))


@pytest.mark.parametrize("name", ["k6.csv", "hey.csv", "oha.csv"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_a_spreadsheet_changes_no_time(tmp_path, name, quote):
    text = (SAMPLES / name).read_text()
    times, found, _ = read(SAMPLES / name, BUSY)
    path = tmp_path / "saved.csv"
    path.write_text(saved_again(text, quote), newline="")
    again, same, _ = read(path, BUSY)
    assert (again, same.format, same.left_out) == (times, found.format, found.left_out)
    column = TimeColumn("response-time" if name == "hey.csv" else "metric_value")
    if name == "hey.csv":
        told = refused(path, StatedMeasure(Measure.DEMAND_CPU), unit=TimeUnit.S, table=column)
        assert told.code is Code.RESPONSE_TIME


SPECTRUM = (
    "       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
    "       1.000 0.500000000000         50           2.00\n"
    "       9.000 1.000000000000        100            inf\n"
    "#[Max     =        9.000, Total count    =          100]\n"
)


@pytest.mark.parametrize("times", [2, 3])
def test_several_runs_in_one_text_are_refused(tmp_path, times):
    wrk2 = (SAMPLES / "wrk2.txt").read_text()
    for text, unit in ((wrk2, None), (SPECTRUM, TimeUnit.MS)):
        told = refused(written(tmp_path, text * times), OPEN, unit=unit)
        assert (told.code, f"the output of {times} runs" in told.message) == (
            Code.BROKEN_FORMAT,
            True,
        )
        assert told.place is not None
        assert told.place.line == text.count("\n") + 1
        assert "give all files" in (told.help or "")


@pytest.mark.parametrize("above", ["$ wrk -R50 --latency http://a\n", "user@host:~$ wrk\n\n"])
def test_a_command_above_the_output_of_wrk2_changes_nothing(tmp_path, above):
    text = above + (SAMPLES / "wrk2.txt").read_text()
    for ends in ("\n", "\r\n"):
        path = written(tmp_path, text.replace("\n", ends))
        assert read(path)[0] == read(SAMPLES / "wrk2.txt")[0]


def test_a_run_of_k6_without_http_is_called_so(tmp_path):
    header = (SAMPLES / "k6.csv").read_text().splitlines()[0]
    path = written(
        tmp_path, f"{header}\nws_session_duration,1671829514,900.5{',' * (header.count(',') - 2)}\n"
    )
    told = refused(path)
    assert (told.code, "has no `http_req_duration`" in told.message) == (Code.EMPTY_TRACE, True)


@pytest.mark.parametrize(
    ("names", "is_advised"),
    [
        ("id,start,end", True),
        ("id,StartTime,EndTime", True),
        ("begun,finished_at", True),
        ("send,took", False),
    ],
)
def test_a_map_is_advised_for_starts_and_ends(tmp_path, names, is_advised):
    path = written(tmp_path, f"{names}\n{'7,' * names.count(',')}9\n")
    assert ("a map for `--columns`" in (refused(path).help or "")) is is_advised


@pytest.mark.parametrize("signal", ["resourceMetrics", "resourceLogs", "resource_metrics"])
def test_other_signals_of_a_collector_are_passed_over(tmp_path, signal):
    lines = (SAMPLES / "otlp.json").read_text().splitlines(keepends=True)
    other = json.dumps({signal: [{"resource": {}}]}) + "\n"
    path = written(tmp_path, "".join((lines[0], other, *lines[1:], other)))
    assert read(path)[0] == read(SAMPLES / "otlp.json")[0]


def test_what_is_compressed_twice_is_called_so(tmp_path):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(gzip.compress(b"id,took_ms\n1,5\n")))
    assert "is compressed twice" in refused(tmp_path / "t.csv.gz").message


def test_parquet_is_a_table(tmp_path):
    pq.write_table(pa.table({"id": [1, 2], "took": [5.0, 6.0]}), tmp_path / "t")
    assert "columns: `took`, `id`" in (refused(tmp_path / "t").help or "")


def test_the_uncorrected_spectrum_of_the_same_run_is_not_another(tmp_path):
    wrk2 = (SAMPLES / "wrk2.txt").read_text()
    times, _, _ = read(SAMPLES / "wrk2.txt")
    assert read(written(tmp_path, wrk2 + SPECTRUM))[0] == times


def test_json_is_no_header_of_a_table(tmp_path):
    path = written(tmp_path, json.dumps({"metric_name": 1, "timestamp": 2, "metric_value": 3}))
    assert "is a table" in refused(path).message
