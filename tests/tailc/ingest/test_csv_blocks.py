"""Long CSV is read by a kernel of its own, and gives what pyarrow makes of it."""

import gzip

import pytest

from tailc.errors import TailcError
from tailc.ingest import columns
from tailc.ingest.ingest import ingest
from tailc.ingest.options import InputOptions, TimeColumn
from tailc.ingest.stated_measure import StatedMeasure
from tailc.traces.profile import Measure
from tailc.traces.profile_file import written_counted
from tailc.traces.reading import TimeUnit

TEXTS = {
    "plain": "id,demand_ms,note\na,12.5,x\nb,3,y\nc,.25,\nd,7.,z\n",
    "in one column": "demand_ms\n5\n0.001\n",
    "with other ends": "\r\nid,demand_ms\r\na,12.5\r\n\r\n\nb,7\r\n",
    "without the last end": "demand_ms,id\n12.5,a\n7,b",
    "with a mark of its encoding": "\ufeffdemand_ms,id\n12.5,\u00e9\n",
    "with exponents and signs": "demand_ms\n1e3\n+5\n 7\n12.5\n",
    # The 16 digits of 2^53 + 1, which no float is; more digits than an int64 has; and 18 decimals.
    "with many digits": (
        "demand_ms\n900719925.4740993\n0.1234567890123456789012345\n0.000001500000000000\n"
    ),
    "with a header in quotes": '"id","demand_ms"\na,12.5\n',
    "with quotes": 'id,demand_ms\n"a,1","12.5"\n"b\n2",7\nc,8\n',
}
BAD = {
    "a word": "demand_ms\n5\nfast\n",
    "nothing": "id,demand_ms\na,5\nb,\n",
    "zero": "demand_ms\n5\n0.0\n",
    "a missing cell": "id,demand_ms,n\na,5,1\nb,5\n",
    "a cell too many": "id,demand_ms\na,5\nb,5,1\n",
    "no rows": "demand_ms\n\n",
}


def profile(path):
    given = InputOptions(TimeUnit.MS, TimeColumn("demand_ms"))
    return written_counted(ingest([str(path)], given, StatedMeasure(Measure.DEMAND_BUSY)).counted)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_long_table_counts_as_a_short_one(tmp_path, monkeypatch, text):
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode())
    short = profile(path)
    monkeypatch.setattr(columns, "LONG_CSV_BYTES", 0)
    assert profile(path) == short


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_a_long_table_is_refused_as_a_short_one(tmp_path, monkeypatch, text):
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode())
    with pytest.raises(TailcError) as short:
        profile(path)
    monkeypatch.setattr(columns, "LONG_CSV_BYTES", 0)
    with pytest.raises(TailcError) as long:
        profile(path)
    assert long.value.findings == short.value.findings


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_rows_that_span_blocks_are_counted_once(tmp_path, monkeypatch, ending):
    lines = [f"{number},{number}.125,{'x' * 50}\n" for number in range(1, 150_001)]
    path = tmp_path / f"x.csv{ending}"
    data = ("n,demand_ms,note\n" + "".join(lines)).encode()
    path.write_bytes(gzip.compress(data, 1) if ending else data)
    monkeypatch.setattr(columns, "LONG_CSV_BYTES", 0)
    counted = ingest(
        [str(path)],
        InputOptions(TimeUnit.MS, TimeColumn("demand_ms")),
        StatedMeasure(Measure.DEMAND_BUSY),
    )
    histogram = counted.counted.histogram
    assert histogram.requests == 150_000
    assert (histogram.min_ns, histogram.max_ns) == (1_125_000, 150_000_125_000)
    # Half of them are at most 75,000.125 ms.
    assert histogram.quantile_ns(500_000) == pytest.approx(75_000_125_000, rel=2**-11)


def test_a_line_that_never_ends_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "LONG_CSV_BYTES", 0)
    path = tmp_path / "x.csv"
    path.write_text("demand_ms,note\n5,a\n6," + "x" * (1 << 23))
    with pytest.raises(TailcError) as caught:
        profile(path)
    assert "cannot be read as CSV" in caught.value.findings[0].message
