"""Convert the solution of a few-to-many problem to a ladder."""

from __future__ import annotations

from tailc.errors import Code, Finding, TailcError
from tailc.forms.ladder.leanest import leanest_beyond
from tailc.forms.ladder.table import (
    Boost,
    CostUnit,
    Guard,
    Ladder,
    LoadAxis,
    Row,
    Rule,
    Rung,
    collapse,
)
from tailc.percentiles import PPM
from tailc.policies.few_to_many.spec import FewToManySpec
from tailc.problems.interval_rows import interval_rows
from tailc.problems.ladder import LadderProblem
from tailc.problems.schedule import LadderSolution, SolvedRow


def emit(spec: FewToManySpec, problem: LadderProblem, solution: LadderSolution) -> Ladder:
    """Build the ladder of a few-to-many policy: one row for each number of requests in the system.

    Above the largest searched number, a request waits for another request to exit. With
    `admit_on_departure`, rows without a feasible schedule, or with the longest delay, wait for an
    exit too. The waiting row starts on one thread and has the later climbs of the last searched row
    (Haque et al., ASPLOS 2015, section 4.1 and table 2). Without this option, the last row holds
    for all larger loads, and a load without a feasible schedule is a TailcError (INFEASIBLE).
    Unlike in the paper's table, all requests start at once on the cheapest rung at loads that fill
    the cores: the table is stable at any rate at which that rung is.
    """
    rows = _rows(
        solution,
        waits_for_exit=spec.search.admit_on_departure,
        from_arrival=spec.server.age_clock == "arrival",
    )
    boost = Boost(0, spec.server.cores * PPM) if spec.server.boosting else None
    ladder = Ladder(
        load_axis=LoadAxis.IN_SYSTEM,
        request_class=None,
        cost_units=(CostUnit("threads", spec.server.cores * PPM),),
        rungs=_rungs(problem),
        rules=_rules(spec),
        quantum_us=spec.server.quantum_us,
        rows=collapse(rows),
        guard=Guard(1, problem.loads[-1]),
        boost=boost,
    )
    return leanest_beyond(ladder)


def _rungs(problem: LadderProblem) -> tuple[Rung, ...]:
    speeds = problem.profile.mean_curve()
    return tuple(
        Rung(_threads(degree), round(float(speed) * PPM), (cost,), threads=degree)
        for degree, (speed, cost) in enumerate(zip(speeds, problem.cost_ppm, strict=True), start=1)
    )


def _threads(degree: int) -> str:
    return "1 thread" if degree == 1 else f"{degree} threads"


def _rules(spec: FewToManySpec) -> tuple[Rule, ...]:
    rules = [Rule.NEVER_DESCEND, Rule.REREAD_ROW]
    if spec.server.boosting:
        rules.append(Rule.BOOST_LAST_RUNG)
    if spec.server.age_clock == "arrival":
        rules.append(Rule.AGE_FROM_ARRIVAL)
    return tuple(sorted(rules, key=lambda rule: rule.value))


def _rows(solution: LadderSolution, *, waits_for_exit: bool, from_arrival: bool) -> list[Row]:
    for solved in solution.rows:
        if solved.schedule is None and not waits_for_exit:
            raise _no_start(solved)
    return interval_rows(solution, waits_for_exit=waits_for_exit, from_arrival=from_arrival)


def _no_start(solved: SolvedRow) -> TailcError:
    message = (
        f"with {solved.load} requests in the system every schedule exceeds the target parallelism, "
        "and `admit_on_departure: false` does not let new requests wait until another one ends"
    )
    hint = "set `admit_on_departure: true`, lower `max_in_system`, or raise `longest_interval`"
    return TailcError(Finding(Code.INFEASIBLE, message, help=hint))
