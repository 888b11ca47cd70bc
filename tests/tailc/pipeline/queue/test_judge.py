"""Trials and judgements: what they say of tables that are known to be better or worse."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from tailc.pipeline.queue.judge import judged, ranked
from tailc.pipeline.queue.search import merit
from tailc.pipeline.queue.trials import Trials
from tailc.replay.arrivals import Poisson
from tests.tailc.pipeline.queue.case import CORES, MS, exponential, ladder

RATES = (20_000, 85_000)
WEIGHTS = (1, 1)
NEVER = 10_000 * MS
# Threads at once while few are there; at one thread each; at three threads each whatever happens.
GOOD = ladder((0 + 1, 2), (5 * MS, 40 * MS), (60 * MS, 120 * MS), (120 * MS, 240 * MS))
ALONE = ladder((NEVER, 2 * NEVER))
HASTY, SLOW = ladder((1, 2)), ladder((40 * MS, 80 * MS))


@pytest.fixture(scope="module")
def trials():
    with ThreadPoolExecutor(2) as workers:
        yield Trials(
            exponential(2_000, 30.0),
            950_000,
            [Poisson(rate) for rate in RATES],
            CORES,
            requests=8_000,
            repeats=6,
            seed=5,
            workers=workers,
        )


def test_tables_meet_the_same_requests_however_they_are_asked(trials):
    together = trials.tails_us([GOOD, ALONE])
    assert together.shape == (2, 2, 6)
    assert (trials.tails_us([ALONE])[0] == together[1]).all()
    assert trials.requests == 2 * 6 * 8_000


def test_at_little_load_the_tail_of_a_table_without_climbs_is_that_of_the_demand():
    """Nobody waits for a core at one request a second: 95 % of an exponential law, -30 ln 0.05."""
    with ThreadPoolExecutor(1) as workers:
        trials = Trials(
            exponential(2_000, 30.0),
            950_000,
            (Poisson(1_000),),
            CORES,
            requests=20_000,
            repeats=4,
            seed=5,
            workers=workers,
        )
        (tails_us,) = trials.tails_us([ALONE])
    assert tails_us.mean() == pytest.approx(-30 * MS * np.log(0.05), rel=0.01)


def test_a_better_table_is_taken_and_a_worse_one_is_not(trials):
    better = judged(GOOD, ALONE, trials, RATES, WEIGHTS)
    assert better.is_better
    assert all(gain.high_us < 0 for gain in better.gains)
    worse = judged(ALONE, GOOD, trials, RATES, WEIGHTS)
    assert not worse.is_better
    assert all(gain.is_worse for gain in worse.gains)
    assert [gain.change_us for gain in worse.gains] == [-g.change_us for g in better.gains]


def test_a_table_that_is_worse_at_one_rate_is_not_taken(trials):
    """All threads at once is better at 20/s, and at 85/s wastes what is needed."""
    verdict = judged(HASTY, SLOW, trials, RATES, (1_000, 1))
    low, high = verdict.gains
    assert low.change_us < 0
    assert high.is_worse
    assert not verdict.is_better


def test_what_is_closed_is_the_part_of_the_way_to_the_clairvoyant_schedule(trials):
    gain = judged(GOOD, ALONE, trials, RATES, WEIGHTS).gains[1]
    assert gain.clairvoyant_us < gain.tuned_us < gain.formula_us
    way_us = gain.formula_us - gain.clairvoyant_us
    assert gain.closed == pytest.approx((gain.formula_us - gain.tuned_us) / way_us)
    assert replace(gain, formula_us=gain.clairvoyant_us).closed is None


def test_a_table_is_no_better_than_itself(trials):
    verdict = judged(GOOD, GOOD, trials, RATES, WEIGHTS)
    assert not verdict.is_better
    assert [gain.change_us for gain in verdict.gains] == [0, 0]


def test_the_most_promising_comes_first(trials):
    assert ranked([HASTY, ALONE, GOOD], ALONE, trials, WEIGHTS)[0] == GOOD


def test_intervals_are_those_of_student(trials):
    formula_us, tuned_us = trials.tails_us([ALONE, GOOD])[:, 0]
    wanted = stats.ttest_rel(tuned_us, formula_us).confidence_interval(0.95)
    gain = judged(GOOD, ALONE, trials, RATES, WEIGHTS).gains[0]
    assert (gain.low_us, gain.high_us) == pytest.approx((wanted.low, wanted.high), abs=1 + 1e-3)


def test_what_is_worse_counts_more():
    """Half the tail at one rate does not make good a tenth more at the other."""
    assert merit(np.array([0.5, 1.1]), (1, 1)) == pytest.approx(0.8 + 0.25)
    assert merit(np.array([0.5, 1.1]), (3, 1)) == pytest.approx(0.375 + 0.275 + 0.125)
