"""Worst cases, prices and gains of tables, against every case by itself."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from tailc.experiment.tuning_objective import TuningObjective
from tailc.specs.robust import Ambiguity
from tailc.tuning.operating_point import operating_points
from tailc.tuning.robust.comparison import compare_robust
from tailc.tuning.robust.uncertainty_cases import uncertainty_cases
from tailc.tuning.scaled_table import ScaledTable
from tailc.tuning.tuning_problem import ladder_subject
from tailc.tuning.tuning_sample import TuningSample, tuning_sample
from tailc.tuning.validation import rank_tables
from tests.tailc.tuning.case import CORES, MS, exponential, ladder

RATES = (20_000, 85_000)
AIM = TuningObjective(950_000, RATES, (1, 2), 10_000_000)
TOLD = Ambiguity(100_000, 200_000, 900_000, 100_000, 0, None, 1)
CASES = uncertainty_cases(exponential(2_000, 30.0), TOLD, None)
# Threads at once while few are there; at one thread each; at three threads each whatever happens.
GOOD = ladder((0 + 1, 2), (5 * MS, 40 * MS), (60 * MS, 120 * MS), (120 * MS, 240 * MS))
ALONE = ladder((10_000 * MS, 20_000 * MS))
HASTY, SLOW = ladder((1, 2)), ladder((40 * MS, 80 * MS))
TABLES = [GOOD, ALONE, HASTY, SLOW]


def trials_of(cases, workers, aim: TuningObjective = AIM) -> TuningSample:
    return tuning_sample(
        [scene for case in cases for scene in operating_points(case.load, aim)],
        950_000,
        CORES,
        requests=8_000,
        repeats=6,
        seed=5,
        workers=workers,
        subject_of=ladder_subject,
    )


@pytest.fixture(scope="module")
def found():
    """All trials together, and by table the tails of every case and rate tried alone."""
    with ThreadPoolExecutor(1) as workers:
        alone = [trials_of([case], workers).tails_us(TABLES) for case in CASES]
        yield trials_of(CASES, workers), np.stack(alone, axis=1)


def test_the_worst_case_is_the_longest_of_all(found):
    trials, alone = found
    told = compare_robust(ScaledTable(ALONE), SLOW, ScaledTable(GOOD), trials, AIM)
    for number, stands in enumerate(told.rates):
        for stand, table in ((stands.formula, 1), (stands.plain, 3), (stands.robust, 0)):
            means = [one.mean() for one in alone[table, :, number]]
            assert stand.worst.us == round(max(means))
            assert stand.case == means.index(max(means))
            assert stand.nominal.us == round(means[0])
            assert stand.nominal.low_us <= stand.nominal.us <= stand.nominal.high_us


def test_the_table_with_the_least_worst_case_ranks_first(found):
    """By hand: the worst case over that of one thread each, in the weighted mean; five times what
    is longer than under one thread in any case.
    """
    trials, alone = found
    means = alone.mean(axis=3)
    values = []
    for table in means:
        value = 0.0
        for number, weight in enumerate((1, 2)):
            base = means[1, :, number]
            worse = max(0.0, *(table[:, number] / base - 1))
            value += weight / 3 * (max(table[:, number]) / max(base) + 5 * worse)
        values.append(value)
    order = [TABLES[at] for at in np.argsort(values)]
    assert rank_tables(TABLES, ALONE, trials, AIM) == order
    assert order[0] is not HASTY


def test_prices_and_gains_are_changes_on_the_same_requests(found):
    trials, alone = found
    told = compare_robust(ScaledTable(ALONE), SLOW, ScaledTable(GOOD), trials, AIM).rates[1]
    by_case = alone[:, :, 1]
    price = by_case[0, 0] / by_case[3, 0] - 1
    wanted = stats.ttest_1samp(price, 0).confidence_interval(0.95)
    assert told.price.ppm == pytest.approx(1e6 * price.mean(), abs=1)
    assert told.price.low_ppm == pytest.approx(1e6 * wanted.low, rel=1e-3)
    gain = by_case[0, told.robust.case] / by_case[3, told.plain.case] - 1
    assert told.gain.ppm == pytest.approx(1e6 * gain.mean(), abs=1)


def test_a_table_is_taken_where_it_is_better_in_the_worst_case_and_worse_nowhere(found):
    trials, _ = found
    assert compare_robust(ScaledTable(ALONE), ALONE, ScaledTable(GOOD), trials, AIM).is_better
    assert not compare_robust(ScaledTable(ALONE), ALONE, ScaledTable(ALONE), trials, AIM).is_better
    # three threads each, whatever happens, are the best of few and the worst of many
    assert not compare_robust(ScaledTable(ALONE), ALONE, ScaledTable(HASTY), trials, AIM).is_better


def test_from_a_table_that_does_not_keep_up_no_gain_is_told():
    """Three threads each do less than 115 requests of 30 ms in a second, on four cores."""
    aim = replace(AIM, rates_mrps=(115_000,), weights=(1,))
    with ThreadPoolExecutor(2) as workers:
        trials = trials_of(CASES[:2], workers, aim)
        told = compare_robust(ScaledTable(ALONE), HASTY, ScaledTable(ALONE), trials, aim)
    (rate,) = told.rates
    assert rate.plain.nominal.overloaded
    assert not rate.robust.nominal.overloaded
    assert (rate.price, rate.gain) == (None, None)


def test_a_robust_table_is_to_beat_the_plain_one_in_the_worst_case(found):
    trials, _ = found
    assert compare_robust(ScaledTable(ALONE), ALONE, ScaledTable(GOOD), trials, AIM).beats_plain
    same = compare_robust(ScaledTable(ALONE), GOOD, ScaledTable(GOOD), trials, AIM)
    assert (same.is_better, same.beats_plain) == (True, False)
