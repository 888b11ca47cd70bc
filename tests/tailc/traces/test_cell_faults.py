"""The error about a text that is not a number says why it is none, and what to write."""

import json

import pytest

from tailc.errors import Code, TailcError
from tailc.lint.lint import lint
from tailc.lint.roles import TraceOptions
from tailc.traces.cell_faults import fault_of
from tailc.traces.trace import read_trace
from tests.tailc.traces.making import reading

FAULTS = [
    ("0.004, 0.012", "several numbers", "sum"),
    ("0.001 : 0.002", "several numbers", "sum"),
    ("0.001, 0.002 : 0.003, 0.004", "several numbers", "sum"),
    ("5;6", "several numbers", "sum"),
    ("-", "marks a missing value", "taken too long"),
    ("N/A", "marks a missing value", "taken too long"),
    ("41%", "has a unit", "one unit"),
    ("1,234", "thousands separator", "without separators"),
    ("1.200,5", "thousands separator", "without separators"),
    ("1.234.567", "thousands separator", "without separators"),
    ("<1", "a bound", "half of it"),
    ("> 30.5", "a bound", "cannot be left out"),
    ("12 345.5", "thousands separator", "without separators"),
    ("8,5", "decimal comma", "decimal point"),
    ("#DIV/0!", "spreadsheet's error", "measured"),
    ("01:30", "hours and minutes", "00:01:30"),
]


@pytest.mark.parametrize(("cell", "why", "mend"), FAULTS)
def test_the_reason_and_the_remedy_are_those_of_the_cell(tmp_path, cell, why, mend):
    (finding,) = refused(tmp_path, cell)
    assert finding.message.startswith(f"cell `{cell}` is not a number: it ")
    assert (why in finding.message, mend in (finding.help or "")) == (True, True)


@pytest.mark.parametrize("cell", ["fast", "5 apples", "1.2.3", "12:30:00:00", ""])
def test_other_texts_have_no_reason(tmp_path, cell):
    assert fault_of(cell) is None
    (finding,) = refused(tmp_path, cell)
    assert finding.help == "correct the cell, or remove the row"


@pytest.mark.parametrize("number", ["5", "-0.5", "1e-3", ".5", "+7."])
def test_numbers_have_no_fault(number):
    assert fault_of(number) is None


def refused(folder, cell):
    path = folder / "t.ndjson"
    path.write_text("".join(json.dumps({"demand": each}) + "\n" for each in ("5.5", cell, "7")))
    with pytest.raises(TailcError) as caught:
        read_trace(str(path), reading())
    (finding,) = caught.value.findings
    assert (finding.code, finding.place.row) == (Code.NOT_A_NUMBER, 2)
    return caught.value.findings


@pytest.mark.parametrize(
    ("cells", "row", "words"),
    [
        (("6.5ms", "350 µs", "7", "1.2s"), 3, "cell `7` has no unit, unlike most cells"),
        (("9", "6.5ms", "350us"), 1, "cell `9` has no unit"),
        (("6.5ms", "8", "350 µs", "9", "3s"), 2, "(first of 2 such cells, in rows 2, 4)"),
        (("6", "6.5ms", "7"), 2, "cell `6.5ms` is not a number: it has a unit"),
        (("6", "6.5ms"), 2, "cell `6.5ms` is not a number: it has a unit"),
    ],
)
def test_where_units_are_mixed_the_fewer_cells_are_wrong(tmp_path, cells, row, words):
    path = tmp_path / "t.csv"
    path.write_text("\n".join(("demand_ms", *cells)) + "\n")
    with pytest.raises(TailcError) as caught:
        read_trace(str(path), reading(demand="demand_ms"))
    (finding,) = caught.value.findings
    assert (finding.place.row, words in finding.message) == (row, True)
    found = lint(str(path), TraceOptions()).findings
    assert {one.place.row for one in found if one.place.row} == {row}
