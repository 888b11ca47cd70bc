"""A profile as CSV has every row of the trace with all its digits."""

import numpy as np

from tailc.traces.csv_profile import csv_profile
from tailc.traces.profile import DemandProfile, Measure

THIRD = 1 / 3


def lines(**changed):
    values = {
        "demand_ms": np.array([THIRD, 2.0]),
        "weight": np.array([1, 6]),
        "curves": np.array([[1.0, 1.5], [1.0, THIRD + 1]]),
        "curve_of": np.array([1, 0], dtype=np.int32),
        "curve_names": (),
        "measure": Measure.DEMAND_CPU,
        "reference": "one thread",
    }
    return csv_profile(DemandProfile(**(values | changed))).decode().splitlines()


def test_numbers_read_back_to_the_same_double():
    header, first, second = lines()
    assert header == "demand_ms,weight,speedup_1,speedup_2"
    assert [float(cell) for cell in first.split(",")] == [THIRD, 1, 1, THIRD + 1]
    assert second == "2.0,6,1.0,1.5"


def test_memory_times_follow_the_weight():
    header, first, _ = lines(memory_ms=np.array([0.25, 0.5]))
    assert header == "demand_ms,weight,memory_ms,speedup_1,speedup_2"
    assert first.split(",")[1:3] == ["1", "0.25"]


def test_merged_rows_are_written_one_by_one():
    _, *rows = lines(repeats=np.array([1, 3]))
    assert rows[1:] == ["2.0,2,1.0,1.5"] * 3
