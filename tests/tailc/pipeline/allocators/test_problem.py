from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.models.malleable_jobs.cluster import Cluster
from tailc.models.malleable_jobs.jobs import MalleableJob, UnfinishedJob
from tailc.pipeline.allocators.epochs import epochs_ahead
from tailc.pipeline.allocators.problem import (
    Aims,
    at_request,
    new_job,
    parallel_problem,
    running_job,
    shape_of,
)
from tests.tailc.pipeline.allocators.clusters import BENT, EIGHT, job, sun


def test_servers_that_sleep_take_their_part_of_the_sun_first():
    cluster = Cluster(8, 30_000, 2_000, 0, 900)
    epochs = epochs_ahead(cluster, 0, sun([1, 0]), 1_800)
    problem = parallel_problem(cluster, epochs, [new_job(job(), 8, 100)], Aims(1))
    # 30 W of sun less 8 times 2 W; a server that is busy draws 28 W more.
    assert problem.green_mj.tolist() == [[14_000 * 900, 0]]
    assert problem.power_mw.tolist() == [28_000 * count for count in range(9)]


def test_energy_is_weighed_by_money_energy_and_carbon():
    epochs = epochs_ahead(EIGHT, 0, sun([1]), 900)
    problem = parallel_problem(EIGHT, epochs, [new_job(job(), 8, 100)], Aims(1, 2, 30, 4))
    # 10 cents, and 200 g of CO2, for each kWh.
    assert problem.brown_cost.tolist() == [2 * 100_000 + 30 + 4 * 200]


def test_run_time_is_the_mean_over_the_problem_or_over_a_day():
    assert Aims(900).run_cost_of(3) == 900
    # Each of three jobs of 26 weighs 900 / 26; the problem divides by three.
    assert Aims(900, mean_over=26).run_cost_of(3) == 104


def test_a_server_takes_four_machines_at_most_and_one_at_least():
    wide = MalleableJob(1, 0, 100, 4, 1_000_000, {8: BENT, 16: {**BENT, 16: 5_000_000}})
    assert shape_of(wide, 8, 50).servers.tolist() == [2, 4, 8]
    assert shape_of(wide, 16, 50).servers.tolist() == [4, 8, 16]
    assert shape_of(wide, 16, 8).servers.tolist() == [4, 8]
    assert shape_of(wide, 16, 3) is None


def test_speed_ups_are_of_whole_thousandths():
    fine = MalleableJob(1, 0, 100, 1, 1_000_000, {2: {1: 1_000_000, 2: 1_800_500}})
    with pytest.raises(ValueError, match="whole thousandths"):
        new_job(fine, 8, 100)


@given(st.integers(1, 10**5), st.sampled_from([1_000_000, 1_100_000, 1_500_000]))
def test_a_new_job_may_run_for_as_long_as_the_replay_allows(run_s, slowdown_ppm):
    one = job(run_s=run_s, slowdown_ppm=slowdown_ppm, curve=BENT)
    # The replay rounds up to a second, the problem to a millisecond.
    assert -(-new_job(one, 8, one.work_s).deadline_ms // 1_000) == one.longest_s


@given(st.integers(0, 1_000), st.sampled_from([1, 2, 4]))
def test_what_a_job_has_done_is_taken_off_its_work_and_its_time(ran_s, servers):
    one = job(run_s=5_000, curve=BENT)
    done = ran_s * BENT[servers]
    left = running_job(UnfinishedJob(one, 4, servers, 0, done, ran_s), 8, one.work_s)
    new = new_job(one, 8, one.work_s)
    assert left.deadline_ms == new.deadline_ms - 1_000 * ran_s
    assert left.work_left + left.work_done == new.work_left
    assert left.present == servers


def test_a_job_that_cannot_keep_its_promise_may_take_what_it_asked_for_takes():
    one = job(run_s=1_000)
    behind = UnfinishedJob(one, 4, 1, 0, 0, 2_000)
    left = running_job(behind, 8, one.work_s)
    # 2,000 s on one server brought nothing: 2,000 s of work are left, for two servers.
    assert left.work_left == 2_000 * 10**6
    assert left.deadline_ms == 1_000_000
    keeps = running_job(replace(behind, ran_s=599), 8, one.work_s)
    assert keeps.deadline_ms == 1_100_000 - 599_000


def test_a_job_that_outlives_what_was_expected_has_a_tenth_of_it_left():
    one = job(run_s=1_000)
    outlived = UnfinishedJob(one, 4, 2, 0, 2_000 * 10**6, 1_000)
    assert running_job(outlived, 8, 1_500).work_left == 150 * 10**6


def test_what_is_asked_for_is_given_as_far_as_it_can_be():
    one = MalleableJob(1, 0, 100, 3, 1_000_000, {6: {2: 1_500_000, 3: 2_000_000}})
    assert at_request(new_job(one, 8, 100)) == 3
    assert at_request(new_job(one, 2, 100)) == 2
