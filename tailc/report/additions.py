"""What a compile found in addition to the formula's table: a renderer for each type of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tailc.artifact.envelope import Evidence
from tailc.pipeline.compile import AnyCompiled
from tailc.pipeline.passes.step import Addition


def _no_paragraphs(_addition: Any, _evidence: Evidence) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class Renderer:
    """An addition as members of the JSON result, and as paragraphs with the policy's evidence."""

    result: Callable[[Any], dict[str, object]]
    paragraphs: Callable[[Any, Evidence], tuple[str, ...]] = _no_paragraphs


def _controller() -> Renderer:
    from tailc.report.control import control_result, control_text

    return Renderer(
        lambda tuned: {"control": control_result(tuned)}, lambda tuned, _: (control_text(tuned),)
    )


def _tuned_table() -> Renderer:
    from tailc.report.queue import queue_result, queue_text

    return Renderer(queue_result, lambda tuned, evidence: (queue_text(tuned, evidence),))


def _chosen() -> Renderer:
    from tailc.report.best import best_paragraphs, best_result

    return Renderer(best_result, lambda chosen, _: best_paragraphs(chosen))


def _overload() -> Renderer:
    from tailc.report.relief import relief_result, relief_text

    return Renderer(relief_result, lambda relief, _: (relief_text(relief),))


def _radius() -> Renderer:
    from tailc.report.robust import robustness_result

    return Renderer(robustness_result)


def _robust_tables() -> Renderer:
    from tailc.report.robust import robust_result, robust_text

    return Renderer(robust_result, lambda tables, evidence: (robust_text(tables, evidence),))


# By the name of an addition's type, in the order of the output; each imports what it needs.
RENDERERS: Mapping[str, Callable[[], Renderer]] = {
    "Tuned": _controller,
    "TunedTable": _tuned_table,
    "Chosen": _chosen,
    "Relief": _overload,
    "Robustness": _radius,
    "RobustTables": _robust_tables,
}


def additions_result(compiled: AnyCompiled) -> dict[str, object]:
    """Members of the JSON result, a key for each addition."""
    found: dict[str, object] = {}
    for addition, renderer in _rendered(compiled):
        found |= renderer.result(addition)
    return found


def additions_text(compiled: AnyCompiled) -> Iterator[str]:
    """A paragraph for each addition that has one."""
    for addition, renderer in _rendered(compiled):
        yield from renderer.paragraphs(addition, compiled.policy.evidence)


def _rendered(compiled: AnyCompiled) -> Iterator[tuple[Addition, Renderer]]:
    order = list(RENDERERS)
    for addition in sorted(compiled.additions, key=lambda one: order.index(type(one).__name__)):
        yield addition, RENDERERS[type(addition).__name__]()
