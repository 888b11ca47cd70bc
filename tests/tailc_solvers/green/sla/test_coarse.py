"""Merged groups: their servers, their buses, and the prices of their members."""

from __future__ import annotations

import numpy as np
import pytest
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.green.sla.coarse import MOST_GROUPS, merged_groups, prices_of_members
from tailc_solvers.green.sla.horizon import solve_horizon
from tailc_solvers.green.sla.problem import (
    Charges,
    EnergySupply,
    Groups,
    Job,
    Racks,
    rising_charges,
)

RACKS, SERVERS, EPOCHS, SERVER_MJ = 60, 2, 8, 100


def groups_of(seed: int, racks: int = RACKS) -> Groups:
    """Racks with a sun of its own in each epoch, so that there are many groups."""
    rng = np.random.default_rng(seed)
    green = rng.integers(0, racks * SERVERS * SERVER_MJ, EPOCHS)
    energy = EnergySupply(green, SERVER_MJ, 0, rng.integers(1, 50, EPOCHS))
    bare = Racks(racks, SERVERS, energy, Charges(np.zeros(racks, np.int64), 1))
    charges = Charges(rising_charges(bare.green_racks, racks, 1), 1)
    return Groups.build(Racks(racks, SERVERS, energy, charges))


def jobs_of(seed: int) -> list[Job]:
    rng = np.random.default_rng(seed)
    return [
        Job(
            width=int(rng.integers(5, 40)),
            epochs=(length := int(rng.integers(1, 5))),
            green_slots=length * int(rng.integers(0, 5)),
            revenue=length * 4_000,
            penalty=300,
            first_epoch=int(rng.integers(0, EPOCHS - length + 1)),
        )
        for _ in range(12)
    ]


def test_few_groups_stay_as_they_are():
    groups = groups_of(1)
    assert groups.groups <= MOST_GROUPS
    merged, of = merged_groups(groups)
    assert merged is groups
    price = np.arange(groups.is_green.size).reshape(groups.is_green.shape)
    assert np.array_equal(prices_of_members(groups, merged, of, price), price)


@pytest.mark.parametrize("most", [1, 2, 3, 5])
def test_merged_groups_have_all_servers_and_no_more_green_ones(most):
    groups = groups_of(2)
    merged, of = merged_groups(groups, most)
    assert merged.groups == most
    assert merged.servers.sum() == groups.servers.sum()
    assert merged.free.sum(axis=0).tolist() == groups.free.sum(axis=0).tolist()
    for g, m in enumerate(of.tolist()):
        assert (groups.is_green[g] >= merged.is_green[m]).all()


def test_a_member_that_is_green_alone_has_the_price_of_the_first_green_group():
    groups = groups_of(3)
    merged, of = merged_groups(groups, 3)
    price = np.array([[100], [200], [300]]) + np.zeros((3, EPOCHS), np.int64)
    found = prices_of_members(groups, merged, of, price) - groups.charges.slot[:, None]
    for g in range(groups.groups):
        for t in range(EPOCHS):
            own = int(of[g])
            green = np.flatnonzero(merged.is_green[:, t])
            is_beyond = groups.is_green[g, t] and not merged.is_green[own, t]
            at = int(green[0]) if is_beyond and len(green) else own
            assert found[g, t] == price[at, t] - merged.charges.slot[at]


@pytest.mark.parametrize("seed", range(4))
def test_prices_of_merged_groups_are_near_those_of_all(seed):
    """Where the bus of a member is that of its group, the same multipliers price it."""
    groups, jobs = groups_of(seed), jobs_of(seed)
    merged, of = merged_groups(groups, max(groups.groups - 2, 1))
    with Solver(Backend.HIGHS) as solver:
        exact, coarse = (solve_horizon(one, jobs, solver) for one in (groups, merged))
    assert exact.price is not None
    assert coarse.price is not None
    found = prices_of_members(groups, merged, of, coarse.price)
    assert abs(found.mean() - exact.price.mean()) <= 0.2 * exact.price.mean() + 5
