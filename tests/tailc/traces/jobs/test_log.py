"""What a log of jobs holds, and what it adds up to."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.errors import Place
from tailc.traces.jobs.log import Applications, LinePositions, node_seconds, peak_width
from tests.tailc.traces.jobs.making import log_of


def test_a_job_that_ends_makes_room_in_the_same_second():
    assert peak_width(log_of([0, 10], [10, 5], [3, 4])) == 4
    assert peak_width(log_of([0, 9], [10, 5], [3, 4])) == 7


@given(st.lists(st.tuples(*[st.integers(1, 9)] * 3), max_size=8))
def test_the_peak_is_that_of_every_second_counted(jobs):
    jobs.sort()
    log = log_of(*(np.array(jobs, np.int64).reshape(-1, 3).T))
    busy = [sum(w for at, run, w in jobs if at <= t < at + run) for t in range(20)]
    assert peak_width(log) == max(busy)


def test_node_seconds_are_run_time_times_width():
    assert node_seconds(log_of([0, 1], [10, 5], [3, 4])) == 50


def test_a_part_has_the_columns_that_the_log_has():
    log = log_of([0, 1, 1], [9, 8, 7], [1, 1, 1], green_ppm=np.array([0, 250_000, 1_000_000]))
    part = log.part(np.array([True, False, True]))
    assert part.number.tolist() == [1, 3]
    assert part.run_s.tolist() == [9, 7]
    assert part.green_ppm.tolist() == [0, 1_000_000]
    assert part.applications is None


@pytest.mark.parametrize(
    ("columns", "others", "says"),
    [
        (([1, 0], [1, 1], [1, 1]), {}, "order of submission"),
        (([0], [0], [1]), {}, "one second"),
        (([0], [1], [0]), {}, "one processor"),
        (([0], [1, 1], [1]), {}, "columns of jobs must be int64 with one value for each job"),
        (([0], [1], [1]), {"green_ppm": np.array([1_000_001])}, "0 to 100 %"),
        (([0], [1], [1]), {"applications": Applications(("FT",), np.array([0, 0]))}, "one value"),
    ],
)
def test_a_broken_log_cannot_exist(columns, others, says):
    with pytest.raises(ValueError, match=says):
        log_of(*columns, **others)


def test_a_job_is_of_an_application_that_is_named():
    with pytest.raises(ValueError, match="application must be named"):
        Applications(("FT",), np.array([1]))


def test_a_part_keeps_where_its_jobs_stand_and_what_they_are():
    told = Applications(("FT", "LU"), np.array([1, 0, 1]))
    log = log_of([0, 1, 2], [9, 8, 7], [1, 1, 1], applications=told)
    part = replace(log, positions=LinePositions(np.array([4, 5, 9]))).part(slice(1, 3))
    assert part.application_of_job == ["FT", "LU"]
    assert part.place(1).line == 9
    assert log.place(1) == Place("made.swf")
