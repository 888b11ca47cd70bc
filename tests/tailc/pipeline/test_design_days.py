"""Days of the records that a policy is compiled from."""

from dataclasses import replace

import pytest

from tailc.errors import TailcError
from tailc.pipeline.design_days import design_days
from tailc.pipeline.spec import open_kind
from tailc.pipeline.trace import open_trace
from tests.tailc.policies.few_to_many.case import write

ROWS = [("2024-03-01T10:00", 5), ("2024-03-02T10:00", 6), ("2024-03-01T11:00", 7)]


def opened(folder, demand: str = ""):
    """Three rows and one that `where` leaves out, of two days."""
    case = write(folder)
    case.spec.write_text(case.spec.read_text().replace("  unit: ms", f"  unit: ms\n{demand}"))
    lines = [f"{when},{ms},yes" for when, ms in ROWS]
    case.design.write_text("\n".join(["when,demand_ms,kept", "2024-03-09,1,no", *lines]) + "\n")
    return open_kind(str(case.spec))


KEPT = "  where: {kept: yes}"
LATEST = KEPT + "\n  held_out: {fraction: 30%, by: time, column: when}"


def test_rows_that_are_kept_have_the_day_of_their_cell(tmp_path):
    one = opened(tmp_path, KEPT)
    found = design_days(one, open_trace(one), "when")
    assert found is not None
    assert found.names == ("2024-03-01", "2024-03-02")
    assert found.of_row.tolist() == [0, 1, 0]


def test_what_is_held_out_has_no_day(tmp_path):
    """The latest of three is the second."""
    one = opened(tmp_path, LATEST)
    found = design_days(one, open_trace(one), "when")
    assert found is not None
    assert found.of_row.tolist() == [0, 0]


def test_no_column_tells_no_days(tmp_path):
    one = opened(tmp_path, KEPT)
    assert design_days(one, open_trace(one), None) is None


def test_standard_input_cannot_be_read_for_days(tmp_path):
    one = opened(tmp_path, KEPT)
    piped = replace(open_trace(one), path="-")
    with pytest.raises(TailcError, match="standard input can be read only"):
        design_days(one, piped, "when")
