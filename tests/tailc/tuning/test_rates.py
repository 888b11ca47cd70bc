"""The highest rate that keeps a percentile: what is known of it, and what a search finds."""

from __future__ import annotations

import itertools
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from tailc.artifact.envelope import Evidence
from tailc.errors import Code, TailcError
from tailc.experiment.tuning_objective import Criterion, TuningObjective
from tailc.progress import silent
from tailc.report.queue import queue_text
from tailc.tuning import core_types_space as core_family
from tailc.tuning import shared_cores_space as family
from tailc.tuning.core_types_space import core_types_space
from tailc.tuning.evidence import tuning_warnings
from tailc.tuning.highest_rate import HighestRate, RateChange, compare_rates
from tailc.tuning.rate_loop import RateLoop
from tailc.tuning.rate_sample import rate_sample
from tailc.tuning.sample_split import SampleSplit
from tailc.tuning.shared_cores_space import shared_cores_space
from tailc.tuning.tuned_table import TunedTable
from tailc.tuning.tuning_problem import TuningProblem, ladder_subject
from tailc.tuning.validation import RateGain, ValidatedTable
from tests.tailc.tuning import case, core_case
from tests.tailc.tuning.case import MS

MEAN_MS = 20.0
LIMIT_US = 75 * MS
# A core that is always fast: 95 % of sojourns are shorter than ln 20 / (mu - lambda).
FAST_MRPS = 1e6 * (2 / MEAN_MS - np.log(20) / (LIMIT_US / MS))
SLOW, FAST = core_case.clocked(10_000 * MS), core_case.clocked(0)
ONE_CORE = core_case.exponential(2_000, MEAN_MS)


def objective_of(low_rps, high_rps, limit_us=LIMIT_US, requests=6_000_000):
    rates_mrps = (low_rps * 1_000, high_rps * 1_000)
    kept = {"criterion": Criterion.RATE, "target_us": limit_us, "limit_us": limit_us}
    return TuningObjective(950_000, rates_mrps, (1, 1), requests, **kept)


@pytest.fixture(scope="module")
def workers():
    with ThreadPoolExecutor(2) as pool:
        yield pool


def on_one_core(base=SLOW):
    return TuningProblem(
        base=base,
        load=ONE_CORE,
        cores=1,
        capacity_of=lambda _load: 2.0,
        capacity_condition="",
        subject_of=ladder_subject,
        search_space=lambda _tail_us: core_types_space(base, LIMIT_US, 1),
        starts=core_family.STARTS,
    )


def on_one_core_rates(workers, aim, requests=60_000):
    how = {"requests": requests, "repeats": 6, "seed": 5, "workers": workers}
    return rate_sample(ONE_CORE, aim, LIMIT_US, on_one_core(), **how)


def test_a_single_fast_core_keeps_its_tail_up_to_the_rate_of_textbooks(workers):
    trials = on_one_core_rates(workers, objective_of(10, 90))
    (rates_mrps,) = trials.highest_rates([FAST]).rates_mrps
    assert rates_mrps.mean() == pytest.approx(FAST_MRPS, rel=0.01)
    assert rates_mrps.std() < 0.03 * FAST_MRPS


def test_what_is_missed_at_the_lowest_rate_has_none_and_what_is_never_missed_the_highest(workers):
    """95 % of sojourns on a slow core alone take 59.9 ms, and at 30/s ln 20 / 0.02 = 150 ms."""
    trials = on_one_core_rates(workers, objective_of(30, 40), requests=10_000)
    found = trials.highest_rates([SLOW, FAST])
    assert found.rates_mrps.tolist() == [[0] * 6, [40_000] * 6]
    # one replay each that misses, and one at each of ten rates
    assert found.requests == 6 * (1 + 10) * 10_000


def test_a_rate_that_is_kept_beyond_one_that_is_missed_does_not_count(workers):
    """All work 20 ms, and alone slowly: the median is 20 ms at 10/s, and 10 ms in company."""
    load = replace(ONE_CORE, work_ns=np.full_like(ONE_CORE.work_ns, 20 * MS * 1_000))
    odd = core_case.clocked(10_000 * MS, 0, cores=4)
    aim = replace(objective_of(10, 300, 15 * MS), percentile_ppm=500_000)
    how = {"requests": 5_000, "repeats": 2, "seed": 5, "workers": workers}
    trials = rate_sample(load, aim, 15 * MS, replace(on_one_core(odd), cores=4), **how)
    assert trials.keeps_most(odd, 100_000)
    assert trials.highest_rates([odd]).rates_mrps.tolist() == [[0, 0]]


AIM = objective_of(10, 80)
# A quarter of the way to the clairvoyant schedule.
GAIN = RateGain(80_000, 90, 80, -111_111, -120_000, -100_000, clairvoyant_us=50)


def test_changes_are_those_of_the_same_replay():
    theirs = 20_000 + 1_000 * np.arange(10)
    told = compare_rates(theirs, 2 * theirs, AIM)
    assert told.change == RateChange(1_000_000, 1_000_000, 1_000_000)
    assert told.is_better
    assert not compare_rates(2 * theirs, theirs, AIM).is_better
    assert told.formula is not None
    wanted = stats.ttest_1samp(theirs, 0).confidence_interval(0.95)
    found = told.formula.low_mrps, told.formula.high_mrps
    assert found == pytest.approx((wanted.low, wanted.high), abs=2)


def test_a_table_without_a_rate_is_worse_than_one_with():
    none, some = np.array([0, 30_000, 30_000]), np.array([20_000, 30_000, 40_000])
    assert compare_rates(none, some, AIM).is_better
    assert not compare_rates(some, none, AIM).is_better
    assert not compare_rates(none, none, AIM).is_better
    assert compare_rates(none, some, AIM).formula is None
    assert compare_rates(some, none, AIM).is_worse
    assert not compare_rates(none, none, AIM).is_worse


