"""Bands of jobs in a pool: as many servers as the plan says, and the same ones for long."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from tailc.forms.plan.plan import PlannedJob, Span
from tailc.forms.plan.plan_books import places_of
from tailc.report.pictures.job_bands import JobBand, job_bands
from tests.tailc.artifact.published import policy_of
from tests.tailc.forms.plan.random_plans import random_plan


def in_rack_4(*jobs):
    """The bands of jobs on the eight servers of rack 4, each given as (first, epochs, servers)."""
    plan = policy_of("plan").plan
    assert plan
    planned = tuple(
        PlannedJob(f"job {n}", tuple(Span(1, *span) for span in spans), 0)
        for n, spans in enumerate(jobs)
    )
    return sorted(job_bands(replace(plan, jobs=planned))[1])


@pytest.mark.parametrize("seed", range(100))
def test_each_job_has_as_many_servers_as_the_plan_says_and_no_two_the_same(seed):
    plan = random_plan(Random(seed), most_epochs=8)
    for pool, bands in enumerate(job_bands(plan)):
        counts = np.zeros((len(plan.jobs), len(plan.epochs)), np.int64)
        taken = [set() for _ in plan.epochs]
        for band in bands:
            assert 0 <= band.low < band.high <= plan.pools[pool].servers
            for epoch in range(band.first_epoch, band.past_epoch):
                servers = set(range(band.low, band.high))
                assert not taken[epoch] & servers
                taken[epoch] |= servers
                counts[band.job, epoch] += len(servers)
        wanted = [places_of(plan, job)[pool] for job in plan.jobs]
        np.testing.assert_array_equal(counts, np.reshape(wanted, counts.shape))


def test_a_job_stays_where_it_is_when_one_below_it_ends():
    assert in_rack_4([(0, 2, 3)], [(0, 5, 2)]) == [JobBand(0, 0, 2, 0, 3), JobBand(1, 0, 5, 3, 5)]


def test_a_job_goes_into_the_lowest_gap_that_holds_all_of_it():
    found = in_rack_4([(0, 1, 1)], [(0, 4, 1)], [(0, 1, 3)], [(0, 4, 1)], [(1, 3, 2)])
    # Free are server 0, 2 to 4 and 6 and 7.
    assert found[-1] == JobBand(4, 1, 4, 2, 4)


def test_a_job_that_finds_no_such_gap_is_put_in_pieces():
    found = in_rack_4([(0, 1, 1)], [(0, 4, 4)], [(0, 1, 2)], [(1, 2, 4)])
    assert [band for band in found if band.job == 3] == [
        JobBand(3, 1, 3, 0, 1),
        JobBand(3, 1, 3, 5, 8),
    ]


def test_a_job_that_shrinks_gives_up_its_highest_servers_and_one_that_grows_adds_some():
    found = in_rack_4([(0, 1, 4), (1, 1, 2), (2, 1, 6)])
    assert found == [JobBand(0, 0, 1, 0, 4), JobBand(0, 1, 3, 0, 2), JobBand(0, 2, 3, 2, 6)]
