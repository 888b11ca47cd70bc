"""The course of a solver, in the unit in which it is told."""

import math

from tailc_solvers.course import Reached

from tailc.pipeline.courses import milestones
from tailc.problems.convergence import Milestone

COURSE = (Reached(1, -math.inf, math.inf), Reached(4, 2.0, 5.0))


def test_what_is_infinite_is_not_there_yet():
    told = milestones(COURSE, added=1.0, times=10.0)
    assert told == (Milestone(1, None, None), Milestone(4, 30.0, 60.0))


def test_a_bound_that_is_known_holds_until_there_is_a_better_one():
    assert [one.bound for one in milestones(COURSE, bound=1.5)] == [1.5, 2.0]
