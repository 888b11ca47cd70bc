"""Servers of jobs one by one: as many as the plan has, and moves only where it counts them."""

from __future__ import annotations

import pytest

from tailc.forms.plan.servers import assigned_servers, ranges_text
from tailc.pipeline.rigid_jobs.solve import solve_for_racks
from tests.tailc.pipeline.rigid_jobs.problems import drawn, named, problem


def arrivals(schedule, epoch):
    """Servers that a job has now, and had not in the epoch before, in which it ran."""
    before, now = schedule.by_epoch[epoch - 1], schedule.by_epoch[epoch]
    return sum(len(set(now[name]) - set(before[name])) for name in now if name in before)


@pytest.mark.parametrize("seed", range(15))
def test_every_job_has_the_servers_of_the_plan_and_moves_only_where_it_does(seed):
    plan = solve_for_racks(drawn(300 + seed, jobs=5, epochs=4)).plan
    schedule = assigned_servers(plan)
    for epoch, running in enumerate(schedule.by_epoch):
        busy = [server for servers in running.values() for server in servers]
        assert len(busy) == len(set(busy)) == int(plan.busy[:, epoch].sum())
        assert sorted(busy + list(schedule.asleep(epoch))) == list(range(plan.servers))
        first = 0
        for pool, one in enumerate(plan.pools):
            inside = sum(first <= server < first + one.servers for server in busy)
            assert inside == plan.busy[pool, epoch]
            first += one.servers
        if epoch:
            assert arrivals(schedule, epoch) == int(plan.moves[:, epoch].sum())


def test_running_jobs_keep_the_servers_that_they_had():
    asked = problem(
        named(1, 0, 2, 1, must_run=True), named(2, 0, 1, 1, must_run=True), green_w=[0, 0]
    )
    schedule = assigned_servers(solve_for_racks(asked).plan, {"job-1": (3,), "job-2": (1,)})
    assert schedule.by_epoch == ({"job-1": (3,), "job-2": (1,)}, {"job-1": (3,)})
    assert schedule.asleep(1) == (0, 1, 2)


@pytest.mark.parametrize(
    ("servers", "text"), [((), ""), ((4,), "4"), ((0, 1, 2, 7, 9, 10), "0-2,7,9-10")]
)
def test_servers_are_written_as_ranges(servers, text):
    assert ranges_text(servers) == text
