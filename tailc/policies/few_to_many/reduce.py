"""Formulate a few-to-many spec as a ladder problem: rung d has d threads and costs d threads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tailc.percentiles import PPM
from tailc.policies.few_to_many.spec import FewToManySpec
from tailc.problems.interval_grid import interval_grid
from tailc.problems.ladder import LadderObjective, LadderProblem, Method
from tailc.specs.auto_settings import AutoChoice
from tailc.specs.robust import Ambiguity, ambiguity_of
from tailc.specs.simulation_fields import AUTO, SIMULATION, refuse_any
from tailc.traces.profile import DemandProfile
from tailc.traces.speedup_check import suggest_max_degree

if TYPE_CHECKING:
    from tailc.experiment.overload_objective import OverloadObjective
    from tailc.experiment.tuning_objective import TuningObjective


def candidates(spec: FewToManySpec) -> tuple[FewToManySpec, ...]:
    """Specs to compare: one for each target parallelism of the sweep."""
    return tuple(spec.with_target(target_ppm) for target_ppm in spec.server.targets_ppm)


def reduce(spec: FewToManySpec, profile: DemandProfile) -> LadderProblem:
    """Formulate the problem of a few-to-many table (Haque et al., ASPLOS 2015, section 4).

    Without `max_degree`, degrees (numbers of threads) above the largest mean speed-up are removed.
    """
    slo = spec.slos[0]
    (budget_ppm,) = spec.server.targets_ppm
    if spec.max_degree is None:
        profile = profile.first_degrees(suggest_max_degree(profile.mean_curve()))
    objective = LadderObjective.COST if spec.search.objective == "threads" else LadderObjective.TAIL
    last_load = spec.search.max_in_system or max(budget_ppm // PPM, 1)
    return LadderProblem(
        profile=profile,
        cost_ppm=tuple(threads * PPM for threads in range(1, profile.degrees + 1)),
        loads=tuple(range(1, last_load + 1)),
        budget_ppm=budget_ppm,
        percentile_ppm=slo.percentile_ppm,
        objective=objective,
        target_us=slo.latency_us if objective is LadderObjective.COST else None,
        method=Method(spec.search.formula),
        grid=interval_grid(
            profile, slo.percentile_ppm, spec.search.step_us, spec.search.longest_interval_us
        ),
        max_evaluations=spec.search.max_evaluations,
        tolerance_ppm=spec.search.tolerance_ppm,
    )


def tuning_objective(spec: FewToManySpec) -> TuningObjective | None:
    """The objective of tuning: the first SLO's percentile at the rates, or the highest rate."""
    if spec.search.method_at(spec.rates_mrps) not in (AUTO, SIMULATION):
        return None
    refuse_any(spec.search_complaints())
    # Importing the replay takes half a second, which checking a spec does not need.
    from tailc.experiment.objective_of_spec import objective_of
    from tailc.experiment.tuning_objective import Criterion, OptionalRule

    criterion = Criterion(spec.search.objective)
    search, rules = spec.search, tuple(map(OptionalRule, spec.search.optional_rules))
    objective = objective_of(search, spec.slos[0], spec.rates_mrps, criterion)
    return replace(objective, may_wait=search.admit_on_departure, optional_rules=rules)


def best_of_all(spec: FewToManySpec) -> AutoChoice | None:
    """Settings (effort, risk) of the method `auto`; None if the spec has another method."""
    search = spec.search
    if search.method_at(spec.rates_mrps) != AUTO:
        return None
    return AutoChoice(search.effort, search.risk_ppm)


def overload_aim(spec: FewToManySpec) -> OverloadObjective | None:
    """What overload control must achieve: served requests meet the first SLO at the rates given."""
    overload = spec.overload
    if overload is None:
        return None
    from tailc.experiment.overload_objective import OverloadObjective

    slo = spec.slos[0]
    return OverloadObjective(
        slo.percentile_ppm,
        slo.latency_us,
        tuple(sorted(overload.rates_mrps)),
        spec.rates_mrps,
        overload.rules,
        overload.degrade.work_ppm if overload.degrade else None,
    )


def ambiguity(spec: FewToManySpec) -> Ambiguity | None:
    """Uncertainty set of demand and speed-ups; None if the spec has none."""
    search = spec.search
    return ambiguity_of(search.robust, spec.rates_mrps, looks_for_rate=search.looks_for_rate)
