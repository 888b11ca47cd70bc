"""Columns of a file are read once where several readings take them."""

from collections import Counter

import pytest

from tailc.traces.csv_table import CsvTable
from tailc.traces.held_cells import cells_held
from tailc.traces.source import open_source
from tailc.traces.table import ColumnsToRead
from tailc.traces.trace import cells_of

DEMAND, BOTH = ColumnsToRead(("a",), (), ()), ColumnsToRead(("a", "b"), (), ())


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    with open_source(str(path)) as opened:
        yield opened


@pytest.fixture
def reads(monkeypatch):
    """How often a table is read."""
    counts = Counter()
    read = CsvTable.batches

    def counted(table, wanted):
        counts[wanted.numbers] += 1
        return read(table, wanted)

    monkeypatch.setattr(CsvTable, "batches", counted)
    return counts


def test_the_same_columns_are_read_once_within_and_each_time_outside(source, reads):
    with cells_held():
        first, again = (cells_of(CsvTable(source), DEMAND) for _ in range(2))
        cells_of(CsvTable(source), BOTH)
    assert first.columns["a"].to_pylist() == again.columns["a"].to_pylist() == [1, 3]
    assert reads == {("a",): 1, ("a", "b"): 1}
    cells_of(CsvTable(source), DEMAND)
    assert reads["a",] == 2


def test_rows_that_are_filtered_otherwise_are_read_again(source):
    with cells_held():
        found = [
            cells_of(CsvTable(source), ColumnsToRead(("a",), (), ("b",)), (("b", b),)) for b in "24"
        ]
    assert [cells.columns["a"].to_pylist() for cells in found] == [[1], [3]]


def test_findings_of_one_reader_are_not_those_of_the_next(source):
    with cells_held():
        first, second = (cells_of(CsvTable(source), DEMAND) for _ in range(2))
    first.findings.append(None)
    assert second.findings == []


def test_no_more_than_the_last_16_are_held(source, reads):
    with cells_held():
        for row in range(40):
            cells_of(CsvTable(source), DEMAND, limit=1_000 + row)
        cells_of(CsvTable(source), DEMAND, limit=1_039)
        cells_of(CsvTable(source), DEMAND, limit=1_000)
    assert reads["a",] == 41
