"""A joint ladder as a ladder problem: rung i is the i-th of the hull, and costs its power."""

from __future__ import annotations

from tailc.forms.ladder.problem import LadderProblem, Method, Objective
from tailc.policies.joint_ladder.spec import MAX_IN_SYSTEM, JointSpec
from tailc.traces.profile import DemandProfile


def candidates(spec: JointSpec) -> tuple[JointSpec, ...]:
    """One spec for each target power that the spec sweeps over."""
    return tuple(spec.with_target(target_ppm) for target_ppm in spec.target_powers_ppm)


def reduce(spec: JointSpec, profile: DemandProfile) -> LadderProblem:
    """Few-to-many's problem (Haque et al., ASPLOS 2015, section 4) with power for threads.

    Under the objective `energy` loads at which the SLO cannot be met have no schedule.
    """
    (budget_ppm,) = spec.target_powers_ppm
    objective = Objective.COST if spec.objective == "energy" else Objective.TAIL
    power_ppm = tuple(rung.power_ppm for rung in spec.rungs)
    most = min(max(budget_ppm // power_ppm[0], 1), MAX_IN_SYSTEM)
    return LadderProblem(
        profile=profile,
        cost_ppm=power_ppm,
        loads=tuple(range(1, (spec.search.max_in_system or most) + 1)),
        budget_ppm=budget_ppm,
        percentile_ppm=spec.slos[0].percentile_ppm,
        objective=objective,
        target_us=spec.aim_us if objective is Objective.COST else None,
        method=Method.DUAL,
        may_miss=True,
    )
