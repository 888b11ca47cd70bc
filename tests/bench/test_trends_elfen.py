"""Elfen's policies on one queue: who keeps an SLO, and who does not."""

import numpy as np
import pytest

from bench.lanes_study import LanesStudy, Run
from bench.study import Figure
from tailc.forms.ladder.lanes import Lanes
from tailc.problems.borrowing import Borrowing
from tailc.traces.profile import DemandProfile, Measure

# Long, and what it shows is shown of another kind in every run.
pytestmark = pytest.mark.fuzz

TARGET_MS = 50.0
MEAN_MS = 6.0
LOAD = 0.2
RATE_RPS = 1_000 * LOAD / MEAN_MS


def p99(run: Run) -> float:
    return run.p99_ms


@pytest.fixture(scope="module")
def study() -> LanesStudy:
    """M/G/1 with exponential demand, and requests that hardly move beside batch work."""
    count = 10_000
    demand_ms = -MEAN_MS * np.log(1 - (np.arange(count) + 0.5) / count)
    parts = np.ones(count, np.int64), np.ones((1, 1)), np.zeros(count, np.int32), ()
    profile = DemandProfile(demand_ms, *parts, Measure.DEMAND_BUSY, "a core")
    return LanesStudy(profile, Lanes(1, 900_000, 0))


def at_headroom(study: LanesStudy, borrowing: Borrowing) -> Figure:
    budget_us = study.headroom_us(RATE_RPS, TARGET_MS)
    return study.figure(p99, study.budgeted(borrowing, budget_us), RATE_RPS)


def test_alone_p99_is_that_of_the_closed_form(study):
    # M/M/1: exponential with mean 6 ms / (1 - 0.2).
    wanted_ms = MEAN_MS / (1 - LOAD) * np.log(100)
    assert study.figure(p99, study.alone, RATE_RPS).mean == pytest.approx(wanted_ms, rel=0.02)


@pytest.mark.parametrize("borrowing", [Borrowing.FIXED, Borrowing.SAFE])
def test_fixed_and_safe_budgets_keep_the_slo(study, borrowing):
    assert at_headroom(study, borrowing).mean < TARGET_MS


def test_refresh_misses_it_as_delays_add_up(study):
    assert at_headroom(study, Borrowing.REFRESH).mean == pytest.approx(56, abs=1)


def test_dynamic_misses_it_by_more(study):
    assert at_headroom(study, Borrowing.DYNAMIC).mean > at_headroom(study, Borrowing.REFRESH).mean


@pytest.mark.parametrize("load", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("interference_ppm", [300_000, 900_000])
def test_borrow_idle_does_not_change_p99(study, load, interference_ppm):
    """By more than a release for each request of a busy period, which is far below the noise."""
    here = LanesStudy(study.profile, Lanes(1, interference_ppm, 0))
    rate = 1_000 * load / MEAN_MS
    idle = here.budgeted(Borrowing.FIXED, 2)
    more_ms = here.more(p99, idle, here.alone, rate)
    assert 0 <= more_ms.mean <= 0.002
    assert more_ms.mean < here.figure(p99, here.alone, rate).half
