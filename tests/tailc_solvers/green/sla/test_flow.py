"""One job by flows: against enumeration, a general solver, and by hand."""

from dataclasses import replace

import numpy as np
import pytest
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.check import AnswerTrust
from tailc_solvers.backends.linear import SolverOutcome
from tailc_solvers.green.sla import flow
from tailc_solvers.green.sla.check import faults_of
from tailc_solvers.green.sla.flow import place_job
from tailc_solvers.green.sla.problem import Charges, EnergySupply, Groups, Job
from tailc_solvers.green.sla.reduced_program import solve_reduced

from tests.reference import sla_plain
from tests.tailc_solvers.green.sla.instances import SERVER, plainly, small_groups, small_job


@pytest.fixture(scope="module")
def highs():
    with Solver(Backend.HIGHS) as solver:
        yield solver


def compared_with_all(seed: int, *, runs: bool) -> bool:
    """Whether the flow found the best of all plans of a small problem; it is never above it."""
    groups = small_groups(seed)
    job = small_job(seed, groups.groups, groups.epochs, 3, runs=runs)
    found = place_job(groups, job)
    best = sla_plain.best(groups, [job])
    if best is None:
        assert found.plan is None, seed
        return True
    assert found.bound >= best[0], (seed, found.bound, best)
    if found.plan is None:
        # Moves overdrew the green bus whatever was left out.
        return False
    first = [int((~groups.is_green[:, t]).sum()) for t in range(groups.epochs)]
    assert faults_of(groups, [job], found.plan) == (), seed
    assert found.figures.value == sla_plain.value(groups, [job], plainly(found.plan), first), seed
    assert found.figures.value <= best[0], seed
    if found.trust is AnswerTrust.PROVED:
        assert best[0] - found.figures.value <= groups.epochs, seed
    return found.figures.value == best[0]


@pytest.mark.parametrize("runs", [False, True])
def test_the_bound_holds_and_the_plan_is_mostly_the_best_of_all(runs):
    is_best = [compared_with_all(seed, runs=runs) for seed in range(150)]
    assert sum(is_best) >= 135


@pytest.mark.fuzz
@pytest.mark.parametrize("runs", [False, True])
@pytest.mark.parametrize("block", range(5))
def test_the_bound_holds_on_thousands_of_problems(block, runs):
    is_best = [compared_with_all(200 * block + seed, runs=runs) for seed in range(200)]
    assert sum(is_best) >= 180


