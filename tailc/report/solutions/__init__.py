"""Reports of solutions as JSON data and text, one module per module of `tailc.problems`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from tailc.pipeline.compile import AnyCompiled


class SolutionRenderer(Protocol):
    """Interface of each module in this package: it reports the solution of one type of problem."""

    def solution_result(self, compiled: Any, /) -> dict[str, object]:
        """Build the JSON data of the solution, which is added to that of the policy."""
        ...

    def solution_text(self, compiled: Any, /) -> str:
        """Format the solution of a problem as a paragraph or a table."""
        ...


def find_renderer(compiled: AnyCompiled) -> SolutionRenderer:
    """Find the module for the type of the solved problem."""
    problem = type(compiled.sweep.chosen.problem)
    return cast(
        SolutionRenderer, import_module(f"{__name__}.{problem.__module__.rpartition('.')[2]}")
    )
