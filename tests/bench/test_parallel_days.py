"""Days of malleable jobs are those that the bench says; the measured ones only where they are."""

import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from bench.parallel_cases import Case, result_of
from bench.parallel_days import (
    KWH,
    MACHINES,
    SERVERS,
    Sun,
    by_power_of_two,
    by_range,
    day_of_log,
    jobs_of,
    mix_of,
    sun_of,
    utilization,
)
from bench.parallel_jobs import DAYS
from bench.processes import of_all
from tailc.traces.jobs.log import JobLog, peak_width
from tailc.traces.series.series import SECONDS_PER_DAY

DATA = os.environ.get("TAILC_DATA")
measured = pytest.mark.skipif(DATA is None, reason="TAILC_DATA is not set")


def day(jobs=26) -> JobLog:
    run_s = np.arange(1, jobs + 1) * 100
    width = np.resize([2, 4, 8, 16], jobs)
    zeros = np.zeros(jobs, np.int64)
    return JobLog(np.arange(jobs), zeros, run_s, width, zeros, "a log")


def test_processors_become_the_power_of_two_below_within_what_servers_take():
    widths = 1, 4, 7, 8, 20, 32, 240
    assert [by_power_of_two(width) for width in widths] == [4, 4, 4, 8, 16, 32, 32]


def test_ranges_of_nodes_become_four_sizes():
    to_cores = by_range(256, 1_024, 2_048)
    assert [to_cores(width) for width in (8, 256, 257, 1_024, 2_048, 4_048)] == [4, 4, 8, 8, 16, 32]


def test_jobs_run_as_long_as_logged_on_what_they_ask_for():
    for (job, _), run_s in zip(jobs_of(day(), 3, slowdown_ppm=1_100_000), day().run_s, strict=True):
        # Work is in whole seconds on one server.
        assert job.work_s * 1_000_000 / job.requested_ppm == pytest.approx(run_s, abs=0.51)


def test_applications_are_as_many_as_published_and_dealt_by_the_seed():
    names = [[name for _, name in jobs_of(day(), seed, slowdown_ppm=10**6)] for seed in (1, 1, 2)]
    assert {name: names[0].count(name) for name in names[0]} == dict(DAYS[26])
    assert names[0] == names[1] != names[2]
    only = jobs_of(day(), 1, slowdown_ppm=10**6, only="EP")
    assert {name for _, name in only} == {"EP"}


def test_twice_the_load_is_each_job_twice():
    twice = jobs_of(day(), 1, slowdown_ppm=10**6, times=2)
    assert [job.number for job, _ in twice] == list(range(52))
    assert [job.work_s for job, _ in twice[::2]] == [job.work_s for job, _ in twice[1::2]]


@pytest.mark.parametrize("jobs", [1, 5, 26, 60, 113])
def test_any_number_of_jobs_has_the_shares_of_a_published_day(jobs):
    mix = mix_of(jobs)
    assert sum(mix.values()) == jobs
    published = dict(DAYS.get(jobs, DAYS[26]))
    whole = sum(published.values())
    assert all(abs(mix[name] - jobs * n / whole) <= 1 for name, n in published.items())


def test_larger_panels_have_more_sun_and_the_same_error():
    sun = Sun(np.full(192, 1_000, np.int64), np.full((48, 48), 1_200, np.int64))
    more = sun.scaled(125)
    assert more.green_mw[0] == 1_250
    assert sun.error == pytest.approx(0.2)
    assert more.error == pytest.approx(0.2)
    assert sun.ahead(5, 3).green_mw.tolist() == [1_200] * 3


def test_a_case_is_measured_by_what_shares_its_jobs_and_its_sun():
    case = Case("Atlas", 26, "High", "Aggressive", 2, 1_500_000, 75, "EP", 25, 3)
    assert case.baseline == Case("Atlas", 26, "High", "Baseline", 2, solar=75, only="EP", times=3)


@measured
@pytest.mark.parametrize("machine", list(MACHINES))
def test_days_of_logs_are_like_the_published_ones(machine):
    found = day_of_log(Path(DATA), machine, 26)
    assert found.jobs == 26
    assert peak_width(found) <= SERVERS
    assert utilization(found) == pytest.approx(0.33, abs=0.05)
    assert 0 <= found.submit_s.min() <= found.submit_s.max() < SECONDS_PER_DAY


@measured
@pytest.mark.parametrize(("kind", "kwh"), list(KWH.items()))
def test_suns_have_the_published_energy(kind, kwh):
    assert sun_of(Path(DATA), kind).kwh == pytest.approx(kwh, rel=0.04)


@pytest.mark.fuzz
@measured
def test_results_do_not_depend_on_the_number_of_processes():
    cases = [Case("Atlas", 26, "High", policy) for policy in ("Baseline", "Nebulous", "Reactive")]
    work = partial(result_of, Path(DATA))
    assert of_all(work, cases, 1) == of_all(work, cases, 2)
