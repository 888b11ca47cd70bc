"""What a compile found beside the formula's table: one renderer for each type of addition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tailc.artifact.envelope import Evidence
from tailc.pipeline.auto.choice import Chosen
from tailc.pipeline.compile import AnyCompiled
from tailc.pipeline.controller import Tuned
from tailc.pipeline.overload.search import Relief
from tailc.pipeline.queue.tune import TunedTable
from tailc.pipeline.robust.stand import Robustness, RobustTables
from tailc.report.best import best_paragraphs, best_result
from tailc.report.control import control_result, control_text
from tailc.report.queue import queue_result, queue_text
from tailc.report.relief import relief_result, relief_text
from tailc.report.robust import robust_result, robust_text, robustness_result

A = TypeVar("A")


@dataclass(frozen=True)
class Renderer(Generic[A]):
    """How additions of a type are told: members of the JSON result, and paragraphs.

    The evidence is the policy's.
    """

    addition: type[A]
    result: Callable[[A], dict[str, object]]
    paragraphs: Callable[[A, Evidence], tuple[str, ...]]


# In the order in which they are told.
RENDERERS: tuple[Renderer[Any], ...] = (
    Renderer(
        Tuned,
        lambda tuned: {"control": control_result(tuned)},
        lambda tuned, _: (control_text(tuned),),
    ),
    Renderer(TunedTable, queue_result, lambda tuned, evidence: (queue_text(tuned, evidence),)),
    Renderer(Chosen, best_result, lambda chosen, _: best_paragraphs(chosen)),
    Renderer(Relief, relief_result, lambda relief, _: (relief_text(relief),)),
    # The radius is told with the policy.
    Renderer(Robustness, robustness_result, lambda *_: ()),
    Renderer(
        RobustTables, robust_result, lambda tables, evidence: (robust_text(tables, evidence),)
    ),
)


def additions_result(compiled: AnyCompiled) -> dict[str, object]:
    """Members of the JSON result, a key for each addition."""
    told: dict[str, object] = {}
    for renderer in RENDERERS:
        for addition in compiled.added(renderer.addition):
            told |= renderer.result(addition)
    return told


def additions_text(compiled: AnyCompiled) -> Iterator[str]:
    """A paragraph for each addition that has one."""
    evidence = compiled.policy.evidence
    for renderer in RENDERERS:
        for addition in compiled.added(renderer.addition):
            yield from renderer.paragraphs(addition, evidence)
