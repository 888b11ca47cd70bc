"""Solutions of problems, as JSON and as text: one module each, named as the problem's module."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from tailc.pipeline.compile import AnyCompiled


class Renderer(Protocol):
    """What each module here has."""

    def solution_result(self, compiled: Any, /) -> dict[str, object]:
        """What the JSON of a compile contains in addition to the policy."""
        ...

    def solution_text(self, compiled: Any, /) -> str:
        """A paragraph, or a table."""
        ...


def renderer_of(compiled: AnyCompiled) -> Renderer:
    """The module for the problem that was solved."""
    problem = type(compiled.sweep.chosen.problem)
    return cast(Renderer, import_module(f"{__name__}.{problem.__module__.rpartition('.')[2]}"))
