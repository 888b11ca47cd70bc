"""Reports of a compile: the policy, its solution and what else was computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailc.artifact.envelope import Evidence
from tailc.forms.ladder.table import Ladder
from tailc.percentiles import PPM
from tailc.pipeline.compile import AnyCompiled
from tailc.pipeline.passes.step import Addition
from tailc.report.policy import policy_result, policy_text
from tailc.report.solutions import find_renderer
from tailc.units import printable

if TYPE_CHECKING:
    from tailc.pipeline.auto.choice import AutoResult
    from tailc.pipeline.auto.comparison import UnsafeTable


def compiled_result(compiled: AnyCompiled) -> dict[str, object]:
    """Build the JSON result of a compile: the policy, the solution's data, and the additions."""
    result = policy_result(compiled.policy) | find_renderer(compiled).solution_result(compiled)
    return result | additions_result(compiled)


def compiled_text(compiled: AnyCompiled, paths: Sequence[Path], *, is_written: bool = True) -> str:
    """Format the result of a compile: table first, last the files that were or would be written."""
    paragraphs = (find_renderer(compiled).solution_text(compiled), *additions_text(compiled))
    did = "wrote" if is_written else "would write"
    files = "\n".join(f"{did} {printable(str(path))}" for path in paths)
    return "\n\n".join([policy_text(compiled.policy), *paragraphs, files])


def _no_paragraphs(_addition: Any, _evidence: Evidence) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class AdditionRenderer:
    """Formatters of one type of addition to a policy: JSON members, and paragraphs of text.

    An addition is the result of a pass of the compile, such as a tuned controller.
    """

    result: Callable[[Any], dict[str, object]]
    paragraphs: Callable[[Any, Evidence], tuple[str, ...]] = _no_paragraphs


def _controller() -> AdditionRenderer:
    from tailc.report.control import control_result, control_text

    return AdditionRenderer(
        lambda tuned: {"control": control_result(tuned)}, lambda tuned, _: (control_text(tuned),)
    )


def _tuned_table() -> AdditionRenderer:
    from tailc.report.queue import queue_result, queue_text

    return AdditionRenderer(queue_result, lambda tuned, evidence: (queue_text(tuned, evidence),))


def _chosen_renderer() -> AdditionRenderer:
    return AdditionRenderer(best_result, lambda chosen, _: best_paragraphs(chosen))


def _overload() -> AdditionRenderer:
    from tailc.report.relief import relief_result, relief_text

    return AdditionRenderer(relief_result, lambda relief, _: (relief_text(relief),))


def _radius() -> AdditionRenderer:
    from tailc.report.robust import robustness_result

    return AdditionRenderer(robustness_result)


def _robust_tables() -> AdditionRenderer:
    from tailc.report.robust import robust_result, robust_text

    return AdditionRenderer(
        robust_result, lambda tables, evidence: (robust_text(tables, evidence),)
    )


# Keyed by the name of the addition's type, in output order; each function imports what it needs.
RENDERERS: Mapping[str, Callable[[], AdditionRenderer]] = {
    "TunedController": _controller,
    "TunedTable": _tuned_table,
    "AutoResult": _chosen_renderer,
    "Relief": _overload,
    "Robustness": _radius,
    "RobustTables": _robust_tables,
}


def additions_result(compiled: AnyCompiled) -> dict[str, object]:
    """Build the JSON members for all results of passes, such as a tuned controller."""
    members: dict[str, object] = {}
    for addition, renderer in _with_renderers(compiled):
        members |= renderer.result(addition)
    return members


def additions_text(compiled: AnyCompiled) -> Iterator[str]:
    """Yield the paragraphs for all results of passes, such as a tuned controller."""
    for addition, renderer in _with_renderers(compiled):
        yield from renderer.paragraphs(addition, compiled.policy.evidence)


def _with_renderers(compiled: AnyCompiled) -> Iterator[tuple[Addition, AdditionRenderer]]:
    order = list(RENDERERS)
    for addition in sorted(compiled.additions, key=lambda one: order.index(type(one).__name__)):
        yield addition, RENDERERS[type(addition).__name__]()


def best_result(chosen: AutoResult) -> dict[str, object]:
    """Build the JSON data of the policy that `auto` chose: table, risk, and search effort.

    The risk is the share of resamples of the requests in which the table is worse than another
    table.
    """
    best, unsafe = chosen.best, chosen.best.forgone
    of_unsafe = {} if unsafe is None else {"forgone": _as_ppm(unsafe)}
    return {
        "best": {
            "table": best.option.name,
            "loss_ppm": round(PPM * best.loss_share),
            "is_safe": best.is_safe,
            "judged_on": chosen.judged_on,
            "is_held_out": chosen.is_held_out,
            "requests": best.requests,
            "evaluations": best.evaluations,
            **of_unsafe,
        }
    }


def _as_ppm(unsafe: UnsafeTable) -> dict[str, int]:
    return {
        "gain_ppm": round(PPM * unsafe.gain),
        "loss_ppm": round(PPM * unsafe.loss_share),
    }


def best_paragraphs(chosen: AutoResult) -> tuple[str, ...]:
    """Format the frequency policy that `auto` chose, and what its safety costs, as text.

    For ladders, only the cost of safety, as the text of their estimates describes the choice.
    """
    lines = [*_chosen_lines(chosen), *_risk_lines(chosen)]
    return ("\n".join(lines),) if lines else ()


def _chosen_lines(chosen: AutoResult) -> Iterator[str]:
    if isinstance(chosen.best.option.table, Ladder):
        return
    table = chosen.best.option.table.table
    what = "energy" if table.batch is None else "energy for batch work"
    sample = "held out from the search" if chosen.is_held_out else "that it was compiled from"
    yield (
        f"auto       {chosen.best.option.name}: the SLO with least {what}, compared on "
        f"{chosen.judged_on:,} requests {sample}"
    )


def _risk_lines(chosen: AutoResult) -> Iterator[str]:
    best, unsafe = chosen.best, chosen.best.forgone
    if unsafe is None:
        return
    yield (
        f"risk       the policy loses to a setting by hand in {best.loss_share:.0%} of the "
        f"resamples; a table that is {unsafe.gain:.1%} better on these requests loses in "
        f"{unsafe.loss_share:.0%}"
    )
