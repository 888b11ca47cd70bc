"""A policy in words: what it promises, its tables, and the evidence behind them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tailc.artifact.envelope import Evidence, InputRole, Policy
from tailc.artifact.json_form import encode_json
from tailc.forms.ladder.solution import RowEvidence
from tailc.forms.ladder.table import Admission, AdmissionKind, Ladder, LoadAxis, Row
from tailc.percentiles import PPM
from tailc.report.table import aligned
from tailc.traces.profile import NS_PER_MS
from tailc.traces.summary import GRID_PPM
from tailc.units import format_mrps, format_us, printable

# Of the design demand; all are in the summary's grid.
_SHOWN_PERCENT = (50, 95, 99)

if TYPE_CHECKING:
    from tailc.pipeline.compile import Compiled


def policy_result(policy: Policy) -> dict[str, object]:
    """The JSON form of a policy as a command's result."""
    return {"policy": json.loads(encode_json(policy))}


def compiled_result(compiled: Compiled) -> dict[str, object]:
    """A compile's JSON result: the policy, the speed-ups it saw, and the sweep it was chosen from.

    Speed-ups and targets are in millionths; `tails_us` has one replayed tail for each rate, and is
    empty where nothing was swept.
    """
    found = compiled.speedups
    groups = {"mean": found.everyone, "longest": found.longest, "shortest": found.shortest}
    return {
        **policy_result(compiled.policy),
        "degrees_used": len(compiled.policy.ladders[0].rungs),
        "speedup_ppm": {name: [round(s * PPM) for s in g.tolist()] for name, g in groups.items()},
        "sweep": [
            {"target_ppm": candidate.problem.budget_ppm, "tails_us": list(candidate.tails_us)}
            for candidate in compiled.sweep.candidates
        ],
        "chosen": compiled.sweep.best,
    }


def compiled_text(compiled: Compiled, paths: Sequence[Path]) -> str:
    """What a compile found, table first, and where it was written."""
    lines = [policy_text(compiled.policy), "", speedup_line(compiled), ""]
    if len(compiled.sweep.candidates) > 1:
        lines += [sweep_text(compiled), ""]
    lines += [f"wrote {printable(str(path))}" for path in paths]
    return "\n".join(lines)


def speedup_line(compiled: Compiled) -> str:
    """Mean speed-ups by degree, and how many degrees are used."""
    found = compiled.speedups
    groups = {"mean": found.everyone, "longest 5 %": found.longest, "shortest 5 %": found.shortest}
    told = [f"{name} {_curve(speeds.tolist())}" for name, speeds in groups.items()]
    used = len(compiled.policy.ladders[0].rungs)
    return f"speed-up of the design sample: {'; '.join(told)}; degrees used: {used}"


def _curve(speeds: list[float]) -> str:
    return ", ".join(f"{speed:.3g}" for speed in speeds)


def policy_text(policy: Policy) -> str:
    """Name, promise, tables and a line of evidence.

    Names in an artifact are free text: what a terminal could obey is written out.
    """
    head = [
        f"{policy.name} ({policy.kind}), generation {policy.generation}",
        f"promises   {'; '.join(str(slo) for slo in policy.slos)}",
    ]
    if policy.rates_mrps:
        head.append(f"rates      {', '.join(format_mrps(rate) for rate in policy.rates_mrps)}")
    head.append(f"evidence   {evidence_line(policy)}")
    tables = [_class_heading(form) + ladder_text(form) for form in policy.ladders]
    return "\n".join([*map(printable, head), "", "\n\n".join(tables)])


