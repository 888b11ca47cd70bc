"""Formulate a joint-ladder spec as a ladder problem.

Rungs are the combinations of threads and frequencies on the lower hull of power over speed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tailc.forms.ladder.lanes import AT_ONCE_AWAKE
from tailc.percentiles import PPM
from tailc.policies.joint_ladder.server_spec import MAX_IN_SYSTEM
from tailc.policies.joint_ladder.spec import JointSpec
from tailc.problems.ladder import LadderObjective, LadderProblem, Method, SupplyLimit
from tailc.specs.auto_settings import AutoChoice
from tailc.specs.robust import Ambiguity, ambiguity_of
from tailc.specs.simulation_fields import AUTO, SIMULATION, refuse_any
from tailc.traces.profile import DemandProfile

if TYPE_CHECKING:
    from tailc.experiment.tuning_objective import TuningObjective


def candidates(spec: JointSpec) -> tuple[JointSpec, ...]:
    """Specs to compare: one for each target power of the sweep."""
    return tuple(spec.with_target(target_ppm) for target_ppm in spec.target_powers_ppm)


def reduce(spec: JointSpec, profile: DemandProfile) -> LadderProblem:
    """Formulate few-to-many's problem (Haque et al., ASPLOS 2015, section 4) with power as cost.

    On SMT lanes the cost is lost batch work. Under the objectives `energy` and `batch`, loads at
    which the SLO cannot be met have no schedule. Cores of each type are a resource of their own;
    the target power limits the same share of each resource.
    """
    (budget_ppm,) = spec.target_powers_ppm
    objective = LadderObjective.TAIL if spec.aim == "tail" else LadderObjective.COST
    costs_ppm = tuple(rung.cost_ppm for rung in spec.rungs)
    supplies = _supplies(spec, budget_ppm)
    at_once = sum(each.budget_ppm for each in supplies) // PPM or budget_ppm // costs_ppm[0]
    most = min(max(at_once, 1), MAX_IN_SYSTEM)
    return LadderProblem(
        profile=profile,
        cost_ppm=costs_ppm,
        loads=tuple(range(1, (spec.search.max_in_system or most) + 1)),
        # Lost batch work is never more than the cores.
        budget_ppm=budget_ppm if spec.lanes is None else supplies[0].budget_ppm,
        percentile_ppm=spec.slos[0].percentile_ppm,
        objective=objective,
        target_us=spec.aim_us if objective is LadderObjective.COST else None,
        method=Method.DUAL,
        may_miss=True,
        supplies=supplies,
        threads=tuple(rung.threads for rung in spec.rungs),
        tolerance_ppm=0 if supplies else spec.search.tolerance_ppm,
    )


def tuning_objective(spec: JointSpec) -> TuningObjective | None:
    """The objective of tuning: a latency percentile, a cost under an SLO, or the highest rate.

    The cost is energy or batch work. None if the spec tunes nothing. Raises TailcError if the spec
    has no rates.
    """
    if spec.method not in (AUTO, SIMULATION):
        return None
    refuse_any(spec.search_complaints())
    # Importing the replay takes half a second, which checking a spec does not need.
    from tailc.experiment.objective_of_spec import objective_of
    from tailc.experiment.tuning_objective import BatchTiming, Criterion, OptionalRule

    criterion = Criterion[spec.search.objective.upper()]
    objective = objective_of(
        spec.search,
        spec.slos[0],
        spec.rates_mrps,
        criterion,
        target_us=None if spec.aim == "tail" else spec.aim_us,
        batch_timing=BatchTiming(0, AT_ONCE_AWAKE) if criterion is Criterion.BATCH else None,
    )
    return replace(objective, optional_rules=tuple(map(OptionalRule, spec.search.optional_rules)))


def best_of_all(spec: JointSpec) -> AutoChoice | None:
    """Settings (effort, risk) of the method `auto`; None if the spec has another method."""
    return AutoChoice(spec.search.effort, spec.search.risk_ppm) if spec.method == AUTO else None


def ambiguity(spec: JointSpec) -> Ambiguity | None:
    """Uncertainty set of demand and rung speeds; None if the spec has none."""
    search = spec.search
    return ambiguity_of(search.robust, spec.rates_mrps, looks_for_rate=search.looks_for_rate)


def _supplies(spec: JointSpec, budget_ppm: int) -> tuple[SupplyLimit, ...]:
    cores = spec.all_cores
    if cores.is_in_place:
        return ()
    return tuple(
        SupplyLimit(
            f"{each.name} cores",
            tuple(rung.threads * PPM if rung.core == number else 0 for rung in spec.rungs),
            each.count * PPM * budget_ppm // cores.peak_ppm,
        )
        for number, each in enumerate(cores.types)
    )
