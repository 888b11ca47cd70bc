"""The check refuses what no plan may be, and counts money and energy as by hand."""

from dataclasses import replace

import numpy as np
import pytest
from tailc_solvers.backends.check import AnswerFault as SolverFault
from tailc_solvers.backends.check import AnswerTrust
from tailc_solvers.backends.linear import BackendLimits, SolverAnswer, SolverOutcome, SolverPoint
from tailc_solvers.green.sla.arrival import place_jobs
from tailc_solvers.green.sla.check import PlacementFault, faults_of, figures_of
from tailc_solvers.green.sla.exact import solve_exact
from tailc_solvers.green.sla.horizon import solve_admission, solve_horizon
from tailc_solvers.green.sla.problem import (
    Charges,
    EnergySupply,
    Groups,
    Job,
    Placement,
    Racks,
    green_slots_of,
    is_contiguous,
    rising_charges,
)
from tailc_solvers.green.sla.reduced_program import ReducedProgram, solve_reduced
from tailc_solvers.green.sla.solution import solution_of_plan

SERVER = 60


def groups_of(green: list[int], is_green: list[list[bool]], brown_cost: int = 30) -> Groups:
    """Two servers a group; energies in server-epochs, a move a tenth of one."""
    epochs = len(green)
    energy = EnergySupply(SERVER * np.array(green), SERVER, 6, np.full(epochs, brown_cost))
    idle = np.zeros((len(is_green), epochs), dtype=np.int64)
    charges = Charges(np.arange(len(is_green)), 1)
    return Groups(np.full(len(is_green), 2), np.array(is_green), energy, charges, idle, idle)


@pytest.fixture
def sunny():
    """The second of two groups is green in the last two of three epochs."""
    return groups_of([0, 3, 3], [[False] * 3, [False, True, True]])


JOB = Job(width=2, epochs=3, green_slots=4, revenue=1_000, penalty=100)


def there(start: int, *servers: list[int]) -> tuple[Placement]:
    return (Placement(start, np.array(servers)),)


def test_figures_are_those_by_hand(sunny):
    found = figures_of(sunny, [JOB], there(0, [2, 0, 1], [0, 2, 1]))
    # Green slots 2 + 1 of 4. Epoch 0 draws 2 from the grid; epoch 1 draws 2.2 of 3 that are green.
    assert found.missing.tolist() == [1]
    assert found.brown.tolist() == [120, 0, 0]
    assert found.bill.tolist() == [60, 0, 0]
    assert found.moves == 3
    assert found.profit == 1_000 - 100 - 60
    assert found.value == found.profit - 3 - 3


def test_an_energy_bill_is_rounded_up_in_each_epoch():
    groups = groups_of([0, 0], [[False, False]], brown_cost=5)
    job = Job(1, 2, 0, 100, 0, placed=np.array([1]))
    assert figures_of(groups, [job], there(0, [1, 1])).bill.tolist() == [5, 5]
    # 6 mJ of 60 for a move that jobs of before make cost half a micro-dollar.
    moved = groups.with_load(np.zeros((1, 2), dtype=np.int64), np.array([[1, 0]]))
    assert figures_of(moved, [job], there(0, [1, 1])).bill.tolist() == [6, 5]


