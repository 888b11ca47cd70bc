"""What a compile found is told whatever its type of problem, and whatever it found beside."""

import pkgutil

from tailc import problems
from tailc.pipeline import handlers
from tailc.pipeline.passes.step import Addition
from tailc.report import compile_report, solutions


def modules_in(package):
    return {module.name for module in pkgutil.iter_modules(package.__path__)}


def test_each_type_of_problem_that_is_solved_is_told():
    assert modules_in(solutions) == modules_in(handlers) - {"handler"} <= modules_in(problems)


def test_each_type_of_addition_has_a_renderer():
    names = {name.replace("AnyTunedTable", "TunedTable") for name in str(Addition).split(" | ")}
    assert set(compile_report.RENDERERS) == names
    assert all(renderer() for renderer in compile_report.RENDERERS.values())
