"""Reports of a compile for cores of several speeds: power and energy."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tailc.forms.ladder.table import Ladder
from tailc.percentiles import PPM
from tailc.problems.thresholds import ThresholdProblem, ThresholdSolution
from tailc.report.energy import energy_text, in_watts, power_text

if TYPE_CHECKING:
    from tailc.pipeline.compile import CompiledPolicy
    from tailc.traces.profile import DemandProfile

_Compiled: TypeAlias = "CompiledPolicy[ThresholdProblem, ThresholdSolution, DemandProfile]"


def solution_result(compiled: _Compiled) -> dict[str, object]:
    """Build the JSON data of climb ages: energies and powers.

    Energies are in 1e-6 of the unit of power times us, powers in 1e-6 of it. `control` is null
    unless a controller was tuned.
    """
    solution = compiled.sweep.chosen.solution
    return {
        "peak_power_ppm": peak_power_ppm(compiled.policy.ladders[0]),
        "energy": solution.evidence.objective_us,
        "gap_before": solution.gap_before,
        "gap": solution.evidence.gap_us,
        "control": None,
    }


def solution_text(compiled: _Compiled) -> str:
    """Format the cores with their peak power, and the energy of a request with its gap."""
    return f"{_cores_line(compiled)}\n{_energy_line(compiled)}"


def peak_power_ppm(ladder: Ladder) -> int:
    """Power [1e-6 of the unit] with every core busy on its most expensive rung."""
    assert ladder.power is not None
    total = 0
    for unit, cost_unit in enumerate(ladder.cost_units):
        powers = [r.cost_ppm[ladder.power.unit] for r in ladder.rungs if r.cost_ppm[unit]]
        if cost_unit.capacity_ppm is not None and powers:
            total += cost_unit.capacity_ppm // PPM * max(powers)
    return total


def _cores_line(compiled: _Compiled) -> str:
    ladder, evidence = compiled.policy.ladders[0], compiled.policy.evidence
    cores = [
        f"{unit.capacity_ppm // PPM} x {unit.name}"
        for unit in ladder.cost_units
        if unit.capacity_ppm is not None
    ]
    peak = power_text(peak_power_ppm(ladder), in_watts(evidence))
    static = dict(evidence.settings).get("static_power_ppm")
    suffix = f", and {power_text(static, in_watts(evidence))} static" if static else ""
    return f"cores      {', '.join(cores)}: peak power {peak}{suffix}"


def _energy_line(compiled: _Compiled) -> str:
    solution = compiled.sweep.chosen.solution
    row, watts = solution.evidence, in_watts(compiled.policy.evidence)
    whose = "of the formula's table " if compiled.has_tuned_table else ""
    text = f"energy     {whose}{energy_text(row.objective_us, watts)} a request at low load"
    if row.gap_us is None or solution.gap_before is None:
        return text
    before, after = (energy_text(gap, watts) for gap in (solution.gap_before, row.gap_us))
    return f"{text}; gap to the proved bound {before} before rounding to 1 us, {after} after"
