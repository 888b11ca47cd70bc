"""The CSV of ghz: durations in ms, failed calls, and errors with commas and line breaks."""

import pytest

from tailc.errors import Code
from tailc.ingest.stated_measure import StatedMeasure
from tests.tailc.ingest.generators_case import near, read, written
from tests.tailc.ingest.refusal import refused

NAMES = "duration (ms),status,error\n"


@pytest.mark.parametrize("above", ["\n", "", "\ufeff"])
def test_calls_that_succeeded_are_counted(tmp_path, above):
    path = written(tmp_path, above + NAMES + "1.43,OK,\n0.39,OK,\n2.50,OK,\n", "run.csv")
    times, read_, warnings = read(path)
    assert times == near([0.39, 1.43, 2.5])
    assert read_ is not None
    assert (str(read_.format), warnings) == ("ghz CSV", [])


@pytest.mark.parametrize(
    "error",
    [
        "rpc error: code = DeadlineExceeded desc = context deadline exceeded",
        "rpc error: code = Unavailable desc = closing, 3 calls, 12.5,OK",
        "rpc error: desc = trace:\n  at frame 1\n\n  at frame 2, line 7",
        '"quoted, and more"',
    ],
)
def test_failed_calls_are_left_out_whatever_their_error_says(tmp_path, error):
    text = f"{NAMES}1.00,OK,\n20000.11,DeadlineExceeded,{error}\n3.00,OK,\n"
    times, read_, warnings = read(written(tmp_path, text, "run.csv"))
    assert times == near([1.0, 3.0])
    assert read_ is not None
    assert (read_.left_out, warnings) == (1, [Code.FAILED_REQUESTS])


def test_a_call_of_less_than_a_hundredth_counts_as_half_of_it(tmp_path):
    times, _read, warnings = read(written(tmp_path, NAMES + "0.00,OK,\n0.02,OK,\n", "run.csv"))
    assert times == near([0.005, 0.02])
    assert warnings == [Code.ZERO_LENGTH]


def test_it_does_not_say_how_calls_were_sent(tmp_path):
    path = written(tmp_path, NAMES + "1.00,OK,\n", "run.csv")
    assert refused(path, StatedMeasure()).code is Code.UNSTATED_MEASURE


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ("1.00,OK,\nanother text\n", Code.BROKEN_FORMAT),
        ("1.00;OK\n", Code.BROKEN_FORMAT),
        ("1.00,Unavailable,down\n", Code.EMPTY_TRACE),
    ],
)
def test_lines_that_are_no_calls_are_refused(tmp_path, rows, code):
    assert refused(written(tmp_path, NAMES + rows, "run.csv")).code is code


def test_rows_without_calls_are_refused(tmp_path):
    assert refused(written(tmp_path, NAMES, "run.csv")).code is Code.EMPTY_TRACE
