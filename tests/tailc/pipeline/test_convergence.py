"""The course of a solver, in the unit in which it is told."""

import math

from tailc_solvers.course import SearchProgress

from tailc.pipeline.convergence import convergence_points
from tailc.problems.convergence import ConvergencePoint

COURSE = (SearchProgress(1, -math.inf, math.inf), SearchProgress(4, 2.0, 5.0))


def test_what_is_infinite_is_not_there_yet():
    told = convergence_points(COURSE, added=1.0, times=10.0)
    assert told == (ConvergencePoint(1, None, None), ConvergencePoint(4, 30.0, 60.0))


def test_a_bound_that_is_known_holds_until_there_is_a_better_one():
    assert [one.bound for one in convergence_points(COURSE, bound=1.5)] == [1.5, 2.0]
