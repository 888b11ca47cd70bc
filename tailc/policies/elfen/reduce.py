"""Formulate an elfen spec as a problem of sharing cores, and emit its solution.

The solution becomes a ladder of two lanes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tailc.forms.ladder.lanes import Waking, lane_ladder
from tailc.forms.ladder.table import Ladder
from tailc.policies.elfen.lanes_spec import (
    CalibratedInterference,
    Interference,
    InterferenceByIpc,
    InterferenceFromFile,
)
from tailc.policies.elfen.spec import BY_LOAD, LAST_BUDGET, ElfenSpec
from tailc.problems.borrowing import Borrowing, BorrowingProblem, BorrowingSolution, Calibration
from tailc.specs.auto_settings import AutoTuning
from tailc.specs.simulation_fields import AUTO, PAPER
from tailc.traces.profile import DemandProfile

if TYPE_CHECKING:
    from tailc.experiment.tuning_objective import TuningObjective


def candidates(spec: ElfenSpec) -> tuple[ElfenSpec, ...]:
    """Specs to compare: the given one, or one for each policy of the paper if it names none."""
    return spec.policies


def reduce(spec: ElfenSpec, profile: DemandProfile) -> BorrowingProblem:
    """Formulate the problem: how long requests share cores with batch work under the first SLO."""
    return BorrowingProblem(
        profile=profile,
        cores=spec.server.cores,
        interference=_interference(spec),
        batch_slowdown_ppm=spec.lanes.batch_slowdown_ppm,
        borrowing=Borrowing(spec.policy),
        budget_us=spec.budget if isinstance(spec.budget, int) else None,
        is_by_load=spec.budget == BY_LOAD,
        keeps_last=spec.above_rates == LAST_BUDGET,
        charges_harm=spec.charges_harm,
        release_us=spec.lanes.release_us,
        waking=_waking(spec),
        percentile_ppm=spec.slos[0].percentile_ppm,
        target_us=spec.aim_us,
        rates_mrps=tuple(sorted(spec.rates_mrps)),
    )


def emit(_spec: ElfenSpec, _problem: BorrowingProblem, solution: BorrowingSolution) -> Ladder:
    """Convert the solution to a ladder whose rungs are the two lanes of a core."""
    return lane_ladder(solution.lanes, solution.plan)


def tuning_objective(spec: ElfenSpec) -> TuningObjective | None:
    """The objective of tuning: batch work under the first SLO, at the rates in ascending order."""
    if spec.method == PAPER:
        return None
    # Importing the replay takes half a second, which checking a spec does not need.
    from tailc.experiment.objective_of_spec import objective_of
    from tailc.experiment.tuning_objective import BatchTiming, Criterion

    batch_timing = BatchTiming(spec.lanes.release_us, _waking(spec))
    objective = objective_of(
        spec.search,
        spec.slos[0],
        spec.rates_mrps,
        Criterion.BATCH,
        target_us=spec.aim_us,
        batch_timing=batch_timing,
    )
    by_rate = sorted(zip(objective.rates_mrps, objective.weights, strict=True))
    return replace(
        objective,
        rates_mrps=tuple(rate for rate, _ in by_rate),
        weights=tuple(weight for _, weight in by_rate),
    )


def best_tuned(spec: ElfenSpec) -> AutoTuning | None:
    """Effort of tuning the best fixed setting; None if the spec names one method."""
    return AutoTuning(spec.search.effort) if spec.method == AUTO else None


def _waking(spec: ElfenSpec) -> Waking:
    return Waking(spec.lanes.wake_ns, spec.lanes.core_wake_ns)


def _interference(spec: ElfenSpec) -> int | Calibration:
    match spec.lanes.slower:
        case CalibratedInterference(calibrate=rates):
            return Calibration(rates.alone_mrps, rates.shared_mrps)
        case InterferenceByIpc(ipc=ipc):
            return ipc.interference_ppm
        case Interference(interference_ppm=ppm):
            return ppm
        case InterferenceFromFile():
            raise AssertionError("the file of instructions per cycle is not read yet")
