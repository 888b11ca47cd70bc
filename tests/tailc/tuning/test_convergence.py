"""Looks at a search: values with intervals that hold, and when one has settled."""

from __future__ import annotations

import numpy as np
import pytest

from tailc.experiment.tuning_objective import Criterion, TuningObjective
from tailc.tuning.convergence import ConvergenceCheck, ConvergenceChecks
from tailc.tuning.criteria import measure_of
from tailc.tuning.tuning_sample import Measurements

AIM = TuningObjective(990_000, (40_000,), (1,), 1)
FORMULA_US = np.array([100.0, 102.0, 98.0, 100.0])


class Replays:
    """A sample where a table is the tails that it shows [us]."""

    requests = 4_000

    def measure(self, tables):
        return Measurements(np.rint(1e3 * np.array(tables)).astype(np.int64)[:, None, :], None)


def look_at(tails_us):
    replays = Replays()
    base = replays.measure([FORMULA_US])
    return ConvergenceChecks(replays, base, measure_of(AIM), AIM).check(np.array(tails_us))


def look_of(values):
    """One whose value is a mean over replays."""
    values = np.array(values)
    total, replays = values.sum(), len(values)
    return ConvergenceCheck(np.concatenate([[values.mean()], (total - values) / (replays - 1)]))


def test_a_value_is_of_all_replays_together():
    assert look_at([80, 81, 79, 80]).value == pytest.approx(320 / 400)


def test_the_interval_of_a_mean_is_students():
    """0.8, 0.82, 0.84 and 0.86: 3.182446 standard errors of 0.0129099 about 0.83."""
    assert look_of([0.80, 0.82, 0.84, 0.86]).text() == "83.0% (78.9% .. 87.1%)"


def test_what_varies_in_the_formulas_tails_alike_is_no_noise():
    assert look_at(0.9 * FORMULA_US).text() == "90.0% (90.0% .. 90.0%)"


@pytest.mark.parametrize(
    ("better", "has_settled"), [(0.0, True), (0.002, True), (0.004, False), (0.05, False)]
)
def test_a_search_has_settled_that_is_better_by_less_than_is_worth_while(better, has_settled):
    before = look_at(0.9 * FORMULA_US)
    after = look_at(0.9 * (1 - better) * FORMULA_US)
    assert after.has_settled_since(before) is has_settled


def test_a_search_whose_replays_do_not_agree_may_still_get_better():
    before, after = look_of([0.9, 0.9, 0.9, 0.9]), look_of([0.91, 0.89, 0.91, 0.89])
    assert after.value == pytest.approx(before.value)
    assert not after.has_settled_since(before)


def test_an_energy_that_misses_its_target_in_some_replays_alone_does_not_miss_it():
    """What is missed counts by the mean of replays, so values of single ones would mislead."""
    aim = TuningObjective(
        990_000, (40_000,), (1,), 1, criterion=Criterion.ENERGY, target_us=100, limit_us=100
    )

    class Powers:
        requests = 4_000

        def measure(self, tables):
            tail_us = np.array([[[95, 103, 97, 101]]], np.int64)
            return Measurements(tail_us, np.array(tables)[:, None, None] * np.ones((1, 1, 4)))

    look = ConvergenceChecks(Powers(), Powers().measure([2.0]), measure_of(aim), aim).check(1.5)
    assert look.value == pytest.approx(0.75)
