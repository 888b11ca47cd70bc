"""From solved rows to the interval table; rows are written out by hand."""

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.forms.ladder.table import AT_ONCE, ON_EXIT, Admission, Climb, Row, Rule
from tailc.policies.few_to_many.emit import emit
from tailc.policies.few_to_many.spec import FewToManySpec
from tailc.problems.interval_grid import IntervalGrid
from tailc.problems.ladder import LadderObjective, LadderProblem, Method
from tailc.problems.schedule import LadderSolution, RowStatus, Schedule, SolvedRow
from tailc.traces.profile import DemandProfile, Measure

MS = 1_000
# More requests than there are cores: each has one thread at once.
CROWD = Row(7, None, AT_ONCE, (Climb(0, 0),))
PROFILE = DemandProfile(
    demand_ms=np.array([50.0, 150.0]),
    weight=np.array([1, 1]),
    curves=np.array([[1.0, 1.5, 2.0]]),
    curve_of=np.array([0, 0], dtype=np.int32),
    curve_names=(),
    measure=Measure.DEMAND_BUSY,
    reference="one thread",
)
PROBLEM = LadderProblem(
    profile=PROFILE,
    cost_ppm=(1_000_000, 2_000_000, 3_000_000),
    loads=(1, 2),
    budget_ppm=6_000_000,
    percentile_ppm=990_000,
    objective=LadderObjective.TAIL,
    target_us=None,
    method=Method.GRID,
    grid=IntervalGrid(50 * MS, 150 * MS),
)


def spec(**server):
    search = {"admit_on_departure": server.pop("admit_on_departure", True)}
    return FewToManySpec.model_validate(
        {
            "apiVersion": "tailc/v1",
            "kind": "few-to-many",
            "name": "toy",
            "slo": [{"percentile": "99%", "latency": "200ms"}],
            "demand": {
                "trace": "toy.csv",
                "column": "demand_ms",
                "unit": "ms",
                "measure": "demand-busy",
                "reference": "one thread",
            },
            "speedup": [1, 1.5, 2],
            "server": {"cores": 6, "target_parallelism": 6, **server},
            "search": search,
        }
    )


def rows_of(*solved, **server):
    solution = LadderSolution(solved, "none", "solver", 1, longest_wait_us=150 * MS)
    return emit(spec(**server), PROBLEM, solution).rows


def solved(load, wait_us, *stay_us):
    return SolvedRow(load, RowStatus.OPTIMAL, Schedule(wait_us, stay_us))


def test_the_row_beyond_waits_for_an_exit_starts_on_one_thread_and_keeps_later_climbs():
    rows = rows_of(solved(1, 0, 0, 100 * MS), solved(2, 20 * MS, 0, 60 * MS))
    assert rows == (
        Row(1, 1, AT_ONCE, (Climb(0, 1), Climb(100 * MS, 2))),
        Row(2, 2, Admission.after_delay(20 * MS), (Climb(0, 1), Climb(60 * MS, 2))),
        Row(3, 6, ON_EXIT, (Climb(0, 0), Climb(60 * MS, 2))),
        CROWD,
    )


def test_the_longest_wait_there_is_means_to_wait_for_an_exit():
    rows = rows_of(solved(1, 0, 0, 0), solved(2, 150 * MS, 50 * MS, 50 * MS))
    beyond = (Climb(0, 0), Climb(50 * MS, 1), Climb(100 * MS, 2))
    assert rows[1:] == (Row(2, 6, ON_EXIT, beyond), CROWD)


def test_a_load_without_a_schedule_waits_for_an_exit():
    rows = rows_of(solved(1, 0, 50 * MS, 0), SolvedRow(2, RowStatus.INFEASIBLE))
    assert rows[1:] == (Row(2, 6, ON_EXIT, (Climb(0, 0), Climb(50 * MS, 2))), CROWD)


def test_without_waiting_for_exits_the_last_row_holds_until_the_cores_are_full():
    rows = rows_of(solved(1, 0, 0, 0), solved(2, 150 * MS, 50 * MS, 0), admit_on_departure=False)
    assert rows[-2] == Row(2, 6, Admission.after_delay(150 * MS), (Climb(0, 0), Climb(50 * MS, 2)))
    assert rows[-1] == CROWD


def test_without_waiting_for_exits_a_load_without_a_schedule_is_infeasible():
    with pytest.raises(TailcError) as refused:
        rows_of(solved(1, 0, 0, 0), SolvedRow(2, RowStatus.INFEASIBLE), admit_on_departure=False)
    assert refused.value.findings[0].code is Code.INFEASIBLE
    assert "2 requests" in refused.value.findings[0].message


def test_boosting_off_leaves_neither_rule_nor_limit():
    solution = LadderSolution((solved(1, 0, 0, 0),), "none", "solver", 1, None)
    form = emit(spec(boosting=False), PROBLEM, solution)
    assert form.boost is None
    assert form.rules == (Rule.NEVER_DESCEND, Rule.REREAD_ROW)
