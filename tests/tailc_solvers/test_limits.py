"""Ladders under several limits, against linear programs and over all chains of rungs."""

import itertools

import numpy as np
import pytest
from tailc_solvers.ladder.chains import chain
from tailc_solvers.ladder.dual import solve_ladder
from tailc_solvers.ladder.limits import solve_limited
from tailc_solvers.sample import WeightedSample

from tests.reference.ladder_lp import least_cost_within, least_tail_within

CORES = [6, 2]
CURVE = [1, 1.9, 2.65, 3.2]
RANK = 39
# A slow core draws 1 and does 1, a fast one 6.8 and 2: Haque et al., MICRO 2017, table 4.
EVERY = sorted(
    (speed * gain, kind, threads, power * threads)
    for kind, (speed, power) in enumerate([(1, 1), (2, 6.8)])
    for threads, gain in enumerate(CURVE, start=1)
)
SPEEDS = np.array([rung[0] for rung in EVERY])
USES = np.array([[rung[2] * (rung[1] == kind) for rung in EVERY] for kind in range(2)])
WIDTHS = np.array([rung[2] for rung in EVERY])
POWER = np.array([rung[3] for rung in EVERY])


def sample(seed, requests=40):
    demand_ms = np.random.default_rng(seed).gamma(1.6, 100, requests)
    return WeightedSample.common(demand_ms, SPEEDS)


@pytest.mark.parametrize("load", [1, 4, 8])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_least_tail_is_that_of_a_linear_program(seed, load):
    own = sample(seed)
    found = solve_limited(own, USES, CORES, [load], rank=RANK)
    wanted = least_tail_within(own, USES, load, CORES, RANK)
    assert found.bound[0] <= wanted * (1 + 1e-6)
    assert found.bound[0] >= wanted * (1 - 1e-3)
    assert wanted * (1 - 1e-6) <= found.primal[0] <= wanted * (1 + 2e-3)


@pytest.mark.parametrize("load", [2, 4, 8])
def test_the_least_cost_is_near_that_of_a_linear_program(load):
    """On 40 requests prices jump from one to the next; the bound still tells how far it is."""
    own = sample(0)
    target_ms = 1.3 * least_tail_within(own, USES, load, CORES, RANK)
    found = solve_limited(own, USES, CORES, [load], rank=RANK, cost=POWER, target_ms=target_ms)
    uses, cores = np.vstack([POWER, USES]), [1e6, *CORES]
    wanted = least_cost_within(own, uses, load, cores, RANK, target_ms)
    assert wanted * 0.99 <= found.bound[0] <= wanted * (1 + 1e-6)
    assert wanted * (1 - 1e-6) <= found.primal[0] <= wanted * 1.02
    assert found.tail_ms[0] <= target_ms * (1 + 1e-9)


def test_no_chain_of_rungs_that_keeps_its_threads_has_a_much_shorter_tail():
    """Every set of rungs with rising speeds and no fewer threads, each as a program of its own."""
    rungs = [i for i in range(len(EVERY)) if WIDTHS[i] in (1, 2)]
    own = WeightedSample.common(sample(2).demand_ms, SPEEDS[rungs])
    uses, widths = USES[:, rungs], WIDTHS[rungs]
    found = solve_limited(own, uses, CORES, [4], rank=RANK, widths=widths)
    best = min(
        least_tail_within(
            WeightedSample.common(own.demand_ms, SPEEDS[rungs][list(few)]),
            uses[:, few],
            4,
            CORES,
            RANK,
        )
        for few in sets_of(range(len(rungs)))
        if (np.diff(widths[list(few)]) >= 0).all()
    )
    assert best * (1 - 1e-6) <= found.primal[0] <= best * 1.01
    assert found.bound[0] <= best * (1 + 1e-6)


def sets_of(rungs):
    sizes = range(1, len(rungs) + 1)
    return [list(few) for n in sizes for few in itertools.combinations(rungs, n)]


@pytest.mark.parametrize("load", [1, 5, 8])
def test_no_climb_takes_threads_away_and_every_supply_suffices(load):
    own = sample(3, 400)
    found = solve_limited(own, USES, CORES, [load], rank=396, widths=WIDTHS)
    stays = np.append(found.v_ms[0, 1:], np.inf)
    used = WIDTHS[: np.flatnonzero(np.isinf(stays))[0] + 1][
        stays[: np.flatnonzero(np.isinf(stays))[0] + 1] > 0
    ]
    assert (np.diff(used) >= 0).all()
    assert (found.use[0] <= np.array(CORES) * (1 + 1e-8)).all()


def test_one_supply_is_the_ladder_with_that_cost():
    slow = WeightedSample.common(sample(4).demand_ms, np.array(CURVE))
    costs = np.arange(1.0, 5)
    found = solve_limited(slow, [costs], [6], [2, 5], rank=RANK)
    wanted = solve_ladder(slow, costs, [2, 5], 6, rank=RANK)
    assert found.primal == pytest.approx(wanted.primal, rel=3e-4)
    assert found.bound == pytest.approx(wanted.bound, rel=1e-9)


def test_a_target_below_the_fastest_rung_s_tail_has_no_ladder():
    own = sample(5)
    found = solve_limited(own, USES, CORES, [1], rank=RANK, cost=POWER, target_ms=1.0)
    assert np.isinf(found.primal[0])
    assert np.isinf(found.v_ms[0]).all()


def test_a_supply_that_is_always_enough_changes_nothing():
    own = sample(6)
    found = solve_limited(own, USES, CORES, [4], rank=RANK)
    more = solve_limited(own, np.vstack([USES, POWER]), [*CORES, 1e6], [4], rank=RANK)
    assert more.primal[0] == pytest.approx(found.primal[0], rel=1e-3)


def test_a_chain_leaves_out_what_has_fewer_threads_than_the_rung_below():
    # On the hull of (1, 1), (1.9, 2), (2, 2.15), (3.8, 6): two threads, then one, then two.
    speeds, costs = np.array([1, 1.9, 2, 3.8]), np.array([1, 2, 2.15, 6])
    assert chain(speeds, costs, np.ones(4, np.int64)).tolist() == [0, 1, 2, 3]
    assert chain(speeds, costs, np.array([1, 2, 1, 2])).tolist() == [0, 1, 3]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cost": POWER}, "the objective `cost` needs `target_ms`"),
        ({"sample": WeightedSample.common([1.0, 2.0], [2.0, 1.0])}, "in order of speed"),
        ({"sample": WeightedSample.individual([1.0, 2.0], [[1.0, 2.0]] * 2)}, "one common curve"),
    ],
)
def test_a_problem_of_another_kind_is_refused(change, said):
    own = change.pop("sample", sample(0))
    with pytest.raises(ValueError, match=said):
        solve_limited(own, USES, CORES, [1], rank=1, **change)
