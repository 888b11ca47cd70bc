import numpy as np
import pytest
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.green.parallel.solution import Ending

from tailc.forms.plan.ledger import ledger_of
from tailc.models.malleable_jobs.baselines.constant import ConstantAllocator
from tailc.models.malleable_jobs.engine import replay_malleable
from tailc.pipeline.allocators.offline import Offline
from tailc.pipeline.allocators.solving import column_generation
from tests.tailc.models.datacentre.sites import Known
from tests.tailc.pipeline.allocators.clusters import (
    AIMS,
    EIGHT,
    QUICK,
    Watched,
    job,
    no_plan,
    sun,
)


@pytest.fixture(scope="module")
def solve():
    with Solver(Backend.HIGHS) as highs:
        yield column_generation(highs, QUICK)


def replayed(supply, jobs, allocator):
    return replay_malleable(EIGHT, supply, Known(supply), jobs, allocator)


def test_the_sun_of_an_hour_runs_a_job_on_four_times_the_machines(solve):
    supply = sun([8, 8, 0, 0])
    found = replayed(
        supply, [job(run_s=3_600)], Offline(EIGHT, supply, [job(run_s=3_600)], solve, AIMS)
    )
    # Linear: two hours of a server's work on eight are a quarter of an hour.
    assert found.history == ((0, {1: 8}), (900, {}))
    assert [one.vms for one in found.done] == [8]
    assert ledger_of(found.entries).brown_mj == 0


def test_who_arrives_later_and_gains_more_is_waited_for(solve):
    """The first job, which gains little, leaves the sun to the second, which is not there yet."""
    dull = {1: 1_000_000, 2: 2_000_000, 4: 2_200_000, 8: 2_300_000}
    jobs = [job(1, 0, run_s=2_700, curve=dull), job(2, 900, run_s=1_800)]
    supply = sun([2, 8, 8, 0, 0, 0])
    found = replayed(supply, jobs, Offline(EIGHT, supply, jobs, solve, AIMS))
    assert dict(found.history)[900] == {1: 2, 2: 4}


def test_the_replay_is_as_the_plan_where_jobs_end_with_epochs(solve):
    jobs = [job(1, 0, run_s=1_800), job(2, 900, run_s=1_800), job(3, 1_000, 1, run_s=1_800)]
    supply = sun([3, 5, 8, 2, 0, 1])
    asked = Watched(solve)
    offline = Offline(EIGHT, supply, jobs, asked, AIMS)
    found = replayed(supply, jobs, offline)
    assert offline.found.solution.ending in (Ending.BEST, Ending.FOUND)
    best = offline.found.solution.best
    plan, ledger = best.plan, best.ledger
    ((problem, _),) = asked.asked
    begin_s = problem.begin_s.tolist()
    for at_s, servers in found.history:
        epoch = int(np.searchsorted(begin_s, at_s, side="right")) - 1
        for number, count in servers.items():
            assert plan.servers[number - 1, epoch] == count
    # In its last epoch a job of the replay ends when its work is done.
    books = ledger_of(found.entries)
    assert books.brown_mj <= int(ledger.brown_mj.sum())
    assert all(one.ran_s <= ledger.run_s[one.number - 1] for one in found.done)
    assert not any(one.is_late for one in found.done)


def test_jobs_begin_in_the_second_in_which_they_arrive(solve):
    jobs = [job(1, 17, run_s=1_000), job(2, 1_234, run_s=1_000)]
    supply = sun([2, 2, 2, 2])
    found = replayed(supply, jobs, Offline(EIGHT, supply, jobs, solve, AIMS))
    assert [one.started_s for one in found.done] == [17, 1_234]


def test_without_a_plan_jobs_have_what_they_ask_for():
    jobs = [job(1), job(2, 100, requested=8), job(3, 200)]
    supply = sun([8, 8, 8, 8, 8, 8])
    found = replayed(supply, jobs, Offline(EIGHT, supply, jobs, no_plan, AIMS))
    assert found.history == replayed(supply, jobs, ConstantAllocator()).history
