"""When jobs begin on a cluster if each has what it asks for."""

from __future__ import annotations

from random import Random

import numpy as np

from tailc.policies.greenpar.jobs_of_log import assign_turns

QUARTER = 900


def turns(jobs, servers):
    """jobs: (submitted, run, width) in seconds."""
    submit_s, run_s, width = np.array(jobs, np.int64).reshape(-1, 3).T
    return assign_turns(submit_s, run_s, width, QUARTER, servers).tolist()


def test_jobs_that_fit_begin_with_the_next_epoch():
    assert turns([(0, 900, 2), (1, 900, 1), (900, 1, 1), (901, 5_000, 3)], 3) == [0, 1, 1, 2]


def test_a_job_waits_until_its_servers_are_free_in_all_its_epochs():
    """The second needs three epochs; after the first there is room for it in epochs 2 to 4."""
    jobs = [(0, 1_800, 3), (1, 2_700, 2), (2, 900, 1)]
    assert turns(jobs, 4) == [0, 2, 1]


def test_whoever_came_first_has_the_servers():
    """A wide job that waits keeps later ones from its epochs, and they go before it if they can."""
    jobs = [(0, 3_600, 3), (0, 1_800, 4), (0, 1_800, 1), (0, 3_600, 1)]
    assert turns(jobs, 4) == [0, 4, 0, 6]


def test_nobody_waits_for_a_job_that_never_fits():
    assert turns([(0, 9_000, 5), (1, 900, 4), (2, 900, 1)], 4) == [0, 1, 2]


def test_no_jobs_have_no_turns():
    assert turns([], 4) == []


def test_servers_are_never_given_twice():
    rng = Random(1)
    jobs = sorted(
        (rng.randint(0, 50_000), rng.randint(1, 9_000), rng.randint(1, 8)) for _ in range(200)
    )
    found = turns(jobs, 8)
    used = np.zeros(10_000, np.int64)
    for (submit_s, run_s, width), first in zip(jobs, found, strict=True):
        assert first >= submit_s / QUARTER
        used[first : first + -(-run_s // QUARTER)] += width
    assert used.max() <= 8
