"""Tables whose rungs share power, as those of joint ladders: what they draw, and searches."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from tailc.errors import TailcError
from tailc.experiment.tuning_objective import Criterion, OptionalRule, TuningObjective
from tailc.forms.ladder.sharing import Sharing
from tailc.forms.ladder.table import (
    Boost,
    Climb,
    Rule,
)
from tailc.percentiles import PPM
from tailc.progress import silent
from tailc.traces.profile import DemandProfile, Measure
from tailc.tuning.criteria import measure_of
from tailc.tuning.operating_point import operating_points
from tailc.tuning.scaled_table import scale_to_limit
from tailc.tuning.search import search_tables
from tailc.tuning.shared_cores_space import SharedCoresSpace, shared_cores_space
from tailc.tuning.tuning_problem import ladder_problem, ladder_subject
from tailc.tuning.tuning_sample import tuning_sample
from tests.tailc.tuning.core_case import MS, exponential
from tests.tailc.tuning.power_case import FAST, FAST_W, PEAK_W, SLOW, SLOW_W, powered

MEAN_MS, RATE_PER_MS = 20.0, 0.06
TAIL = TuningObjective(950_000, (round(RATE_PER_MS * 1e6),), (1,), 4_000_000)
LIMIT_US = 50 * MS
ENERGY = replace(TAIL, criterion=Criterion.ENERGY, target_us=LIMIT_US, limit_us=LIMIT_US)


def design() -> DemandProfile:
    """Exponential demands at the speeds of both rungs."""
    load = exponential(2_000, MEAN_MS)
    return DemandProfile(
        load.work_ns / 1e6, load.weight, load.speed, load.curve_of, (), Measure.DEMAND_BUSY, "slow"
    )


@pytest.fixture(scope="module")
def workers():
    with ThreadPoolExecutor(2) as pool:
        yield pool


def tried(workers, **how):
    scenes = operating_points(exponential(2_000, MEAN_MS), TAIL)
    return tuning_sample(scenes, 950_000, 4, workers=workers, subject_of=ladder_subject, **how)


def test_a_request_draws_its_power_for_as_long_as_its_work_takes(workers):
    """However often it gets only a part of it: nothing is drawn while it is stopped."""
    seen = tried(workers, requests=40_000, repeats=4, seed=5).measure([SLOW, FAST])
    assert seen.energy is not None
    drawn = seen.energy.mean(axis=(1, 2)) / 1e6
    assert drawn.tolist() == pytest.approx([SLOW_W * MEAN_MS, FAST_W * MEAN_MS / 2], rel=0.01)


def test_where_threads_are_shared_and_no_power_no_energy_is_told(workers):
    trials = tried(workers, requests=1_000, repeats=1, seed=5)
    assert trials.measure([powered(0, unit="threads")]).energy is None


def test_the_load_is_told_in_requests_on_the_first_rung():
    """Four of them draw the peak: rows end at 2.5 times as many, and boosts are whole ones."""
    base = replace(
        SLOW,
        rules=(Rule.BOOST_LAST_RUNG, Rule.NEVER_DESCEND, Rule.REREAD_ROW),
        boost=Boost(0, round(PEAK_W * PPM)),
    )
    problem = ladder_problem(base, design(), TAIL)
    assert (problem.cores, problem.capacity_condition) == (4, "each with 1 thread at 1 GHz")
    assert problem.capacity_of(problem.load) == pytest.approx(4.0)
    family = shared_cores_space(base, 100 * MS, problem.cores)
    assert family.last_load == 10
    point = family.point(np.zeros((1, 2)), 1.0, 0.5)
    assert family.table(point).boost == Boost(0, round(2 * SLOW_W * PPM))
    assert family.others_of(family.next_to(family.table(point)))[:2] == (1.0, 0.5)


def test_requests_start_by_the_power_in_use_and_fall_where_the_row_has_less():
    """One of four requests on the first rung draws 1.5 of 6 watts."""
    problem = ladder_problem(SLOW, design(), replace(TAIL, optional_rules=tuple(OptionalRule)))
    space = problem.search_space(100 * MS)
    assert isinstance(space, SharedCoresSpace)
    table = space.table(space.point(np.zeros((1, 2)), 0.75, 1.0, 0.8))
    assert table.sharing == Sharing(0, round(4.5 * PPM), 80 * MS)
    assert {Rule.START_BELOW, Rule.GIVE_UP} < set(table.rules)
    assert Rule.NEVER_DESCEND not in table.rules


def test_a_ladder_of_one_rung_has_nothing_to_tune():
    lone = replace(FAST, rungs=FAST.rungs[:1], rows=(replace(SLOW.rows[0], climbs=(Climb(0, 0),)),))
    one = replace(design(), curves=np.ones((1, 1)))
    with pytest.raises(TailcError, match="there is only one rung"):
        ladder_problem(lone, one, TAIL)


@pytest.fixture(scope="module")
def every(workers):
    """All tables of seven ages for one, for two and for more in the system, and what they do."""
    ages_us = [at * 12 * MS for at in range(7)]
    tables = [powered(*ages) for ages in itertools.product(ages_us, repeat=3)]
    tuning = tried(workers, requests=10_000, repeats=1, seed=21)
    return tables, tuning.measure(tables), tuning.measure([SLOW])


@pytest.fixture(scope="module")
def trials(workers):
    return tried(workers, requests=20_000, repeats=6, seed=5)


def best_of(every, aim):
    tables, seen, base = every
    return tables[int(np.argmin(measure_of(aim).values(seen, base, aim)))]


def test_a_search_for_the_least_tail_finds_what_trying_every_table_does(workers, every, trials):
    best = best_of(every, TAIL)
    problem = ladder_problem(SLOW, design(), TAIL)
    found = search_tables(
        problem, operating_points(problem.load, TAIL), TAIL, workers, silent
    ).tables
    tails_us = trials.tails_us([best, *found]).mean(axis=(1, 2))
    assert min(tails_us[1:]) <= 1.02 * tails_us[0]


def test_a_search_for_least_energy_finds_what_trying_every_table_does(workers, every, trials):
    """Both made to keep the tail on other random numbers."""
    problem = ladder_problem(FAST, design(), ENERGY)
    found = search_tables(
        problem, operating_points(problem.load, ENERGY), ENERGY, workers, silent
    ).tables

    def drawn(table):
        once = scale_to_limit(problem, table, trials, ENERGY)
        assert once.part_ppm is not None
        energy = trials.measure([once.table]).energy
        assert energy is not None
        return float(energy.mean())

    assert min(map(drawn, found)) <= 1.02 * drawn(best_of(every, ENERGY))


def test_ages_that_climb_far_too_early_are_not_tried_first(workers, trials):
    """On the fast rung from the start requests are late: the latest part that keeps it counts."""
    problem = ladder_problem(SLOW, design(), ENERGY)
    late = powered(70 * MS, 80 * MS, 90 * MS)
    found = scale_to_limit(problem, late, trials, ENERGY)
    assert trials.tails_us([FAST]).mean() > LIMIT_US
    assert found.part_ppm is not None
    assert 0 < found.part_ppm < PPM // 2
    assert trials.tails_us([found.table]).mean() <= LIMIT_US < trials.tails_us([late]).mean()
