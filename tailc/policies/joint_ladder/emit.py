"""Convert the solution of a joint ladder to a table of rungs that share power or cores."""

from __future__ import annotations

from tailc.forms.ladder.lanes import BATCH
from tailc.forms.ladder.leanest import leanest_beyond
from tailc.forms.ladder.table import (
    Boost,
    CostUnit,
    Guard,
    Ladder,
    LoadAxis,
    Rule,
    Rung,
    collapse,
)
from tailc.forms.ladder.units import POWER, WATTS
from tailc.percentiles import PPM
from tailc.policies.joint_ladder.rungs import JointRung
from tailc.policies.joint_ladder.spec import JointSpec
from tailc.problems.interval_rows import interval_rows
from tailc.problems.ladder import LadderProblem
from tailc.problems.schedule import LadderSolution
from tailc.specs.cores import PowerUnit

# The first unit. With frequencies, requests share power: if they need more, each gets a
# proportional part. With core types they share cores, and the unit is the power of these; on lanes
# it is the lost batch work.
UNITS = {PowerUnit.WATT: WATTS, PowerUnit.SLOW_CORE: POWER}
# Not `threads`: that unit would make a rung a degree of the trace's own speed-ups.
CORES = "cores"


def emit(spec: JointSpec, problem: LadderProblem, solution: LadderSolution) -> Ladder:
    """Build rows by requests in the system; above the searched loads a request waits for an exit.

    At loads that use all resources on the cheapest rung, all requests start on it at once; with
    several core types no rung is the cheapest.
    """
    from_arrival = spec.server.age_clock == "arrival"
    rows = interval_rows(solution, waits_for_exit=True, from_arrival=from_arrival)
    ladder = Ladder(
        load_axis=LoadAxis.IN_SYSTEM,
        request_class=None,
        cost_units=_cost_units(spec),
        rungs=tuple(_rung(spec, rung) for rung in spec.rungs),
        rules=_rules(spec),
        quantum_us=spec.server.quantum_us,
        rows=collapse(rows),
        guard=Guard(1, problem.loads[-1]),
        boost=_boost(spec) if spec.server.boosting else None,
    )
    return leanest_beyond(ladder)


def _cost_units(spec: JointSpec) -> tuple[CostUnit, ...]:
    cores, unit = spec.all_cores, UNITS[spec.peak_power.unit]
    if cores.is_in_place:
        return CostUnit(unit, spec.peak_power.ppm), CostUnit(CORES)
    types = (CostUnit(f"{each.name} {CORES}", each.count * PPM) for each in cores.types)
    return CostUnit(unit if spec.lanes is None else BATCH), *types


def _rung(spec: JointSpec, rung: JointRung) -> Rung:
    kinds = 1 if rung.core is None else len(spec.all_cores.types)
    taken_units = tuple(
        rung.threads * PPM if kind == (rung.core or 0) else 0 for kind in range(kinds)
    )
    has_types = rung.core is not None and rung.lane is None
    return Rung(
        rung.name,
        rung.speed_ppm,
        (rung.cost_ppm, *taken_units),
        threads=rung.threads,
        frequency_khz=rung.frequency_khz,
        core_type=rung.level if has_types else None,
        lane=rung.lane,
        one_thread_ppm=rung.one_thread_ppm,
    )


def _boost(spec: JointSpec) -> Boost:
    """Boosted requests may use the whole resource of the last rung."""
    core = spec.rungs[-1].core
    unit = 0 if core is None else 1 + core
    return Boost(unit, _cost_units(spec)[unit].capacity_ppm or 0)


def _rules(spec: JointSpec) -> tuple[Rule, ...]:
    rules = [Rule.NEVER_DESCEND, Rule.REREAD_ROW]
    if spec.server.boosting:
        rules.append(Rule.BOOST_LAST_RUNG)
    if spec.server.age_clock == "arrival":
        rules.append(Rule.AGE_FROM_ARRIVAL)
    return tuple(sorted(rules, key=lambda rule: rule.value))
