"""Convert solved thresholds (ages of climbs) to a ladder of cores."""

from __future__ import annotations

import itertools
import math

import numpy as np

from tailc.forms.ladder.table import (
    AT_ONCE,
    Climb,
    CostUnit,
    Guard,
    Ladder,
    LoadAxis,
    Power,
    Row,
    Rule,
    Rung,
)
from tailc.percentiles import PPM
from tailc.policies.slow_to_fast.spec import SlowToFastSpec
from tailc.problems.thresholds import ThresholdProblem, ThresholdSolution
from tailc.specs.cores import Cores
from tailc.traces.profile import DemandProfile

US_PER_MS = 1_000
POWER = "power"
CORES = "cores"


def emit(spec: SlowToFastSpec, problem: ThresholdProblem, solution: ThresholdSolution) -> Ladder:
    """Build one row for all loads: a core of the slowest type, then faster types by age.

    If a controller scales the ages, no age can be infinite. A climb that never happens is then at
    the age by which every request of the design trace is done; each further climb is later by the
    same amount.
    """
    cores = spec.used_cores
    climbs = solution.schedule.climbs()
    if spec.is_controlled:
        climbs = _reaching_all(climbs, problem.profile, len(cores.types))
    return Ladder(
        load_axis=LoadAxis.IN_SYSTEM,
        request_class=None,
        cost_units=_cost_units(cores),
        rungs=_rungs(cores, problem),
        rules=_rules(spec, cores),
        quantum_us=spec.server.quantum_us,
        rows=(Row(1, None, AT_ONCE, climbs),),
        guard=Guard(1, cores.count),
        power=_power(cores),
    )


def _reaching_all(
    climbs: tuple[Climb, ...], profile: DemandProfile, rungs: int
) -> tuple[Climb, ...]:
    """Extend climbs that end below the last rung: one more per rung above, later than all
    requests.
    """
    missing = range(climbs[-1].rung + 1, rungs)
    done_us = _all_done_us(climbs, profile)
    late = (Climb(done_us * (rungs_above + 1), rung) for rungs_above, rung in enumerate(missing))
    return (*climbs, *late)


def _all_done_us(climbs: tuple[Climb, ...], profile: DemandProfile) -> int:
    """An age at which no request of the profile runs any more, with these climbs only [us]."""
    left_ms = profile.demand_ms.copy()
    speed = profile.curves[profile.curve_of]
    for here, rungs_above in itertools.pairwise(climbs):
        stay_ms = (rungs_above.age_us - here.age_us) / US_PER_MS
        left_ms = np.maximum(left_ms - stay_ms * speed[:, here.rung], 0.0)
    rest_ms = float((left_ms / speed[:, climbs[-1].rung]).max())
    return climbs[-1].age_us + math.floor(rest_ms * US_PER_MS) + 1


def _cost_units(cores: Cores) -> tuple[CostUnit, ...]:
    if cores.is_in_place:
        limited = (CostUnit(CORES, cores.count * PPM),)
    else:
        limited = tuple(CostUnit(_unit(each.name), each.count * PPM) for each in cores.types)
    return (*limited, CostUnit(POWER))


def _unit(name: str) -> str:
    """Name of a type as a cost unit; `power` is changed, since it is the name of another unit."""
    return f"{name} cores" if name == POWER else name


def _rungs(cores: Cores, problem: ThresholdProblem) -> tuple[Rung, ...]:
    """Rungs of the core types; speeds are the means of the sample if requests differ."""
    speeds = problem.profile.mean_curve().tolist()
    units = 1 if cores.is_in_place else len(cores.types)
    return tuple(
        Rung(
            each.name,
            round(speed * PPM),
            (*_one_core(0 if cores.is_in_place else at, units), each.power_ppm),
            (each.move_us or None) if at else None,
            frequency_khz=each.frequency_khz,
            core_type=None if cores.is_in_place else each.name,
        )
        for at, (each, speed) in enumerate(zip(cores.types, speeds, strict=True))
    )


def _one_core(unit: int, units: int) -> tuple[int, ...]:
    return tuple(PPM if each == unit else 0 for each in range(units))


def _rules(spec: SlowToFastSpec, cores: Cores) -> tuple[Rule, ...]:
    """The rules of the table; a request can make room only if there is another core type."""
    rules = [Rule.CORE_PER_REQUEST, Rule.NEVER_DESCEND]
    if spec.server.age_clock == "arrival":
        rules.append(Rule.AGE_FROM_ARRIVAL)
    if not cores.is_in_place and len(cores.types) > 1:
        rules.append(Rule.MAKE_ROOM)
    return tuple(sorted(rules, key=lambda rule: rule.value))


def _power(cores: Cores) -> Power:
    idle = (
        (cores.types[0].idle_ppm,)
        if cores.is_in_place
        else tuple(each.idle_ppm for each in cores.types)
    )
    return Power(len(idle), (*idle, 0))
