"""Reports of a compile for a ladder of threads: speed-ups, and the candidates of a sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tailc.percentiles import PPM
from tailc.problems.ladder import LadderProblem
from tailc.problems.schedule import LadderSolution
from tailc.report.rungs import is_joint
from tailc.report.table import align_columns
from tailc.traces.speedup_check import speedup_summary
from tailc.units import format_mrps, format_us

if TYPE_CHECKING:
    from tailc.pipeline.compile import CompiledPolicy
    from tailc.traces.profile import DemandProfile

_Compiled: TypeAlias = "CompiledPolicy[LadderProblem, LadderSolution, DemandProfile]"


def solution_result(compiled: _Compiled) -> dict[str, object]:
    """Build the JSON data of a ladder's compile: speed-ups of the trace, candidates of the sweep.

    Speed-ups and targets are in 1e-6. `tails_us` has one replayed tail per rate, and is empty
    without a sweep. If the sweep maximises the rate, `highest_mrps` is the candidate's highest
    rate, null if it is below that of an earlier candidate.
    """
    speedups = speedup_summary(compiled.design)
    groups = {"mean": speedups.everyone, "longest": speedups.longest, "shortest": speedups.shortest}
    is_by_rate = compiled.sweep.chosen.rate_mrps is not None
    return {
        "degrees_used": len(compiled.policy.ladders[0].rungs),
        "speedup_ppm": {name: [round(s * PPM) for s in g.tolist()] for name, g in groups.items()},
        "sweep": [
            {"target_ppm": candidate.problem.budget_ppm, "tails_us": list(candidate.tails_us)}
            | ({"highest_mrps": candidate.rate_mrps} if is_by_rate else {})
            for candidate in compiled.sweep.candidates
        ],
        "chosen": compiled.sweep.best,
    }


def solution_text(compiled: _Compiled) -> str:
    """Format the speed-ups of the trace, and the candidates of a sweep."""
    lines = [speedup_line(compiled)]
    if len(compiled.sweep.candidates) > 1:
        lines += ["", sweep_text(compiled)]
    return "\n".join(lines)


def speedup_line(compiled: _Compiled) -> str:
    """Format mean speed-ups by degree and the number of degrees.

    For rungs of several resources, the target instead of speed-ups.
    """
    ladder, problem = compiled.policy.ladders[0], compiled.sweep.chosen.problem
    if is_joint(ladder):
        unit = ladder.cost_units[0].name
        return f"target of the rows: {problem.budget_ppm / PPM:g} {unit} on average"
    speedups = speedup_summary(compiled.design)
    groups = {
        "mean": speedups.everyone,
        "longest 5 %": speedups.longest,
        "shortest 5 %": speedups.shortest,
    }
    curves = [f"{name} {_curve(speeds.tolist())}" for name, speeds in groups.items()]
    used = len(compiled.policy.ladders[0].rungs)
    return f"speed-up of the design sample: {'; '.join(curves)}; degrees used: {used}"


def _curve(speeds: list[float]) -> str:
    return ", ".join(f"{speed:.3g}" for speed in speeds)


def sweep_text(compiled: _Compiled) -> str:
    """Format the replayed tail of every candidate of a sweep; the chosen one is marked."""
    # Importing the replay takes half a second; a sweep has already done it.
    from tailc.experiment.sizes import DESIGN

    candidates = compiled.sweep.candidates
    rates = [format_mrps(rate) for rate in candidates[0].policy.rates_mrps]
    is_by_rate = compiled.sweep.chosen.rate_mrps is not None
    rows = [("target", *rates, *["highest rate"] * is_by_rate, "")]
    for number, candidate in enumerate(candidates):
        cells = [format_us(tail) for tail in candidate.tails_us]
        if is_by_rate:
            rate_mrps = candidate.rate_mrps
            cells.append("lower" if rate_mrps is None else format_mrps(rate_mrps))
        mark = "chosen" if number == compiled.sweep.best else ""
        rows.append((f"{candidate.problem.budget_ppm / PPM:g}", *cells, mark))
    replays = f"{DESIGN.repeats} replays of {DESIGN.requests:,} requests"
    records = f"all {len(compiled.design.weight):,} records of the design sample"
    return f"sweep, {replays} on {records}\n{align_columns(rows)}"
