"""The days of malleable jobs are those that the bench says."""

import numpy as np
import pytest

from bench.parallel_jobs import DAYS, day_of


@pytest.mark.parametrize("jobs", list(DAYS))
def test_the_mix_of_a_day_has_as_many_jobs_as_the_published_one(jobs):
    assert sum(count for _, count in DAYS[jobs]) == jobs
    assert len(day_of(jobs, 0).jobs) == jobs


@pytest.mark.parametrize("jobs", [12, 26, 113])
def test_a_day_is_the_same_for_a_seed_and_another_for_another(jobs):
    work = [[job.work_left for job in day_of(jobs, seed).jobs] for seed in (3, 3, 4)]
    assert work[0] == work[1] != work[2]


def test_the_sun_of_a_day_is_what_the_scaled_panels_could_give_without_clouds():
    # Half a sine of 1.5 kW over twelve hours: 1.5 * 24 / pi kWh.
    kwh = day_of(26, 0).green_mj.sum() / 3.6e9
    assert kwh == pytest.approx(1.5 * 24 / np.pi, rel=1e-3)


def test_each_job_may_start_with_two_or_four_vms_a_server_it_asks_for():
    for job in day_of(113, 1).jobs:
        assert [shape.vms for shape in job.shapes] == [2 * job.requested, 4 * job.requested]


def test_counts_need_not_be_powers_of_two():
    day = day_of(12, 0, counts=range(1, 33))
    assert any(3 in shape.servers for job in day.jobs for shape in job.shapes)
