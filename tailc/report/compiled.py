"""What a compile found: the policy, and what stands behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

from tailc.pipeline.compile import AnyCompiled, Compiled
from tailc.pipeline.parts import D
from tailc.problems.borrowing import BorrowingProblem
from tailc.problems.ladder import LadderProblem
from tailc.problems.malleable_jobs import ClusterProblem
from tailc.problems.problem import P, Problem, S
from tailc.problems.rigid_jobs import RacksProblem
from tailc.problems.shares import SharesProblem
from tailc.problems.tail_table import TailProblem
from tailc.problems.thresholds import ThresholdProblem
from tailc.report.additions import additions_result, additions_text
from tailc.report.borrowing import lanes_result, lanes_text
from tailc.report.clusters import clusters_result, clusters_text
from tailc.report.cores import cores_result, cores_text
from tailc.report.ladders import ladders_result, ladders_text
from tailc.report.models import models_result, models_text
from tailc.report.policy import policy_result, policy_text
from tailc.report.racks import racks_result, racks_text
from tailc.report.tails import tails_result, tails_text
from tailc.units import printable


@dataclass(frozen=True)
class Renderer(Generic[P, S, D]):
    """What is told of a solved problem of a type beside its policy, in JSON and in words."""

    problem: type[P]
    result: Callable[[Compiled[P, S, D]], dict[str, object]]
    text: Callable[[Compiled[P, S, D]], str]


RENDERERS: Mapping[type[Problem], Renderer[Any, Any, Any]] = {
    renderer.problem: renderer
    for renderer in (
        Renderer(LadderProblem, ladders_result, ladders_text),
        Renderer(ThresholdProblem, cores_result, cores_text),
        Renderer(BorrowingProblem, lanes_result, lanes_text),
        Renderer(TailProblem, tails_result, tails_text),
        Renderer(SharesProblem, models_result, models_text),
        Renderer(RacksProblem, racks_result, racks_text),
        Renderer(ClusterProblem, clusters_result, clusters_text),
    )
}


def compiled_result(compiled: AnyCompiled) -> dict[str, object]:
    """A compile's JSON result: the policy, what its type of problem tells, and the additions."""
    told = policy_result(compiled.policy) | _renderer_of(compiled).result(compiled)
    return told | additions_result(compiled)


def compiled_text(compiled: AnyCompiled, paths: Sequence[Path], *, is_written: bool = True) -> str:
    """What a compile found, table first, and where it was or would be written."""
    paragraphs = (_renderer_of(compiled).text(compiled), *additions_text(compiled))
    did = "wrote" if is_written else "would write"
    files = "\n".join(f"{did} {printable(str(path))}" for path in paths)
    return "\n\n".join([policy_text(compiled.policy), *paragraphs, files])


def _renderer_of(compiled: Compiled[P, S, D]) -> Renderer[P, S, D]:
    return RENDERERS[type(compiled.sweep.chosen.problem)]
