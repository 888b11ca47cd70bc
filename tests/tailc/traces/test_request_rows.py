"""Expected times are worked out by hand: 2,400 cycles at 2.4 GHz are a microsecond."""

import numpy as np
import pytest

from tailc.traces.bins import merge_bins
from tailc.traces.reading import SplitBy, SplitRule, TimeUnit
from tailc.traces.split import split_profile
from tailc.traces.trace import read_trace
from tests.tailc.traces.making import FORMATS, reading, refused, written

GHZ_2_4 = 2_400_000
BY_CYCLES = {"demand": "work", "memory": "memory", "clock_khz": GHZ_2_4, "unit": TimeUnit.US}
BY_TIME = {"demand": "work", "memory": "memory", "unit": TimeUnit.US}
REQUESTS = {"work": [2_400, 0, 4_800_000], "memory": [0.5, 3.0, 0.0]}


@pytest.mark.parametrize("suffix", FORMATS)
def test_cycles_at_a_clock_and_memory_time_add_up_to_the_demand(tmp_path, suffix):
    requests = read_trace(written(tmp_path, suffix, REQUESTS), reading(**BY_CYCLES)).requests
    assert requests.demand_ms.tolist() == [0.0015, 0.003, 2.0]
    assert requests.memory_ms.tolist() == [0.0005, 0.003, 0.0]


def test_cycles_that_look_too_few_point_at_the_clock_and_the_unit_of_memory_times(tmp_path):
    (warning,) = read_trace(written(tmp_path, "csv", REQUESTS), reading(**BY_CYCLES)).warnings
    assert warning.code.name == "UNIT_SUSPECT"
    assert warning.help == "check that the column has cycles, and check `clock` and `unit`"


def test_without_a_clock_memory_time_is_a_part_of_the_demand(tmp_path):
    columns = {"work": [5.0, 3.0], "memory": [0.0, 3.0]}
    requests = read_trace(written(tmp_path, "csv", columns), reading(**BY_TIME)).requests
    assert requests.demand_ms.tolist() == [0.005, 0.003]
    assert requests.memory_ms.tolist() == [0.0, 0.003]


@pytest.mark.parametrize("suffix", ["parquet", "csv", "ndjson"])
@pytest.mark.parametrize(
    ("recipe", "column", "cell", "code", "says"),
    [
        (BY_CYCLES, "work", -1.0, "NOT_POSITIVE", "cell `-1.0` is negative"),
        (BY_CYCLES, "work", float("nan"), "NOT_A_NUMBER", "not a number"),
        (BY_CYCLES, "work", float("inf"), "NOT_FINITE", "is infinite"),
        (BY_CYCLES, "work", 1e18, "OUT_OF_RANGE", "the largest value that is supported"),
        (BY_CYCLES, "memory", -0.5, "NOT_POSITIVE", "cell `-0.5` is negative"),
        (BY_CYCLES, "memory", float("nan"), "NOT_A_NUMBER", "not a number"),
        (
            BY_TIME,
            "memory",
            7.5,
            "OUT_OF_RANGE",
            ("is more than the whole demand in column `work`"),
        ),
        (BY_TIME, "work", 0.0, "NOT_POSITIVE", "is not positive"),
    ],
)
def test_a_bad_cell_is_named_with_row_and_column(
    tmp_path, suffix, recipe, column, cell, code, says
):
    columns = {"work": [5.0, 5.0], "memory": [1.0, 1.0]}
    columns[column] = [columns[column][0], cell]
    (finding,) = refused(written(tmp_path, suffix, columns), reading(**recipe))
    assert (finding.code.name, finding.place.row, finding.place.field) == (code, 2, column)
    assert says in finding.message


def test_neither_cycles_nor_memory_time_is_no_request(tmp_path):
    columns = {"work": [5, 0], "memory": [1.0, 0.0]}
    (finding,) = refused(written(tmp_path, "csv", columns), reading(**BY_CYCLES))
    assert (finding.code.name, finding.place.row) == ("NOT_POSITIVE", 2)
    assert finding.message == "cell `0.0` with no memory time is not a request"
    assert finding.help == "remove the row"


def test_a_memory_column_that_is_not_there_is_named_with_the_likely_one(tmp_path):
    path = written(tmp_path, "csv", {"work": [5], "memory_us": [1]})
    (finding,) = refused(path, reading(**BY_CYCLES))
    assert (finding.code.name, finding.place.field) == ("MISSING_COLUMN", "memory")
    assert "memory_us" in finding.help


def test_bins_keep_the_mean_of_the_memory_time_by_weight(tmp_path):
    columns = {"work": [5.0, 6.0, 50.0], "memory": [1.0, 4.0, 9.0], "n": [1, 3, 2]}
    recipe = reading(**BY_TIME, weight="n")
    merged = merge_bins(read_trace(written(tmp_path, "csv", columns), recipe).requests, 10)
    # (1 + 3 * 4) / 4 us and (5 + 3 * 6) / 4 us.
    assert merged.memory_ms.tolist() == [0.00325, 0.009]
    assert merged.demand_ms.tolist() == [0.00575, 0.05]


def test_each_part_of_a_split_keeps_the_memory_times_of_its_requests(tmp_path):
    columns = {"work": list(range(1, 101)), "memory": [w / 2 for w in range(1, 101)]}
    recipe = reading(**BY_TIME, split=SplitRule(SplitBy.SEED, 300_000))
    for part in split_profile(
        read_trace(written(tmp_path, "csv", columns), recipe), recipe.rows.split
    ):
        assert np.allclose(part.memory_ms, part.demand_ms / 2, atol=1e-6)