def sunny(seed: int, racks: int = 6, servers: int = 5, epochs: int = 24) -> Groups:
    """Two days in hours, some servers taken."""
    rng = np.random.default_rng(seed)
    hour = np.arange(epochs) % 12
    sun = np.clip(np.sin((hour - 2) / 8 * np.pi), 0, None) * rng.uniform(0.3, 1.0, epochs)
    green = (sun * SERVER * racks * servers).astype(np.int64)
    racks_green = np.minimum(green // (SERVER * servers), racks)
    is_green = np.arange(racks)[:, None] >= racks - racks_green
    supply = EnergySupply(green, SERVER, 6, rng.integers(20, 40, epochs))
    idle = np.zeros((racks, epochs), dtype=np.int64)
    busy = np.repeat(rng.integers(0, 1 + servers // 2, (racks, epochs // 4)), 4, axis=1)
    charges = Charges(np.arange(racks), 1)
    return Groups(np.full(racks, servers), is_green, supply, charges, busy, idle)


@pytest.mark.parametrize("seed", range(8))
def test_the_flow_is_as_good_as_the_mixed_integer_program_up_to_its_gap(highs, seed):
    groups = sunny(seed)
    rng = np.random.default_rng(seed)
    width = int(rng.integers(3, 12))
    job = Job(width, 20, int(rng.integers(0, 10 * width)), 1_000 * width, 500, first_epoch=2)
    quick, program = place_job(groups, job), solve_reduced(groups, [job], highs)
    assert program.outcome is SolverOutcome.OPTIMAL
    assert quick.figures.value <= program.figures.value <= quick.bound
    assert program.figures.value - quick.figures.value <= quick.gap
    assert quick.bound <= program.bound + groups.epochs + job.penalty
    assert quick.relative_gap < 0.01


def test_without_a_promise_the_flow_is_proved_the_best(highs):
    for seed in range(8):
        groups = sunny(seed)
        job = Job(9, 24, 0, 9_000, 500)
        quick, program = place_job(groups, job), solve_reduced(groups, [job], highs)
        assert quick.trust is AnswerTrust.PROVED, seed
        assert quick.figures.value == program.figures.value, seed


def two_groups(green: list[int], **changes) -> Groups:
    """Four servers each; the second is green where there is energy for it."""
    energy = EnergySupply(SERVER * np.array(green), SERVER, 6, np.full(len(green), 20))
    is_green = np.array([[False] * len(green), [g >= 4 for g in green]])
    idle = np.zeros(is_green.shape, dtype=np.int64)
    given = Groups(np.array([4, 4]), is_green, energy, Charges(np.array([0, 5])), idle, idle)
    return replace(given, **changes)


def test_a_promise_moves_servers_to_the_green_bus_and_back():
    # 2 servers, 4 epochs; epochs 1 and 2 are green for 4. All green of it promised: 4 slots.
    # 4 slots at a charge of 5; moving in draws 12 of the 240 that are green, moving back is free.
    groups = two_groups([0, 5, 5, 0], charges=Charges(np.array([0, 5]), 1))
    found = place_job(groups, Job(2, 4, 4, 1_000, 100))
    assert found.figures.missing.tolist() == [0]
    green = found.plan[0].servers[1].tolist()
    assert green[1:3] == [2, 2]
    # Staying on in the dark costs 5 a server, and moving back 1 charge and 2 micro-dollars.
    assert green in ([2, 2, 2, 0], [0, 2, 2, 0])
    assert found.trust is AnswerTrust.PROVED


def test_in_epochs_to_be_still_a_job_has_moved_before():
    # Moving in epoch 1 would be free; a slot of the green group costs 5 beforehand.
    groups = two_groups([0, 5, 5, 0])
    job = Job(2, 4, 4, 1_000, 100)
    assert place_job(groups, job).plan[0].servers[1].tolist()[:2] == [0, 2]
    still = place_job(groups, job, frozenset({1}))
    assert still.plan[0].servers[1].tolist()[:2] == [2, 2]
    assert still.figures.missing.tolist() == [0]
    # Without room beforehand it waits and misses two slots; without room to wait it moves.
    no_moves = np.zeros((2, 4), dtype=np.int64)
    before = groups.with_load(np.array([[0] * 4, [4, 0, 0, 0]]), no_moves)
    assert place_job(before, job, frozenset({1})).figures.missing.tolist() == [2]
    pressed = before.with_load(np.array([[0, 4, 0, 0], [0] * 4]), no_moves)
    assert place_job(pressed, job, frozenset({1})).figures.missing.tolist() == [0]


def test_a_job_that_costs_more_than_it_pays_is_turned_away():
    # One server in the dark for one epoch costs 20.
    assert place_job(two_groups([0]), Job(1, 1, 0, 20, 0)).plan == (None,)
    assert place_job(two_groups([0]), Job(1, 1, 0, 21, 0)).plan[0] is not None


def test_a_job_wider_than_what_is_free_is_turned_away_and_a_running_one_has_no_plan():
    groups = two_groups([0, 0])
    assert place_job(groups, Job(9, 2, 0, 1_000, 0)).plan == (None,)
    full = groups.with_load(np.array([[4, 4], [3, 4]]), np.zeros((2, 2), dtype=np.int64))
    found = place_job(full, Job(1, 2, 0, 1_000, 0, placed=np.array([0, 1])))
    assert (found.outcome, found.plan) == (SolverOutcome.INFEASIBLE, None)


def test_a_job_is_put_off_until_the_sun_is_up():
    groups = two_groups([0, 0, 4, 4, 0])
    job = Job(2, 2, 4, 1_000, 100)
    assert place_job(groups, job).figures.missing.tolist() == [4]
    put_off = place_job(groups, replace(job, latest_start=3))
    assert put_off.plan[0].start == 2
    assert put_off.figures.missing.tolist() == [0]


def test_moves_that_overdraw_the_green_bus_are_not_made():
    # 4 green servers use all there is: none may move in, so those that come must have been there.
    groups = two_groups([0, 4, 0])
    found = place_job(groups, Job(4, 3, 4, 5_000, 500))
    assert found.figures.missing.tolist() == [0]
    assert found.plan[0].servers[1].tolist()[:2] == [4, 4]


def test_turning_away_is_not_proved_where_a_plan_was_only_not_found(monkeypatch):
    groups = two_groups([0, 4, 0])
    job = Job(4, 3, 4, 5_000, 500)
    monkeypatch.setattr(flow, "REPAIRS", 0)
    found = place_job(groups, job)
    assert found.plan == (None,)
    assert found.trust is AnswerTrust.CLAIMED
    assert found.bound >= sla_plain.best(groups, [job])[0] > 0
