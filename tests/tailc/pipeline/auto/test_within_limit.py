"""Tables that must keep a latency: what counts as keeping it, and what as worse."""

from __future__ import annotations

import numpy as np
import pytest

from tailc.experiment.tuning_objective import Criterion, TuningObjective
from tailc.pipeline.auto.within_limit import Excess, careful_choice, is_worse, losses, regrets
from tailc.tuning.tuning_sample import Measurements

RISK = 0.05
RESAMPLES = 20


def shown(*tables):
    """Of tables, each a list by rate of (excess, cost) or (excess, cost, resamples that miss)."""
    excess = np.empty((len(tables), RESAMPLES, len(tables[0])))
    cost = np.empty_like(excess)
    for number, rates in enumerate(tables):
        for rate, (at, price, *missing) in enumerate(rates):
            excess[number, :, rate], cost[number, :, rate] = at, price
            excess[number, : sum(missing), rate] = 1.2
    typical = np.array([[each[0] for each in rates] for rates in tables])
    return Excess(excess, cost, typical)


CHEAP_AND_LATE = [(1.1, 1.0), (1.1, 1.0)]
DEAR = [(0.5, 4.0), (0.6, 4.0)]
FIT_AT_LITTLE_LOAD = [(0.9, 1.5), (1.3, 1.4)]


def test_the_cheapest_that_keeps_the_latency_is_picked_at_each_rate():
    baselines = shown(CHEAP_AND_LATE, DEAR, FIT_AT_LITTLE_LOAD)
    assert careful_choice(baselines, RISK).tolist() == [2, 1]


def test_where_none_keeps_it_the_one_that_misses_it_least_is_picked():
    assert careful_choice(shown(CHEAP_AND_LATE, FIT_AT_LITTLE_LOAD), RISK).tolist() == [1, 0]


@pytest.mark.parametrize(("missing", "keeps"), [(0, True), (1, True), (2, False)])
def test_a_table_keeps_a_latency_that_it_misses_in_few_enough_resamples(missing, keeps):
    assert shown([(0.9, 1.0, missing)]).keeps(RISK).tolist() == [[keeps]]


@pytest.mark.parametrize(("excess", "keeps"), [(1.0, True), (1.01, True), (1.02, False)])
def test_it_must_keep_it_in_the_mean_too(excess, keeps):
    assert shown([(excess, 1.0)]).keeps(RISK).tolist() == [[keeps]]


BEST = shown(DEAR)


@pytest.mark.parametrize(
    ("table", "share"),
    [
        ([(0.9, 4.0), (0.9, 4.0)], 0.0),
        ([(0.9, 4.03), (0.9, 1.0)], 0.0),
        ([(0.9, 4.05), (0.9, 1.0)], 1.0),
        ([(0.9, 1.0, 3), (0.9, 1.0)], 0.15),
        ([(1.04, 1.0), (0.9, 1.0)], 0.0),
    ],
)
def test_a_table_loses_where_it_costs_more_or_misses_what_the_best_keeps(table, share):
    assert losses(shown(table), BEST.at_rates(np.array([0, 0]))).tolist() == [share]


def test_where_the_best_misses_the_latency_the_cost_of_keeping_it_is_no_matter():
    best = shown(CHEAP_AND_LATE).at_rates(np.array([0, 0]))
    assert losses(shown(DEAR), best).tolist() == [0.0]
    assert regrets(shown(DEAR), best).tolist() == [0.0]


@pytest.mark.parametrize(("excess", "share"), [(1.5, 0.0), (1.57, 0.0), (1.58, 1.0)])
def test_where_both_miss_the_latency_a_longer_tail_is_worse_beyond_noise(excess, share):
    best = shown([(1.5, 1.0)]).at_rates(np.array([0]))
    assert losses(shown([(excess, 0.5)]), best).tolist() == [share]


def test_where_both_miss_the_latency_the_cost_of_a_shorter_tail_is_no_matter():
    best = shown([(1.5, 1.0)]).at_rates(np.array([0]))
    assert losses(shown([(1.2, 4.0)], [(1.45, 4.0)]), best).tolist() == [0.0, 1.0]


ENERGY = TuningObjective(
    950_000, (1_000,), (1,), 1, criterion=Criterion.ENERGY, target_us=100, limit_us=100
)


@pytest.mark.parametrize(
    ("tails_us", "energy", "worse"),
    [
        ((120, 121), 1.0, False),
        ((123, 124), 0.5, True),
        ((80, 180), 0.5, False),
        ((110, 111), 2.0, False),
        ((120, 121), 2.0, True),
    ],
)
def test_replays_of_other_requests_judge_alike_beyond_chance(tails_us, energy, worse):
    own, best = replayed(tails_us, energy), replayed((120, 121), 1.0)
    assert is_worse(own, best, ENERGY).tolist() == [worse]


@pytest.mark.parametrize("lost", [0.0, np.nan, np.inf])
@pytest.mark.parametrize(("tails_us", "worse"), [((120, 121), False), ((123, 124), True)])
def test_where_overload_leaves_no_cost_the_latency_alone_is_compared(tails_us, worse, lost):
    assert is_worse(replayed(tails_us, lost), replayed((120, 121), lost), ENERGY) == [worse]
    excess = tails_us[0] / 100
    best = shown([(1.2, lost)]).at_rates(np.array([0]))
    regret, same = regrets(shown([(excess, lost)], [(1.2, lost)]), best)
    assert (regret > same, same) == (worse, 0.0)


def replayed(tails_us, energy):
    """Two replays of one table at one rate."""
    return Measurements(np.array([[tails_us]]), np.full((1, 1, 2), energy))


def test_missing_the_latency_is_regretted_more_than_any_cost():
    best = BEST.at_rates(np.array([0, 0]))
    late, dear, same = regrets(shown(CHEAP_AND_LATE, [(0.5, 4.4), (0.5, 4.4)], DEAR), best)
    assert late > dear > same == 0.0
