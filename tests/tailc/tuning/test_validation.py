"""Samples and judgements: what they say of tables that are known to be better or worse."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from tailc.artifact.envelope import Evidence
from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.ladder.table import Ladder
from tailc.models.arrivals import Poisson
from tailc.models.shared_cores.clairvoyant.server import shared_server
from tailc.models.shared_cores.clairvoyant.tail import clairvoyant_tail_ns
from tailc.report.queue import queue_result, queue_text
from tailc.tuning.criteria import relative_tails
from tailc.tuning.evidence import tuning_settings
from tailc.tuning.operating_point import OperatingPoint, operating_points
from tailc.tuning.scaled_table import ScaledTable
from tailc.tuning.tuned_table import TunedTable
from tailc.tuning.tuning_problem import ladder_subject
from tailc.tuning.tuning_sample import TuningSample, tuning_sample
from tailc.tuning.validation import RateGain, rank_tables, validate_table
from tailc.units import format_us
from tests.tailc.tuning.case import CORES, MS, exponential, ladder

RATES = (20_000, 85_000)
WEIGHTS = (1, 1)
AIM = TuningObjective(950_000, RATES, WEIGHTS, 10_000_000)
CLAIRVOYANT_US = (30_000, 30_000)
NEVER = 10_000 * MS
# Threads at once while few are there; at one thread each; at three threads each whatever happens.
GOOD = ladder((0 + 1, 2), (5 * MS, 40 * MS), (60 * MS, 120 * MS), (120 * MS, 240 * MS))
ALONE = ladder((NEVER, 2 * NEVER))
HASTY, SLOW = ladder((1, 2)), ladder((40 * MS, 80 * MS))


def trials_of(aim: TuningObjective, workers: ThreadPoolExecutor) -> TuningSample[Ladder]:
    return tuning_sample(
        operating_points(exponential(2_000, 30.0), aim),
        950_000,
        CORES,
        requests=8_000,
        repeats=6,
        seed=5,
        workers=workers,
        subject_of=ladder_subject,
    )


@pytest.fixture(scope="module")
def trials():
    with ThreadPoolExecutor(2) as workers:
        yield trials_of(AIM, workers)


def test_tables_meet_the_same_requests_however_they_are_asked(trials):
    together = trials.tails_us([GOOD, ALONE])
    assert together.shape == (2, 2, 6)
    assert (trials.tails_us([ALONE])[0] == together[1]).all()
    assert trials.requests == 2 * 6 * 8_000


def test_at_little_load_the_tail_of_a_table_without_climbs_is_that_of_the_demand():
    """Nobody waits for a core at one request a second: 95 % of an exponential law, -30 ln 0.05."""
    with ThreadPoolExecutor(1) as workers:
        trials = tuning_sample(
            [OperatingPoint(exponential(2_000, 30.0), Poisson(1_000))],
            950_000,
            CORES,
            requests=20_000,
            repeats=4,
            seed=5,
            workers=workers,
            subject_of=ladder_subject,
        )
        (tails_us,) = trials.tails_us([ALONE])
    assert tails_us.mean() == pytest.approx(-30 * MS * np.log(0.05), rel=0.01)


def test_a_better_table_is_taken_and_a_worse_one_is_not(trials):
    better = validate_table(ScaledTable(GOOD), ScaledTable(ALONE), trials, CLAIRVOYANT_US, AIM)
    assert better.is_better
    assert all(gain.high_ppm < 0 for gain in better.gains)
    worse = validate_table(ScaledTable(ALONE), ScaledTable(GOOD), trials, CLAIRVOYANT_US, AIM)
    assert not worse.is_better
    assert all(gain.is_worse for gain in worse.gains)


def test_a_table_that_is_worse_at_one_rate_is_not_taken(trials):
    """All threads at once is better at 20/s, and at 85/s wastes what is needed."""
    verdict = validate_table(
        ScaledTable(HASTY),
        ScaledTable(SLOW),
        trials,
        CLAIRVOYANT_US,
        replace(AIM, weights=(1_000, 1)),
    )
    low, high = verdict.gains
    assert low.change_ppm < 0
    assert high.is_worse
    assert not verdict.is_better
    assert not verdict.only_keeps


def test_a_clairvoyant_schedule_is_better_than_any_table(trials):
    reached = trials.clairvoyant_us(shared_server(GOOD)).tolist()
    found = validate_table(ScaledTable(GOOD), ScaledTable(ALONE), trials, reached, AIM).gains
    assert [gain.clairvoyant_us for gain in found] == reached
    assert all(at_best < gain.tuned_us for at_best, gain in zip(reached, found, strict=True))


def test_a_clairvoyant_schedule_meets_the_same_replays_as_the_tables(trials):
    """By hand over each of them, where a few would do for less."""
    server = shared_server(GOOD)

    def by_hand_us(experiment):
        scenario = experiment.scenario
        warm_up = scenario.warm_up(trials.requests // len(RATES) // 6)
        load = scenario.workload
        tails_ns = [
            clairvoyant_tail_ns(load, one.order, one.arrival_ns, server, 950_000, warm_up)
            for one in experiment.replications.repeats
        ]
        return np.mean(tails_ns) / 1_000

    wanted = [by_hand_us(experiment) for experiment in trials.experiments]
    assert trials.clairvoyant_us(server).tolist() == pytest.approx(wanted, abs=1.0)


def test_what_is_closed_is_the_part_of_the_way_to_the_clairvoyant_schedule():
    gain = RateGain(20_000, 100, 80, -200_000, -210_000, -190_000, 50)
    assert gain.closed_gap == pytest.approx(0.4)
    assert replace(gain, formula_us=50).closed_gap is None


def test_a_table_is_no_better_than_itself(trials):
    verdict = validate_table(ScaledTable(GOOD), ScaledTable(GOOD), trials, CLAIRVOYANT_US, AIM)
    assert not verdict.is_better
    assert [gain.change_ppm for gain in verdict.gains] == [0, 0]


def test_the_most_promising_comes_first(trials):
    assert rank_tables([HASTY, ALONE, GOOD], ALONE, trials, AIM)[0] == GOOD


def test_intervals_are_those_of_student(trials):
    formula_us, tuned_us = trials.tails_us([ALONE, GOOD])[:, 0]
    wanted = stats.ttest_1samp(tuned_us / formula_us - 1, 0).confidence_interval(0.95)
    gain = validate_table(ScaledTable(GOOD), ScaledTable(ALONE), trials, CLAIRVOYANT_US, AIM).gains[
        0
    ]
    told = (gain.low_ppm, gain.high_ppm)
    assert told == pytest.approx((1e6 * wanted.low, 1e6 * wanted.high), abs=1.001)


FORMULA_US = np.array([[200.0, 100.0]])


def test_what_is_worse_counts_more():
    """Half the tail at one rate does not make good a tenth more at the other."""
    tails_us = np.array([[100.0, 110.0]])
    assert relative_tails(tails_us, FORMULA_US, (1, 1)) == pytest.approx(0.8 + 0.25)
    assert relative_tails(tails_us, FORMULA_US, (3, 1)) == pytest.approx(0.375 + 0.275 + 0.125)


def test_the_longest_tail_of_several_cases_counts():
    """Two cases of two rates. A tail that is longer than the formula's in one case is worse, even
    where the longest is not: 250 against 200.
    """
    formula_us = np.array([[200.0, 100.0, 400.0, 300.0]])
    tails_us = np.array([[100.0, 90.0, 300.0, 150.0], [250.0, 90.0, 300.0, 150.0]])
    values = relative_tails(tails_us, formula_us, (1, 1))
    assert values == pytest.approx([(0.75 + 0.5) / 2, (0.75 + 5 * 0.25 + 0.5) / 2])


def test_a_table_that_does_not_keep_up_has_no_tail_to_tell():
    """Three threads each from the start do less than arrives, and one thread each more."""
    aim = replace(AIM, rates_mrps=(115_000,), weights=(1,))
    with ThreadPoolExecutor(2) as workers:
        trials = trials_of(aim, workers)
        verdict = validate_table(ScaledTable(ALONE), ScaledTable(HASTY), trials, (30_000,), aim)
    (gain,) = verdict.gains
    assert (gain.formula_overloaded, gain.tuned_overloaded, gain.closed_gap) == (True, False, None)
    assert verdict.is_better
    tuned = TunedTable(aim, verdict, 1, 1, True, 600, is_held_out=True)
    settings = tuning_settings(tuned)
    assert "rate_1_formula_us" not in settings
    assert settings["rate_1_tuned_us"] == gain.tuned_us
    evidence = Evidence("tail", "simulation", "replayed", "", (), 6, (), ())
    cells = re.split(r"\s{2,}", queue_text(tuned, evidence).splitlines()[2].strip())
    assert cells == ["115/s", "overloaded", format_us(gain.tuned_us), "30 ms"]
    (told,) = queue_result(tuned)["queue"]["rates"]  # pyright: ignore[reportIndexIssue]
    assert (told["formula_us"], told["change_ppm"]) == (None, None)
