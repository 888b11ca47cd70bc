"""Numbers of a compile, by name, for the policy's evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tailc.percentiles import PPM

if TYPE_CHECKING:
    from tailc.pipeline.controller import TunedController
    from tailc.pipeline.loops import RateInterval
    from tailc.problems.ladder import LadderProblem
    from tailc.problems.thresholds import ThresholdProblem
    from tailc.specs.slo import EndToEnd

MILLI = 1_000
US_PER_MS = 1_000


def ladder_settings(problem: LadderProblem, _solution: object) -> dict[str, int]:
    """Parameters of the search for a ladder's schedules, by name, for the policy's evidence."""
    settings = {
        "budget_ppm": problem.budget_ppm,
        "max_in_system": problem.loads[-1],
        "percentile_ppm": problem.percentile_ppm,
        "rungs": len(problem.cost_ppm),
    }
    if problem.grid is not None:
        settings |= {"longest_us": problem.grid.longest_us, "step_us": problem.grid.step_us}
    if problem.target_us is not None:
        settings["target_us"] = problem.target_us
    if problem.tolerance_ppm:
        settings["tolerance_ppm"] = problem.tolerance_ppm
    return settings


def target_name(problem: LadderProblem) -> str:
    """Name of a candidate in a sweep over target parallelism, for messages."""
    return f"target {problem.budget_ppm / PPM:g}"


def threshold_settings(problem: ThresholdProblem, _solution: object) -> dict[str, int]:
    """Parameters of the search for climb ages, by name, for the policy's evidence."""
    settings = {
        "percentile_ppm": problem.percentile_ppm,
        "power_in_watts": int(problem.is_in_watts),
        "rungs": len(problem.power_ppm),
    }
    if problem.static_ppm:
        settings["static_power_ppm"] = problem.static_ppm
    if problem.limits.step_us is not None:
        settings["step_us"] = problem.limits.step_us
    if problem.target_us is not None:
        settings["target_us"] = problem.target_us
    return settings


def end_to_end_settings(end_to_ends: Sequence[EndToEnd | None]) -> dict[str, int]:
    """Numbers of SLOs that several servers must meet together, for the policy's evidence.

    SLOs are numbered from 1.
    """
    settings: dict[str, int] = {}
    for number, end_to_end in enumerate(end_to_ends, start=1):
        if end_to_end is not None:
            settings[f"slo_{number}_end_to_end_ppm"] = end_to_end.percentile_ppm
            settings[f"slo_{number}_servers"] = end_to_end.servers
    return settings


def control_settings(tuned: TunedController) -> dict[str, int]:
    """Plant and margins of each interval of a controller, for the policy's evidence."""
    settings: dict[str, int] = {}
    for number, interval in enumerate(tuned.intervals, start=1):
        values = _interval_settings(interval)
        settings.update({f"interval_{number}_{name}": value for name, value in values.items()})
    return settings


def _interval_settings(interval: RateInterval) -> dict[str, int]:
    """Whole numbers of an interval's loop, without infinite margins."""
    margins, plant = interval.margins, interval.plant
    values = {
        "delay_epochs": plant.plant.delay,
        "delay_margin_millis": margins.delay_margin_epochs * MILLI,
        "gain_margin_ppm": margins.gain_margin * PPM,
        "max_sensitivity_ppm": margins.max_sensitivity * PPM,
        "output_ppm": interval.operation.output_ppm,
        "overshoot_ppm": margins.overshoot * PPM,
        "phase_margin_millidegrees": margins.phase_margin_deg * MILLI,
        "plant_gain_us": plant.plant.gain * US_PER_MS,
        "rate_mrps": interval.operation.rate_mrps,
        "residual_us": plant.residual_ms * US_PER_MS,
        "settling_epochs": margins.settling_epochs,
    }
    return {name: round(value) for name, value in values.items() if math.isfinite(value)}