def test_what_reaches_the_end_of_the_range_is_open():
    told = compare_rates(np.array([70_000, 70_001]), np.array([80_000, 79_000]), AIM)
    assert told.tuned is not None
    assert told.formula is not None
    assert told.tuned.is_open
    assert told.tuned.high_mrps == 80_000
    assert not told.formula.is_open


@pytest.mark.parametrize(("low_mrps", "promised"), [(46_873, 46_800), (999, 999), (8_130, 8_130)])
def test_promised_is_what_three_digits_are_left_of(low_mrps, promised):
    assert HighestRate(50_000, low_mrps, 60_000, False).promised_mrps == promised


def found_by(problem, aim, workers):
    parts = SampleSplit(problem.load, problem.load)
    return RateLoop(lambda _aim: problem, parts, workers).run(aim, silent)[0]


@pytest.mark.parametrize(
    ("theirs", "hint"),
    [
        ([80_000, 80_000], "add a higher rate to `rates`, or"),
        ([80_000, 79_000], "raise `search.requests`"),
    ],
)
def test_where_the_range_ends_too_early_a_higher_rate_is_asked_for(theirs, hint):
    told = compare_rates(np.array(theirs), np.array([80_000, 80_000]), AIM)
    judged = ValidatedTable(SLOW, (GAIN,), is_better=False)
    (remark,) = tuning_warnings(
        TunedTable(AIM, judged, 6, 2_000, True, 2_000, is_held_out=True, raised=told)
    )
    assert remark.help is not None
    assert remark.help.startswith(hint)


@pytest.mark.parametrize(("is_taken", "cells"), [(True, ["50 us", "25%"]), (False, ["50 us"])])
def test_how_far_the_way_is_closed_is_told_of_a_table_that_is_taken(is_taken, cells):
    aim = replace(
        AIM,
        criterion=Criterion.TAIL,
        rates_mrps=(80_000,),
        weights=(1,),
        target_us=None,
        limit_us=None,
    )
    tuned = TunedTable(
        aim, ValidatedTable(SLOW, (GAIN,), is_taken), 6, 2_000, True, 2_000, is_held_out=True
    )
    evidence = Evidence("tail", "simulation", "replayed", "", (), 6, (), ())
    row = queue_text(tuned, evidence).splitlines()[2]
    assert re.split(r"\s{2,}", row.strip())[5:] == cells


def test_a_search_from_slow_cores_finds_the_rate_of_textbooks(workers):
    """Nothing is better for the rate than a core that is fast all the time."""
    found = found_by(on_one_core(), objective_of(5, 80), workers).raised
    assert found.tuned is not None
    assert found.tuned.rate_mrps == pytest.approx(FAST_MRPS, rel=0.02)
    assert found.is_better


def test_there_is_nothing_to_find_where_the_formula_keeps_all(workers):
    with pytest.raises(TailcError, match="up to 40/s, the highest of `rates`"):
        found_by(on_one_core(FAST), objective_of(10, 40), workers)


def test_where_no_table_keeps_the_lowest_rate_there_is_no_answer(workers):
    """At 66/s a fast core has 88.1 ms, and no table less; the longest of ten replays is longer.

    What is advised is enough.
    """
    with pytest.raises(TailcError) as refused:
        found_by(on_one_core(FAST), objective_of(66, 80, requests=4_000_000), workers)
    (finding,) = refused.value.findings
    assert finding.code is Code.INFEASIBLE
    assert "at 66/s, the lowest of `rates`, in each of 10 replays" in finding.message
    assert finding.help is not None
    (kept_ms,) = re.findall(r"a latency of ([\d.]+) ms or more", finding.help)
    assert 88.1 < float(kept_ms) < 92
    enough_us = round(1e3 * float(kept_ms))
    aim = replace(objective_of(66, 80, requests=4_000_000), target_us=enough_us, limit_us=enough_us)
    found = found_by(on_one_core(FAST), aim, workers).raised
    assert found.formula is not None


def test_a_search_finds_what_trying_every_table_does(workers):
    """Four cores: ages of two threads for up to 2, up to 4 and more in the system, of three later.

    Both are judged on other random numbers.
    """
    load = case.exponential(2_000, 30.0)
    ages_us = [0, 10 * MS, 40 * MS, 90 * MS, 10_000 * MS]
    tables = [
        case.ladder(*([(a + 1, 2 * a + 2)] * 2 + [(b + 1, 2 * b + 2)] * 2 + [(c + 1, 2 * c + 2)]))
        for a, b, c in itertools.combinations_with_replacement(ages_us, 3)
    ]
    base = case.ladder((10_000 * MS, 10_001 * MS))
    problem = TuningProblem(
        base=base,
        load=load,
        cores=case.CORES,
        capacity_of=lambda _load: float(case.CORES),
        capacity_condition="",
        subject_of=ladder_subject,
        search_space=lambda tail_us: shared_cores_space(base, tail_us, case.CORES),
        starts=family.MOST_STARTS,
    )
    aim = objective_of(30, 120, 80 * MS)
    few, how = ({"requests": n, "workers": workers} for n in (5_000, 10_000))
    tried = rate_sample(load, aim, 80 * MS, problem, repeats=2, seed=21, **few).highest_rates(
        tables
    )
    best = tables[int(tried.rates_mrps.mean(axis=1).argmax())]
    table = found_by(problem, aim, workers).validated.table
    last = rate_sample(load, aim, 80 * MS, problem, repeats=6, seed=22, **how)
    ours, theirs = last.highest_rates([table, best]).rates_mrps.mean(axis=1)
    assert ours >= 0.99 * theirs > 30_000
