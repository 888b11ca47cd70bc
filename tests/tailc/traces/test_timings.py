import numpy as np
import pytest

from tailc.traces.reading import Timings
from tailc.traces.trace import read_trace
from tests.tailc.traces.making import FORMATS, reading, refused, written

TIMED = {
    "query": ["b", "a", "b", "a", "a", "b", "a", "b"],
    "degree": [1, 1, 1, 2, 1, 2, 2, 2],
    "took": [10.0, 4.0, 14.0, 2.0, 8.0, 6.0, 4.0, 10.0],
}


def timed(**changes):
    columns = Timings(request="query", degree="degree", duration="took")
    return reading(**({"demand": None, "curves": (), "timings": columns} | changes))


@pytest.mark.parametrize("suffix", FORMATS)
def test_means_at_each_degree_become_demand_and_curve(tmp_path, suffix):
    # b: (10 + 14) / 2 = 12 alone, (6 + 10) / 2 = 8 on two; a: 6 alone, 3 on two.
    profile = read_trace(written(tmp_path, suffix, TIMED), timed()).profile
    assert profile.demand_ms.tolist() == [12.0, 6.0]
    assert profile.curves[profile.curve_of].tolist() == [[1.0, 1.5], [1.0, 2.0]]
    assert profile.weight.tolist() == [1, 1]


def test_the_order_of_repetitions_does_not_matter(tmp_path):
    rng = np.random.default_rng(5)
    took = rng.lognormal(1, 1, 40)
    columns = {"query": ["q"] * 40, "degree": [1, 2] * 20, "took": took.tolist()}
    shuffled = np.concatenate([[0], 1 + rng.permutation(39)])
    again = {name: [cells[i] for i in shuffled] for name, cells in columns.items()}
    first = read_trace(written(tmp_path, "csv", columns), timed()).profile.digest
    assert read_trace(written(tmp_path, "csv", again), timed()).profile.digest == first


def test_few_repetitions_are_a_warning_with_counts(tmp_path):
    columns = {"query": ["q"] * 19, "degree": [1] * 10 + [2] * 9, "took": [1.0] * 19}
    (warning,) = read_trace(written(tmp_path, "csv", columns), timed()).warnings
    assert warning.code.name == "FEW_REPETITIONS"
    wanted = (
        "1 of 2 mean times of a request at a degree are from fewer than 10 timings, the fewest "
        "from 9, so speed-ups are uncertain"
    )
    assert warning.message == wanted


def test_a_request_not_timed_at_a_degree_is_named_with_its_row(tmp_path):
    columns = {"query": ["a", "a", "b", "c"], "degree": [1, 2, 1, 1], "took": [1.0] * 4}
    (finding,) = refused(written(tmp_path, "csv", columns), timed())
    assert (finding.code.name, finding.place.row) == ("BAD_TIMINGS", 3)
    assert finding.message.startswith("request `b` has no timing at degree 2 (first of 2 ")


@pytest.mark.parametrize(
    ("degrees", "took", "limit", "curve", "between"),
    [
        ([1, 2, 4], [12.0, 6.0, 4.0], None, [1, 2, 2.5, 3], "1 degree without timings (3)"),
        ([1, 2, 4], [12.0, 6.0, 4.0], 2, [1, 2], None),
        ([1, 2, 4], [12.0, 6.0, 4.0], 3, [1, 2, 2.5], "1 degree without timings (3)"),
        ([1, 4], [12.0, 4.8], None, [1, 1.5, 2, 2.5], "2 degrees without timings (2, 3)"),
        (
            [1, 2, 4, 8],
            [12.0, 6.0, 4.0, 2.4],
            None,
            [1, 2, 2.5, 3, 3.5, 4, 4.5, 5],
            "4 degrees without timings (3, 5, 6, 7)",
        ),
        ([1, 2, 4, 8], [12.0, 6.0, 4.0, 2.4], 6, [1, 2, 2.5, 3, 3.5, 4], "3 degrees"),
        ([2, 1], [6.0, 12.0], 5, [1, 2], None),
    ],
)
def test_speedups_between_timed_degrees_are_on_a_line(
    tmp_path, degrees, took, limit, curve, between
):
    rows = {"query": ["a"] * len(degrees), "degree": degrees, "took": took}
    trace = read_trace(written(tmp_path, "csv", rows), timed(max_degree=limit))
    assert trace.profile.curves[trace.profile.curve_of].tolist() == [curve]
    found = [one for one in trace.warnings if one.code.name == "DEGREES_INTERPOLATED"]
    assert [between is not None and one.message.startswith(between) for one in found] == (
        [True] if between else []
    )


