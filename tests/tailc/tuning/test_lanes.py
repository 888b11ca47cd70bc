"""Batch work beside requests: tables by clock and load, and what a search makes of them."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.experiment.tuning_objective import BatchTiming, Criterion, TuningObjective
from tailc.forms.ladder.lanes import (
    AT_ONCE_AWAKE,
    Lanes,
    SharingPlan,
    Waking,
    lane_ladder,
    plan_at_any_load,
    plan_by_rate,
)
from tailc.forms.ladder.table import Climb, Ladder, LoadAxis, Rule
from tailc.models.smt.model import Smt
from tailc.percentiles import PPM
from tailc.progress import silent
from tailc.tuning.criteria import measure_of
from tailc.tuning.operating_point import operating_points
from tailc.tuning.scaled_table import scale_to_limit
from tailc.tuning.search import least_budget, search_tables
from tailc.tuning.smt_space import CLOCKS, STARTS, smt_space, sooner_alone
from tailc.tuning.tuning_problem import TuningProblem
from tailc.tuning.tuning_sample import tuning_sample
from tests.tailc.tuning.case import MS
from tests.tailc.tuning.core_case import exponential
from tests.tailc.tuning.shared_cores_space_case import climbs_at

SLOWER_PPM = 400_000
LANES = Lanes(1, SLOWER_PPM, SLOWER_PPM)
MEAN_MS, RATE_PER_MS = 10.0, 0.04
TARGET_US, RELEASE_US = 75 * MS, 2 * MS
AIM = TuningObjective(
    950_000,
    (round(RATE_PER_MS * 1e6),),
    (1,),
    7_500_000,
    criterion=Criterion.BATCH,
    target_us=TARGET_US,
    limit_us=TARGET_US,
    batch_timing=BatchTiming(RELEASE_US, AT_ONCE_AWAKE),
)
SPEEDS = np.array([[1 - SLOWER_PPM / PPM, 1.0]])
LOAD = replace(exponential(2_000, MEAN_MS), speed=SPEEDS)
ALONE = lane_ladder(LANES, plan_at_any_load(0, 1))
FAMILY = smt_space(ALONE, TARGET_US, 1, RELEASE_US)


def by_load(rule, *ages_us):
    """Ages for 1, 2, ... in the system, read anew at every look."""
    ages = tuple(enumerate(ages_us, start=1))
    return lane_ladder(
        LANES, SharingPlan(LoadAxis.IN_SYSTEM, (Rule.REREAD_ROW, *rule), ages, len(ages))
    )


def aged(table, in_system):
    return climbs_at(table, in_system)[-1].age_us


@pytest.mark.parametrize("clock", range(len(CLOCKS)))
def test_the_first_number_says_since_when_ages_count(clock):
    """Knots are at 1 and at 3 in the system."""
    table = FAMILY.table(np.array([clock + 0.5, 0.4, 0.2]))
    assert {Rule.REREAD_ROW, *CLOCKS[clock]} <= set(table.rules)
    others = {rule for rules in CLOCKS for rule in rules} - set(CLOCKS[clock])
    assert not others & set(table.rules)
    ages_us = [aged(table, in_system) for in_system in (1, 2, 3, 4)]
    assert ages_us == pytest.approx(
        [30 * MS, 22.5 * MS, 15 * MS, 7.5 * MS], abs=FAMILY.ages.step_us
    )


def test_batch_work_always_has_time_to_leave():
    table = FAMILY.table(np.array([0.5, 0.4, 0.0]))
    assert climbs_at(table, 3) == (Climb(0, 0), Climb(RELEASE_US, 1))
    assert aged(sooner_alone(table, PPM // 2, RELEASE_US), 1) == pytest.approx(15 * MS, abs=100)
    assert {aged(sooner_alone(table, 0, RELEASE_US), load) for load in (1, 2, 3)} == {RELEASE_US}


def test_a_search_begins_at_the_least_of_ages_by_rate_by_every_clock():
    plan = plan_by_rate(((20_000, 60 * MS), (80_000, 30 * MS)), Rule.WAITED_START_LAST)
    family = smt_space(lane_ladder(LANES, plan), TARGET_US, 1, RELEASE_US)
    starts = list(family.starts())
    assert len(starts) == STARTS
    assert [int(start[0]) for start in starts] == [0, 0, 1, 1, 2, 2]
    assert {aged(family.table(start), 1) for start in starts[::2]} == {30 * MS}
    assert all(Rule.WAITED_START_LAST not in family.table(start).rules for start in starts)


def test_a_table_of_lines_is_one_of_curves():
    point = np.array([2.5, 0.4, 0.2])
    fine = FAMILY.finer()
    assert fine.table(FAMILY.refine(point, fine)) == FAMILY.table(point)


@given(st.lists(st.floats(-3, 12), min_size=7, max_size=7))
def test_every_point_is_a_table(numbers):
    family = FAMILY.finer()
    assert len(family.spread(0.1, 0.1, 1.0)) == len(numbers)
    table = family.table(np.array(numbers))
    assert table.load_axis is LoadAxis.IN_SYSTEM
    assert table.rows[-1].last_load is None


@pytest.fixture(scope="module")
def workers():
    with ThreadPoolExecutor(2) as pool:
        yield pool


def tried(workers, waking=AT_ONCE_AWAKE, **how):
    def subject_of(table: Ladder) -> Smt:
        return Smt("table", (table,), waking=waking)

    scenes = operating_points(LOAD, AIM)
    return tuning_sample(scenes, 950_000, 1, workers=workers, subject_of=subject_of, **how)


def test_who_is_always_alone_gives_up_its_demand_and_the_time_to_wake_up(workers):
    """At one core batch work loses a part 1 - exp(-rate * wake) of the idle time to waking up."""
    wake_ms = 5.0
    asleep = Waking(batch_ns=round(wake_ms * 1e6))
    for waking, share in ((AT_ONCE_AWAKE, 0.0), (asleep, 1 - np.exp(-RATE_PER_MS * wake_ms))):
        seen = tried(workers, waking, requests=50_000, repeats=6, seed=5).measure([ALONE])
        idle_ms = 1 / RATE_PER_MS - MEAN_MS
        assert seen.energy is not None
        assert seen.energy.mean() == pytest.approx(1e6 * (MEAN_MS + share * idle_ms), rel=0.01)


def test_a_search_finds_what_trying_every_table_does(workers):
    """By every clock, ages for one and for more in the system, each of ten.

    Both are cut back until they keep the tail on other random numbers, where batch work tells.
    """
    ages_us = [max(at * 9 * MS, RELEASE_US) for at in range(10)]
    tables = [
        by_load(rule, *ages) for rule in CLOCKS for ages in itertools.product(ages_us, repeat=2)
    ]
    tuning = tried(workers, requests=20_000, repeats=1, seed=21)
    values = measure_of(AIM).values(tuning.measure(tables), tuning.measure([ALONE]), AIM)
    best = tables[int(np.argmin(values))]
    assert least_budget(AIM, STARTS) <= AIM.most_requests
    found = search_tables(problem(), operating_points(LOAD, AIM), AIM, workers, silent).tables
    trials = tried(workers, requests=10_000, repeats=6, seed=5)
    of_alone = trials.measure([ALONE]).energy
    assert of_alone is not None
    least = given_up(trials, best)
    # Sharing is worth much here, so a search that found little of it would not pass.
    assert least < 0.8 * of_alone.mean()
    assert min(given_up(trials, table) for table in found) <= 1.02 * least


def problem():
    return TuningProblem(
        base=ALONE,
        load=LOAD,
        cores=1,
        capacity_of=lambda _load: 1.0,
        capacity_condition="",
        subject_of=lambda table: Smt("table", (table,)),
        search_space=lambda _tail_us: FAMILY,
        starts=STARTS,
        earlier=lambda table, part_ppm: sooner_alone(table, part_ppm, RELEASE_US),
    )


def given_up(trials, table):
    found = scale_to_limit(problem(), table, trials, AIM)
    assert found.part_ppm is not None
    return trials.measure([found.table]).energy.mean()