def demand_line(policy: Policy) -> str | None:
    """Mean and percentiles of the demand that the policy was compiled from, if it tells them."""
    for part in policy.inputs:
        if part.role is InputRole.DESIGN and part.demand is not None:
            told = [f"mean {_ms(part.demand.mean_ns)}"]
            for percent in _SHOWN_PERCENT:
                at = GRID_PPM.index(percent * PPM // 100)
                told.append(f"p{percent} {_ms(part.demand.quantiles_ns[at])}")
            return f"demand of {part.requests:,} requests: {', '.join(told)}"
    return None


def _ms(time_ns: int) -> str:
    return f"{time_ns / NS_PER_MS:.4g} ms"


def _class_heading(form: Ladder) -> str:
    return "" if form.request_class is None else f"class {printable(form.request_class)}\n"


def evidence_line(policy: Policy) -> str:
    """Objective, method, proof, the largest gap to the proved bound, and the work it took."""
    evidence = policy.evidence
    gaps = [row.gap_us for row in evidence.rows if row.gap_us is not None]
    gap = f"largest gap to the proved bound {format_us(max(gaps))}" if gaps else "no bound"
    return (
        f"least {evidence.objective} by {evidence.method} ({evidence.proof}), {gap}, "
        f"{evidence.evaluations:,} evaluations{_literal_search(policy)}"
    )


def _literal_search(policy: Policy) -> str:
    """How many requests the paper's search would look at, where the evidence says enough.

    (y / step)^n * req_max * |R| (Haque et al., ASPLOS 2015, section 4.1).
    """
    settings = dict(policy.evidence.settings)
    design = [part.rows for part in policy.inputs if part.role is InputRole.DESIGN]
    if not design or not settings.keys() >= {"longest_us", "step_us", "rungs", "max_in_system"}:
        return ""
    schedules = (settings["longest_us"] // settings["step_us"]) ** settings["rungs"]
    looked_at = schedules * settings["max_in_system"] * design[0]
    return f" (the paper's search would look at {looked_at:.1e} requests)"


def ladder_text(ladder: Ladder) -> str:
    """The rows as an aligned table: load, admission, and `rung from age` for every climb."""
    title = "in system" if ladder.load_axis is LoadAxis.IN_SYSTEM else "rate"
    rows = [(title, "start", "then, by age since the start")]
    rows += [
        (_loads(row, ladder.load_axis), admission_text(row.admission), _climbs(row, ladder))
        for row in ladder.rows
    ]
    return aligned(rows)


def evidence_text(evidence: Evidence) -> str:
    """One line a load: objective, bound, gap and predictions, in ms and in cost units."""
    title = (
        "load",
        "tail",
        "95 % of the sample",
        "bound",
        "gap",
        "mean",
        "cost-time",
        "total cost",
    )
    return aligned([title, *(_evidence_row(row) for row in evidence.rows)])


def sweep_text(compiled: Compiled) -> str:
    """The replayed tail of every candidate of a sweep; the chosen one is marked."""
    rates = [format_mrps(rate) for rate in compiled.policy.rates_mrps]
    rows = [("target", *rates, "")]
    for number, candidate in enumerate(compiled.sweep.candidates):
        tails = [format_us(tail) for tail in candidate.tails_us]
        mark = "chosen" if number == compiled.sweep.best else ""
        rows.append((f"{candidate.problem.budget_ppm / PPM:g}", *tails, mark))
    return "sweep, replayed tail on the design sample\n" + aligned(rows)


def _loads(row: Row, axis: LoadAxis) -> str:
    first, last = row.first_load, row.last_load
    if axis is LoadAxis.RATE:
        return f"from {format_mrps(first)}"
    if last is None:
        return f"{first} and more"
    return str(first) if first == last else f"{first} to {last}"


def admission_text(admission: Admission) -> str:
    """When a request starts, such as `after 10 ms`."""
    if admission.kind is AdmissionKind.DELAY:
        return f"after {format_us(admission.delay_us)}"
    return "at once" if admission.kind is AdmissionKind.AT_ONCE else "at an exit"


def _climbs(row: Row, ladder: Ladder) -> str:
    first, *later = row.climbs
    names = [printable(rung.name) for rung in ladder.rungs]
    parts = [names[first.rung]]
    parts += [f"{names[climb.rung]} from {format_us(climb.age_us)}" for climb in later]
    return ", ".join(parts)


def _evidence_row(row: RowEvidence) -> tuple[str, ...]:
    high = "?" if row.tail_high_us is None else format_us(row.tail_high_us)
    return (
        str(row.load),
        format_us(row.tail_us),
        f"{format_us(row.tail_low_us)} to {high}",
        "none" if row.bound_us is None else format_us(row.bound_us),
        "" if row.gap_us is None else format_us(row.gap_us),
        format_us(row.mean_us),
        format_us(row.cost_time_us),
        f"{row.total_cost_ppm / PPM:.3f}",
    )