def test_requests_need_the_same_degrees_and_no_wide_gap(tmp_path):
    columns = {"query": ["a", "a", "b", "b"], "degree": [1, 4, 1, 2], "took": [4.0] * 4}
    (finding,) = refused(written(tmp_path, "csv", columns), timed())
    assert finding.message.startswith("request `a` has no timing at degree 2 (first of 2 ")
    assert "here 1, 2, 4, or" in (finding.help or "")
    columns = {"query": ["a"] * 3, "degree": [1, 2, 9], "took": [4.0] * 3}
    (finding,) = refused(written(tmp_path, "csv", columns), timed())
    assert "between 2 and 9, which is too wide" in finding.message
    assert "at most 8" in (finding.help or "")
    columns = {"query": ["a", "b"], "degree": [2, 2], "took": [4.0] * 2}
    (finding,) = refused(written(tmp_path, "csv", columns), timed())
    assert finding.message.startswith("request `a` has no timing at degree 1 ")


@pytest.mark.parametrize(
    ("column", "cell", "code"),
    [
        ("degree", 1.5, "OUT_OF_RANGE"),
        ("degree", 0, "NOT_POSITIVE"),
        ("took", "slow", "NOT_A_NUMBER"),
    ],
)
def test_bad_timing_cells_are_located(tmp_path, column, cell, code):
    cells = TIMED[column].copy()
    cells[3] = cell
    (finding,) = refused(written(tmp_path, "csv", TIMED | {column: cells}), timed())
    assert (finding.code.name, finding.place.row, finding.place.field) == (code, 4, column)


def test_a_weight_belongs_to_the_request(tmp_path):
    weights = {"n": [7, 3, 7, 3, 3, 7, 3, 7]}
    profile = read_trace(written(tmp_path, "csv", TIMED | weights), timed(weight="n")).profile
    assert profile.weight.tolist() == [7, 3]
    weights["n"][4] = 4
    (finding,) = refused(written(tmp_path, "csv", TIMED | weights), timed(weight="n"))
    assert (finding.code.name, finding.place.row) == ("BAD_TIMINGS", 5)


def test_one_stray_large_degree_does_not_fill_the_memory(tmp_path):
    rows = 50_000
    degrees = [1] * (rows - 1) + [4096]
    columns = {"query": list(range(rows)), "degree": degrees, "took": [1.0] * rows}
    (finding,) = refused(written(tmp_path, "csv", columns), timed())
    assert f"degree 4096 (first of {rows} missing" in finding.message


@pytest.mark.parametrize(
    ("took", "speedup"), [([1e-6, 10.0], "1e-07"), ([1e6, 1e-6], "1e+12")], ids=["small", "large"]
)
def test_a_speedup_that_millionths_cannot_hold_is_named_with_its_request(tmp_path, took, speedup):
    columns = {"query": ["a", "a", "b", "b"], "degree": [1, 2, 1, 2], "took": [2.0, 1.0, *took]}
    (finding,) = refused(written(tmp_path, "csv", columns), timed())
    assert (finding.code.name, finding.place.row) == ("OUT_OF_RANGE", 3)
    assert finding.message == f"request `b` has a speed-up of `{speedup}` at degree 2"
