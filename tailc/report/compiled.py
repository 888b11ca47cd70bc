"""What a compile found: the policy, and what stands behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from tailc.percentiles import PPM
from tailc.problems.borrowing import BorrowingProblem
from tailc.problems.ladder import LadderProblem
from tailc.problems.malleable_jobs import ClusterProblem
from tailc.problems.rigid_jobs import RacksProblem
from tailc.problems.shares import SharesProblem
from tailc.problems.tail_table import TailProblem
from tailc.problems.thresholds import ThresholdProblem
from tailc.report.borrowing import lanes_result, lanes_text
from tailc.report.clusters import clusters_result, clusters_text
from tailc.report.cores import cores_result, cores_text
from tailc.report.models import models_result, models_text
from tailc.report.policy import policy_result, policy_text
from tailc.report.queue import queue_result, queue_text
from tailc.report.racks import racks_result, racks_text
from tailc.report.relief import relief_result, relief_text
from tailc.report.robust import robust_result, robust_text
from tailc.report.rungs import is_joint
from tailc.report.table import aligned
from tailc.report.tails import tails_result, tails_text
from tailc.traces.profile import DemandProfile
from tailc.traces.speedup_check import SpeedupSummary, speedup_summary
from tailc.units import format_mrps, format_us, printable

if TYPE_CHECKING:
    from tailc.pipeline.compile import Compiled


def compiled_result(compiled: Compiled) -> dict[str, object]:
    """A compile's JSON result: the policy, and what its type of problem tells besides."""
    result, _ = _tellers(compiled)
    told = policy_result(compiled.policy) | result(compiled)
    if compiled.queue is not None:
        told |= queue_result(compiled.queue)
    if compiled.relief is not None:
        told |= relief_result(compiled.relief)
    return told if compiled.robust is None else told | robust_result(compiled.robust)


def compiled_text(compiled: Compiled, paths: Sequence[Path], *, is_written: bool = True) -> str:
    """What a compile found, table first, and where it was or would be written."""
    _, text = _tellers(compiled)
    lines = [policy_text(compiled.policy), "", text(compiled), ""]
    if len(compiled.sweep.candidates) > 1:
        lines += [sweep_text(compiled), ""]
    if compiled.queue is not None:
        lines += [queue_text(compiled.queue, compiled.policy.evidence), ""]
    if compiled.relief is not None:
        lines += [relief_text(compiled.relief), ""]
    worst = compiled.robust and robust_text(compiled.robust, compiled.policy.evidence)
    if worst:
        lines += [worst, ""]
    did = "wrote" if is_written else "would write"
    lines += [f"{did} {printable(str(path))}" for path in paths]
    return "\n".join(lines)


def _threads_result(compiled: Compiled) -> dict[str, object]:
    """The speed-ups of the design sample, and the sweep that the policy was chosen from.

    Speed-ups and targets are in millionths; `tails_us` has one replayed tail for each rate, and is
    empty where nothing was swept. Where the highest rate is the goal of a sweep, `highest_mrps` is
    that of a candidate, and null where it is lower than that of one before.
    """
    found = _speedups(compiled)
    groups = {"mean": found.everyone, "longest": found.longest, "shortest": found.shortest}
    is_by_rate = compiled.sweep.chosen.rate_mrps is not None
    return {
        "degrees_used": len(compiled.policy.ladders[0].rungs),
        "speedup_ppm": {name: [round(s * PPM) for s in g.tolist()] for name, g in groups.items()},
        "sweep": [
            {"target_ppm": problem.budget_ppm, "tails_us": list(candidate.tails_us)}
            | ({"highest_mrps": candidate.rate_mrps} if is_by_rate else {})
            for candidate in compiled.sweep.candidates
            if isinstance(problem := candidate.problem, LadderProblem)
        ],
        "chosen": compiled.sweep.best,
    }


def speedup_line(compiled: Compiled) -> str:
    """Mean speed-ups by degree, and how many degrees are used; of joined rungs, the target."""
    ladder, problem = compiled.policy.ladders[0], compiled.sweep.chosen.problem
    if is_joint(ladder) and isinstance(problem, LadderProblem):
        unit = ladder.cost_units[0].name
        return f"target of the rows: {problem.budget_ppm / PPM:g} {unit} in the mean"
    found = _speedups(compiled)
    groups = {"mean": found.everyone, "longest 5 %": found.longest, "shortest 5 %": found.shortest}
    told = [f"{name} {_curve(speeds.tolist())}" for name, speeds in groups.items()]
    used = len(compiled.policy.ladders[0].rungs)
    return f"speed-up of the design sample: {'; '.join(told)}; degrees used: {used}"


def _speedups(compiled: Compiled) -> SpeedupSummary:
    assert isinstance(compiled.design, DemandProfile)
    return speedup_summary(compiled.design)


def _curve(speeds: list[float]) -> str:
    return ", ".join(f"{speed:.3g}" for speed in speeds)


def sweep_text(compiled: Compiled) -> str:
    """The replayed tail of every candidate of a sweep; the chosen one is marked."""
    # The replay takes half a second to import, and what was swept has done that.
    from tailc.pipeline.design_replays import REPLAYS, REQUESTS_PER_REPLAY

    assert isinstance(compiled.design, DemandProfile)
    candidates = compiled.sweep.candidates
    rates = [format_mrps(rate) for rate in candidates[0].spec.rates_mrps]
    is_by_rate = compiled.sweep.chosen.rate_mrps is not None
    rows = [("target", *rates, *["highest rate"] * is_by_rate, "")]
    for number, candidate in enumerate(candidates):
        assert isinstance(candidate.problem, LadderProblem)
        told = [format_us(tail) for tail in candidate.tails_us]
        if is_by_rate:
            rate_mrps = candidate.rate_mrps
            told.append("lower" if rate_mrps is None else format_mrps(rate_mrps))
        mark = "chosen" if number == compiled.sweep.best else ""
        rows.append((f"{candidate.problem.budget_ppm / PPM:g}", *told, mark))
    replays = f"{REPLAYS} replays of {REQUESTS_PER_REPLAY:,} requests"
    records = f"all {len(compiled.design.weight):,} records of the design sample"
    return f"sweep, {replays} on {records}\n{aligned(rows)}"


_Result: TypeAlias = "Callable[[Compiled], dict[str, object]]"
_Text: TypeAlias = "Callable[[Compiled], str]"

# What is told of a solved problem besides its policy, in JSON and in words.
_TELLERS: Mapping[type[object], tuple[_Result, _Text]] = {
    LadderProblem: (_threads_result, speedup_line),
    ThresholdProblem: (cores_result, cores_text),
    BorrowingProblem: (lanes_result, lanes_text),
    TailProblem: (tails_result, tails_text),
    SharesProblem: (models_result, models_text),
    RacksProblem: (racks_result, racks_text),
    ClusterProblem: (clusters_result, clusters_text),
}


def _tellers(compiled: Compiled) -> tuple[_Result, _Text]:
    return _TELLERS[type(compiled.sweep.chosen.problem)]
