"""Racks for groups: no moves but the plan's, no rack overfull, the green ones together."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tailc_solvers.green.sla.arrival import in_order
from tailc_solvers.green.sla.assign import assign_racks
from tailc_solvers.green.sla.check import faults_of, figures_of
from tailc_solvers.green.sla.problem import Charges, EnergySupply, Groups, Job, Placement, Racks

from tests.tailc_solvers.green.sla.instances import SERVER, small_job, small_racks


def single(racks: Racks) -> Groups:
    is_green = np.arange(racks.racks)[:, None] >= racks.racks - racks.green_racks
    idle = np.zeros(is_green.shape, dtype=np.int64)
    servers = np.full(racks.racks, racks.servers)
    return Groups(servers, is_green, racks.energy, racks.charges, idle, idle)


@settings(derandomize=True, deadline=None, max_examples=80)
@given(seed=st.integers(0, 10_000))
def test_racks_have_the_figures_of_their_groups(seed):
    racks = small_racks(seed, racks=5, servers=3, epochs=6)
    groups = Groups.build(racks)
    jobs = [small_job((seed, k), groups.groups, 6, 4) for k in range(5)]
    plan = in_order(groups, jobs, range(5))
    found = assign_racks(racks, groups, jobs, plan, [None] * 5)
    assert faults_of(single(racks), jobs, found) == ()
    by_group, by_rack = figures_of(groups, jobs, plan), figures_of(single(racks), jobs, found)
    assert by_rack.moves == by_group.moves
    assert by_rack.value == by_group.value


def dark(epochs: int) -> Racks:
    none = np.zeros(epochs, dtype=np.int64)
    return Racks(3, 2, EnergySupply(none, SERVER, 6, none), Charges(np.zeros(3, dtype=np.int64)))


def test_a_running_job_stays_in_its_racks():
    racks = dark(2)
    job = Job(3, 2, 0, 0, 0, placed=np.array([3]))
    plan = (Placement(0, np.array([[3, 3]])),)
    found = assign_racks(racks, Groups.build(racks), [job], plan, [np.array([0, 1, 2])])
    assert found[0].servers.tolist() == [[0, 0], [1, 1], [2, 2]]


def test_a_job_that_is_turned_away_has_no_racks():
    racks = dark(1)
    assert assign_racks(racks, Groups.build(racks), [Job(1, 1, 0, 0, 0)], (None,), [None]) == (
        None,
    )


def test_servers_that_a_group_does_not_have_are_refused():
    racks = dark(1)
    jobs = [Job(4, 1, 0, 0, 0)] * 2
    plan = (Placement(0, np.array([[4]])),) * 2
    with pytest.raises(ValueError, match="more servers than the group"):
        assign_racks(racks, Groups.build(racks), jobs, plan, [None, None])


def test_racks_of_a_running_job_must_be_those_of_its_groups():
    racks = dark(1)
    job = Job(2, 1, 0, 0, 0, placed=np.array([2]))
    plan = (Placement(0, np.array([[2]])),)
    with pytest.raises(ValueError, match="must be in its groups"):
        assign_racks(racks, Groups.build(racks), [job], plan, [np.array([1, 0, 0])])
    with pytest.raises(ValueError, match="running jobs must be placed"):
        assign_racks(racks, Groups.build(racks), [job], plan, [None])
