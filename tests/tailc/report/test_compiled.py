"""What a compile found is told whatever its type of problem, and whatever it found beside."""

import pkgutil
from typing import get_args, get_origin

from tailc import problems
from tailc.pipeline import handlers
from tailc.pipeline.passes import Addition
from tailc.report import additions, solutions


def modules_in(package):
    return {module.name for module in pkgutil.iter_modules(package.__path__)}


def test_each_type_of_problem_that_is_solved_is_told():
    assert modules_in(solutions) == modules_in(handlers) - {"handler"} <= modules_in(problems)


def test_each_type_of_addition_is_told_once():
    told = [renderer.addition for renderer in additions.RENDERERS]
    assert len(told) == len(set(told))
    assert set(told) == {get_origin(one) or one for one in get_args(Addition)}
