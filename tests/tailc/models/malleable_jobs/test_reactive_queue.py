"""The reactive allocator where jobs have to wait: as requested, so that nobody is late."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tailc.models.malleable_jobs.baselines.constant import ConstantAllocator
from tailc.models.malleable_jobs.baselines.reactive import ReactiveAllocator
from tests.tailc.models.malleable_jobs.engine_case import CURVE, FOUR, job, run

EIGHT = replace(FOUR, servers=8)


def servers_at(found, time_s):
    """Servers by job at a time."""
    return [servers for from_s, servers in found.history if from_s <= time_s][-1]


def test_if_a_job_waits_all_have_the_servers_that_they_request():
    jobs = [job(1, 0, 2), job(2, 0, 2), job(3, 60, 1)]
    found = run([4] * 4, jobs, ReactiveAllocator())
    assert servers_at(found, 60) == {1: 2, 2: 2}
    # In the dark the slowdown permits one server, but for the third job, which waits.
    slow = [replace(one, slowdown_ppm=1_800_000) for one in jobs]
    found = run([0] * 4, slow, ReactiveAllocator())
    assert servers_at(found, 0) == {1: 1, 2: 1}
    assert servers_at(found, 60) == {1: 2, 2: 2}


def test_a_job_starts_only_where_it_would_as_requested():
    """It does not start on servers that shrunken jobs may need back."""
    jobs = [replace(job(number, 0, 2), slowdown_ppm=1_800_000) for number in (1, 2, 3)]
    found = run([0] * 8, jobs, ReactiveAllocator())
    assert min(one.started_s for one in found.done if one.number == 3) > 0


@pytest.mark.parametrize("seed", range(60))
def test_no_job_is_late_however_long_the_queue(seed):
    rng = Random(seed)
    jobs = [
        job(
            number,
            submit_s,
            rng.choice(list(CURVE)),
            rng.choice([1_000_000, 1_100_000, 1_500_000]),
            rng.randint(200, 6_000),
        )
        for number, submit_s in enumerate(sorted(rng.randint(0, 8_000) for _ in range(12)))
    ]
    sun = [rng.randint(0, 8) for _ in range(40)]
    found = run(sun, jobs, ReactiveAllocator(), EIGHT)
    assert not any(one.is_late for one in found.done)
    # It ends as many jobs as constant allocation, which has the same queue at the longest.
    assert len(found.done) == len(run(sun, jobs, ConstantAllocator(), EIGHT).done)
