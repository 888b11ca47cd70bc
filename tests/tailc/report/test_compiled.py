"""What a compile found is told whatever its type of problem, and whatever it found beside."""

from typing import get_args, get_origin

from tailc.pipeline.passes import Addition
from tailc.pipeline.solve import HANDLERS
from tailc.report import additions, compiled


def test_each_type_of_problem_that_is_solved_is_told():
    assert set(compiled.RENDERERS) == set(HANDLERS)


def test_each_type_of_addition_is_told_once():
    told = [renderer.addition for renderer in additions.RENDERERS]
    assert len(told) == len(set(told))
    assert set(told) == {get_origin(one) or one for one in get_args(Addition)}