BROKEN = {
    PlacementFault.WRONG_START: there(1, [2, 2], [0, 0]),
    PlacementFault.WRONG_EPOCHS: there(0, [2, 2], [0, 0]),
    PlacementFault.WRONG_WIDTH: there(0, [2, 1, 2], [0, 0, 0]),
    PlacementFault.NEGATIVE: there(0, [2, 2, 3], [0, 0, -1]),
    PlacementFault.OVERFULL: there(0, [2, 2, 3], [0, 0, -1]),
    PlacementFault.WRONG_SHAPE: there(1, [2, 2, 2], [0, 0, 0]),
    PlacementFault.NOT_WHOLE: there(0, [2.0, 2, 2], [0, 0, 0]),
    PlacementFault.WRONG_LENGTH: (),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_plan_that_breaks_a_rule_is_refused_with_it(sunny, fault):
    assert fault in faults_of(sunny, [JOB], BROKEN[fault])
    refused = solution_of_plan(sunny, [JOB], BROKEN[fault], bound=1e9)
    assert (refused.trust, refused.plan, refused.figures) == (AnswerTrust.REFUTED, None, None)


def test_a_running_job_is_not_turned_away(sunny):
    running = replace(JOB, placed=np.array([2, 0]))
    assert faults_of(sunny, [running], (None,)) == (PlacementFault.TURNED_AWAY,)
    assert faults_of(sunny, [JOB], (None,)) == ()


def test_green_groups_draw_no_more_than_there_is():
    # Two servers use the two that are green; moving them in as well is too much.
    groups = groups_of([0, 2], [[False, False], [False, True]])
    job = Job(2, 2, 2, 1_000, 100)
    assert faults_of(groups, [job], there(0, [2, 0], [0, 2])) == (PlacementFault.GREEN_OVERDRAWN,)
    assert faults_of(groups, [job], there(0, [0, 0], [2, 2])) == ()


def test_green_brown_brown_green_is_refused():
    # The printed constraints, which look at three racks in a row and at the last, let it pass.
    pattern = np.array([[True], [False], [False], [True]])
    assert not is_contiguous(pattern)
    with pytest.raises(ValueError, match="the last ones"):
        groups_of([8], pattern.tolist())
    for kept in ([0, 0, 0, 0], [0, 0, 0, 1], [0, 1, 1, 1], [1, 1, 1, 1]):
        assert is_contiguous(np.array(kept, dtype=bool)[:, None])


def test_a_rack_is_green_if_the_forecast_carries_it_when_full():
    # 42 racks of 40 servers of 140 W: a full rack takes 5.6 kW, 1.4 kWh in a quarter of an hour.
    server_mj = 140 * 900 * 1_000
    rack_mj = 40 * server_mj
    assert rack_mj == 1_400 * 3_600_000
    green = np.array([0, rack_mj - 1, rack_mj, 31 * rack_mj + 7, 50 * rack_mj])
    energy = EnergySupply(green, server_mj, 0, np.full(5, 3_692))
    racks = Racks(42, 40, energy, Charges(np.zeros(42, dtype=np.int64)))
    assert racks.green_racks.tolist() == [0, 0, 1, 31, 42]
    groups = Groups.build(racks)
    assert groups.servers.tolist() == [440, 1_200, 40]
    assert groups.is_green.sum(axis=0).tolist() == [0, 0, 1, 2, 3]
    assert rising_charges(racks.green_racks, 42, 5)[[0, 10, 11, 40, 41]].tolist() == [
        0,
        0,
        5,
        5,
        10,
    ]


PRICES = {"green": 72_500, "brown": 60_000, "penalty": 125_000}
"""Micro-dollars for a slot of a quarter of an hour: $0.29, $0.24 and $0.50 an hour."""


@pytest.mark.parametrize(("green", "earned"), [(4, 290_000), (2, 40_000), (0, -210_000)])
def test_an_hour_of_one_server_earns_29_or_4_cents_or_costs_21(green, earned):
    # All of it promised; energy is free here.
    is_green = [[False] * 4, [t < green for t in range(4)]]
    groups = groups_of([8] * 4, is_green)
    job = Job(1, 4, 4, 4 * PRICES["green"], PRICES["penalty"])
    assert figures_of(groups, [job], there(0, [0] * 4, [1] * 4)).profit == earned


def test_a_share_of_green_energy_is_rounded_up_to_slots():
    assert green_slots_of(250_000, 3, 3) == 3
    assert green_slots_of(0, 3, 3) == 0
    assert green_slots_of(1_000_000, 3, 3) == 9


class Says:
    """A solver that has one answer to everything."""

    def __init__(self, answer: SolverAnswer) -> None:
        self._answer = answer

    def answer(self, _program, _limits: BackendLimits | None = None) -> SolverAnswer:
        return self._answer


FAILURES = [
    SolverOutcome.TIMED_OUT,
    SolverOutcome.CRASHED,
    SolverOutcome.OUT_OF_MEMORY,
    SolverOutcome.GARBLED,
    SolverOutcome.LIMIT,
    SolverOutcome.REFUSED,
    SolverOutcome.NOT_INSTALLED,
]


@pytest.mark.parametrize("outcome", FAILURES)
def test_a_solver_that_fails_leaves_a_typed_outcome_and_no_plan(sunny, outcome):
    solver = Says(SolverAnswer(outcome, message="why"))
    racks = Racks(2, 2, sunny.energy, sunny.charges)
    found = [solve_reduced(sunny, [JOB], solver), solve_exact(racks, [JOB], solver)]
    for one in found:
        assert (one.outcome, one.plan, one.message) == (outcome, None, "why")
        assert np.isinf(one.bound)
    assert solve_horizon(sunny, [JOB], solver).outcome is outcome
    assert solve_admission(sunny, [JOB], solver).admitted is None
    # Flows need no solver: a plan is there all the same, without the bound.
    assert place_jobs(sunny, [JOB], solver).plan is not None


@pytest.mark.parametrize(
    ("outcome", "fault"),
    [
        (SolverOutcome.INFEASIBLE, SolverFault.FEASIBLE_AFTER_ALL),
        (SolverOutcome.UNBOUNDED, SolverFault.BOUNDED_AFTER_ALL),
    ],
)
def test_a_solver_that_denies_every_plan_is_refuted(sunny, outcome, fault):
    found = solve_reduced(sunny, [JOB], Says(SolverAnswer(outcome)))
    assert (found.trust, found.faults, found.plan) == (AnswerTrust.REFUTED, (fault,), None)


def test_an_infeasible_running_job_is_typed(sunny):
    full = sunny.with_load(np.array([[2] * 3, [1] * 3]), np.zeros((2, 3), dtype=np.int64))
    running = replace(JOB, placed=np.array([2, 0]))
    found = solve_reduced(full, [running], Says(SolverAnswer(SolverOutcome.INFEASIBLE)))
    assert (found.outcome, found.trust, found.plan) == (
        SolverOutcome.INFEASIBLE,
        AnswerTrust.CLAIMED,
        None,
    )


def test_every_planted_lie_about_a_plan_is_refuted(sunny):
    model = ReducedProgram.build(sunny, [JOB])
    x = np.zeros(model.program.n_variables)
    honest = SolverAnswer(SolverOutcome.FEASIBLE, SolverPoint(x, 0.0))
    assert solve_reduced(sunny, [JOB], Says(honest)).trust is not AnswerTrust.REFUTED
    servers = model.columns[0].servers
    lies = 0
    for at in servers.ravel().tolist():
        for amount in (1.0, 0.5, -1.0, np.nan, 1e9):
            wrong = x.copy()
            wrong[at] = amount
            found = solve_reduced(
                sunny, [JOB], Says(replace(honest, point=SolverPoint(wrong, 0.0)))
            )
            assert (found.trust, found.plan) == (AnswerTrust.REFUTED, None), (at, amount)
            assert found.faults
            lies += 1
    assert lies == 30
    praised = Says(SolverAnswer(SolverOutcome.OPTIMAL, SolverPoint(x, -1e6), bound=-1e6))
    assert SolverFault.WRONG_OBJECTIVE in solve_reduced(sunny, [JOB], praised).faults
