"""The course of a search: what is drawn holds until the next milestone."""

from __future__ import annotations

import itertools

import pytest

from tailc.problems.convergence import ConvergencePoint
from tailc.report.pictures.search_course import ProgressUnits, course_figure
from tests.tailc.report.pictures.drawings import line_points

SCALE = ProgressUnits("linear programs", 1, "cost", 1_000_000)
COURSE = (
    ConvergencePoint(0, None, 3_000_000.0),
    ConvergencePoint(1, 1_000_000.0, 3_000_000.0),
    ConvergencePoint(4, 1_500_000.0, 2_000_000.0),
)


def drawn(figure, tone):
    (line,) = line_points(figure, tone)
    return line


def test_a_line_goes_level_and_then_steps():
    figure = course_figure(COURSE, SCALE)
    assert figure is not None
    found, bound = drawn(figure, "t0"), drawn(figure, "t1")
    for points in (found, bound):
        for (x, y), (later_x, later_y) in itertools.pairwise(points):
            assert x == later_x or y == later_y
    assert found[0][0] < bound[0][0]
    assert found[-1][1] < bound[-1][1], "the bound is below, and y grows downwards"
    assert "in the end 25.00%" in figure.caption
    assert figure.numbers[0].rows == (
        ("0", "3", "", "", "1"),
        ("1", "3", "1", "2", "1"),
        ("4", "2", "1.5", "0.5", "1"),
    )


def test_without_a_bound_there_is_one_line_and_the_words_say_so():
    course = (ConvergencePoint(10, None, 1.0), ConvergencePoint(20, None, 0.9))
    figure = course_figure(course, ProgressUnits("requests", 1, "value", 1))
    assert figure is not None
    assert len(drawn(figure, "t0")) == 4
    assert "t1" not in str(figure.svg)
    assert "no bound is known" in figure.caption


def test_what_is_the_larger_the_better_rises_to_its_bound():
    course = (ConvergencePoint(0, -9.0, -5.0), ConvergencePoint(3, -9.0, -8.0))
    figure = course_figure(course, ProgressUnits("steps", 1, "profit", -1, "claimed bound"))
    assert figure is not None
    found, bound = drawn(figure, "t0"), drawn(figure, "t1")
    assert found[-1][1] < found[0][1], "y grows downwards"
    assert bound[-1][1] < found[-1][1]
    assert figure.numbers[0].rows == (("0", "5", "9", "4", "1"), ("3", "8", "9", "1", "1"))
    assert "the claimed bound" in figure.caption
    assert "in the end 12.50%" in figure.caption


def test_a_stage_has_a_line_of_its_own_up_to_the_next():
    course = (
        ConvergencePoint(1, None, 0.9),
        ConvergencePoint(2, None, 0.8),
        ConvergencePoint(4, None, 1.1, stage=1),
    )
    figure = course_figure(course, ProgressUnits("requests", 1, "value", 1))
    assert figure is not None
    first, second = line_points(figure, "t0")
    assert first[-1][0] == second[0][0]
    assert second[0][1] < first[-1][1], "it begins anew, and higher"
    assert "stage 2" in str(figure.svg)
    assert [row[-1] for row in figure.numbers[0].rows] == ["1", "1", "2"]


def test_a_search_that_ended_at_once_has_no_picture():
    assert course_figure(COURSE[:1], SCALE) is None


def test_effort_is_not_negative():
    with pytest.raises(ValueError, match="negative"):
        ConvergencePoint(-1, None, None)
