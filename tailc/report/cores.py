"""What a compile for cores of several speeds tells: power, energy, and the controller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailc.forms.ladder.table import Ladder
from tailc.percentiles import PPM
from tailc.problems.thresholds import ThresholdSolution
from tailc.report.control import control_result, control_text
from tailc.report.energy import energy_text, in_watts, power_text

if TYPE_CHECKING:
    from tailc.pipeline.compile import Compiled


def cores_result(compiled: Compiled) -> dict[str, object]:
    """Energies in millionths of the unit of power times us, powers in millionths of it."""
    solution = compiled.sweep.chosen.solution
    assert isinstance(solution, ThresholdSolution)
    return {
        "peak_power_ppm": peak_power_ppm(compiled.policy.ladders[0]),
        "energy": solution.evidence.objective_us,
        "gap_before": solution.gap_before,
        "gap": solution.evidence.gap_us,
        "control": None if compiled.tuned is None else control_result(compiled.tuned),
    }


def cores_text(compiled: Compiled) -> str:
    """Cores and their peak power, energy with its gaps, and how the thresholds follow the load."""
    lines = [_cores_line(compiled), _energy_line(compiled)]
    if compiled.tuned is not None:
        lines += ["", control_text(compiled.tuned)]
    return "\n".join(lines)


def peak_power_ppm(ladder: Ladder) -> int:
    """Power with a request on every core, on the dearest rung that the core has."""
    assert ladder.power is not None
    total = 0
    for unit, cost_unit in enumerate(ladder.cost_units):
        powers = [r.cost_ppm[ladder.power.unit] for r in ladder.rungs if r.cost_ppm[unit]]
        if cost_unit.capacity_ppm is not None and powers:
            total += cost_unit.capacity_ppm // PPM * max(powers)
    return total


def _cores_line(compiled: Compiled) -> str:
    ladder, evidence = compiled.policy.ladders[0], compiled.policy.evidence
    told = [
        f"{unit.capacity_ppm // PPM} x {unit.name}"
        for unit in ladder.cost_units
        if unit.capacity_ppm is not None
    ]
    peak = power_text(peak_power_ppm(ladder), in_watts(evidence))
    static = dict(evidence.settings).get("static_power_ppm")
    besides = f", and {power_text(static, in_watts(evidence))} static" if static else ""
    return f"cores      {', '.join(told)}: peak power {peak}{besides}"


def _energy_line(compiled: Compiled) -> str:
    solution = compiled.sweep.chosen.solution
    assert isinstance(solution, ThresholdSolution)
    row, watts = solution.evidence, in_watts(compiled.policy.evidence)
    whose = (
        "" if compiled.queue is None or compiled.queue.table is None else "of the formula's table "
    )
    told = f"energy     {whose}{energy_text(row.objective_us, watts)} a request at low load"
    if row.gap_us is None or solution.gap_before is None:
        return told
    before, after = (energy_text(gap, watts) for gap in (solution.gap_before, row.gap_us))
    return f"{told}; gap to the proved bound {before} before rounding to 1 us, {after} after"
