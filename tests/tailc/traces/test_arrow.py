"""Between numpy and pyarrow: the same values as pyarrow's own ways, and no pandas."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from tailc.traces.arrow import mask, nothing, numpy_of, text_array, truths_of
from tests.tailc.traces.making import DATA, written

READ = """
import sys
from tailc.traces.profile import Measure
from tailc.traces.reading import (
    ClassCurves, Curve, DemandColumn, DemandReading, ValueMeaning, Rows, TimeUnit
)
from tailc.traces.trace import read_trace
curves = (Curve("x", (1_000_000,)), Curve("y", (1_000_000,)))
read_trace(sys.argv[1], DemandReading(
    ValueMeaning(Measure.DEMAND_BUSY, "one core", TimeUnit.MS),
    Rows((("id", "a"),)),
    DemandColumn("demand"),
    ClassCurves("kind", curves),
    weight="n",
))
sys.exit("pandas" in sys.modules)
"""


@pytest.mark.parametrize("kind", [pa.float64(), pa.int64(), pa.int32(), pa.uint8()])
def test_numbers_are_those_of_pyarrow_in_any_number_of_chunks(kind):
    whole = pa.array([3, 1, 2], kind)
    for column in (whole, pa.chunked_array([whole]), pa.chunked_array([whole, whole[1:]])):
        found, wanted = numpy_of(column), column.to_numpy()
        assert (found.dtype, found.tolist()) == (wanted.dtype, wanted.tolist())
    assert not len(numpy_of(pa.chunked_array([], kind)))


@pytest.mark.parametrize("kind", [pa.float64(), pa.int32()])
def test_missing_numbers_are_nan(kind):
    column = pa.chunked_array([pa.array([None, 7, None], kind), pa.array([8], kind)])
    assert numpy_of(column).tolist() == pytest.approx([np.nan, 7.0, np.nan, 8.0], nan_ok=True)


def test_missing_truths_are_false():
    assert truths_of(pa.array([True, None, False])).tolist() == [True, False, False]


@pytest.mark.parametrize("rows", [0, 1, 8, 9])
def test_a_mask_filters_by_its_truths(rows):
    chosen = np.arange(rows) % 3 == 0
    assert mask(chosen).to_pylist() == chosen.tolist()


def test_texts_are_kept_in_any_script():
    texts = ["", "web", "süß", "検索"]
    assert text_array(texts).to_pylist() == texts
    assert text_array([]).to_pylist() == []
    assert nothing(pa.string()).as_py() is None


@pytest.mark.parametrize("suffix", ["parquet", "csv", "ndjson"])
def test_a_trace_is_read_without_pandas(tmp_path, suffix):
    """Numbers, classes, weights and a filter; pandas is there, and would come with pyarrow."""
    pytest.importorskip("pandas")
    trace = written(tmp_path, suffix, DATA)
    ended = subprocess.run([sys.executable, "-c", READ, trace], check=False)
    assert ended.returncode == 0
