"""The table of a solved joint ladder: rungs of threads at a frequency, which share power."""

from __future__ import annotations

from tailc.forms.ladder.interval_rows import interval_rows
from tailc.forms.ladder.problem import LadderProblem
from tailc.forms.ladder.solution import LadderSolution
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
from tailc.percentiles import PPM
from tailc.policies.joint_ladder.rungs import JointRung
from tailc.policies.joint_ladder.spec import JointSpec
from tailc.specs.cores import PowerUnit

# Requests share the first; where they ask for more, each gets its part of what it asks for.
UNITS = {PowerUnit.WATT: "watts", PowerUnit.SLOW_CORE: "power"}
# Not `threads`: that unit makes a rung a degree of the trace's own speed-ups.
CORES = "cores"


def emit(spec: JointSpec, problem: LadderProblem, solution: LadderSolution) -> Ladder:
    """Rows by requests in the system; beyond the searched ones a request waits for an exit."""
    peak = spec.server.peak_power
    from_arrival = spec.server.age_clock == "arrival"
    rows = interval_rows(solution, waits_for_exit=True, from_arrival=from_arrival)
    return Ladder(
        load_axis=LoadAxis.IN_SYSTEM,
        request_class=None,
        cost_units=(CostUnit(UNITS[peak.unit], peak.ppm), CostUnit(CORES)),
        rungs=tuple(map(_rung, spec.rungs)),
        rules=_rules(spec),
        quantum_us=spec.server.quantum_us,
        rows=collapse(rows),
        guard=Guard(1, problem.loads[-1]),
        boost=Boost(0, peak.ppm) if spec.server.boosting else None,
    )


def _rung(rung: JointRung) -> Rung:
    return Rung(rung.name, rung.speed_ppm, (rung.power_ppm, rung.threads * PPM))


def _rules(spec: JointSpec) -> tuple[Rule, ...]:
    rules = [Rule.NEVER_DESCEND, Rule.REREAD_ROW]
    if spec.server.boosting:
        rules.append(Rule.BOOST_LAST_RUNG)
    if spec.server.age_clock == "arrival":
        rules.append(Rule.AGE_FROM_ARRIVAL)
    return tuple(sorted(rules, key=lambda rule: rule.value))
