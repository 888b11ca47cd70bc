"""Percentiles, intervals and goodput of replays of token batches."""

from __future__ import annotations

import numpy as np
import pytest

from tailc.experiment.ruling import Ruling
from tailc.experiment.token_comparison import ruling_of
from tailc.experiment.token_replays import (
    TailEstimate,
    goodput,
    largest_tail_us,
    tail_sample,
    tail_us,
)
from tailc.models.token_batches.arrays import token_requests
from tailc.models.token_batches.outcome import TokenOutcome
from tailc.models.token_batches.token_log import COUNTS, TokenLog
from tailc.specs.slo import Metric, Slo

MS = 1_000_000


def outcome(ttft_ms, gaps_ms):
    """Requests with these times to the first token, and these gaps of each."""
    output = np.array([1 + len(gaps) for gaps in gaps_ms])
    number = len(ttft_ms)
    arrival = np.arange(number) * 1000 * MS
    ttft = np.array(ttft_ms) * MS
    gap = np.array([gap for gaps in gaps_ms for gap in gaps], np.int64) * MS
    end = arrival + ttft + np.array([sum(gaps) for gaps in gaps_ms]) * MS
    zeros = np.zeros(number, np.int64)
    none = np.zeros((0, 3), np.int64)
    log = TokenLog(ttft, end, gap, np.zeros((1, 1), np.int64), np.zeros(COUNTS, np.int64), none)
    return TokenOutcome(token_requests(arrival, zeros + 5, output, zeros), log)


def slo(metric, percentile, latency_ms):
    return Slo(percentile * 10_000, latency_ms * 1_000, metric=metric)


def test_a_request_is_good_if_it_meets_every_slo():
    found = outcome([10, 10, 90, 10], [[5, 5, 5, 50], [5, 50, 50, 50], [5], []])
    within = slo(Metric.TTFT, 99, 20), slo(Metric.ITL, 75, 20)
    assert goodput(found, within[:1]) == 0.75
    assert goodput(found, within[1:]) == 0.75
    assert goodput(found, within) == 0.5
    assert goodput(found, (slo(Metric.TPOT, 50, 20),)) == 0.75


@pytest.mark.parametrize(("late", "good"), [(1, 1.0), (2, 0.0)])
def test_a_request_may_miss_the_limit_of_gaps_in_exactly_the_remaining_part(late, good):
    found = outcome([10], [[5] * (10 - late) + [50] * late])
    assert goodput(found, (slo(Metric.ITL, 90, 20),)) == good


def test_the_percentile_is_an_order_statistic_and_its_interval_contains_it():
    rng = np.random.default_rng(1)
    values = rng.exponential(100, 3_000)
    found = outcome(np.rint(values).astype(np.int64), [[]] * 3_000)
    objective = slo(Metric.TTFT, 90, 1)
    middle = tail_us(found, objective)
    assert middle == np.sort(np.rint(values))[2_699] * 1_000
    sample = tail_sample(found, objective, 1, 400)
    assert sample.estimate.us == middle
    # Independent values: the interval is that of the binomial distribution.
    ranks = 2_700 + np.array([-1.96, 1.96]) * np.sqrt(3_000 * 0.9 * 0.1)
    wanted = np.sort(values)[ranks.astype(int)] * 1_000
    assert sample.estimate.low_us == pytest.approx(wanted[0], rel=0.06)
    assert sample.estimate.high_us == pytest.approx(wanted[1], rel=0.06)


@pytest.mark.parametrize(("values", "largest"), [(18, 30), (17, 5), (11, 6)])
def test_the_largest_percentile_is_that_of_the_worst_part(values, largest):
    """Six values are the fewest of a median: 18 have three parts, 17 two, and 11 one."""
    ttft_ms = [*range(1, 7), *range(10, 70, 10), *range(1, 7)][:values]
    found = outcome(ttft_ms, [[]] * values)
    assert largest_tail_us(found, slo(Metric.TTFT, 50, 1), 3) == largest * 1_000


def test_a_change_is_paired_by_blocks():
    rng = np.random.default_rng(2)
    values = np.rint(rng.exponential(100, 600)).astype(np.int64) + 10
    one, twice = (outcome(each, [[]] * 600) for each in (values, 2 * values))
    objective = slo(Metric.TTFT, 90, 1)
    change = tail_sample(twice, objective, 1, 60).change_from(tail_sample(one, objective, 1, 60))
    assert change.ppm == 1_000_000
    assert (change.low_ppm, change.high_ppm) == (1_000_000, 1_000_000)


def test_metrics_without_values_do_not_change():
    none = tail_sample(outcome([10] * 30, [[]] * 30), slo(Metric.ITL, 99, 1), 1, 60)
    some = tail_sample(outcome([10] * 30, [[5]] * 30), slo(Metric.ITL, 99, 1), 1, 60)
    change = none.change_from(none)
    assert (change.ppm, change.low_ppm, change.high_ppm) == (0, 0, 0)
    assert none.change_from(some).ppm == -1_000_000


def test_few_values_have_no_upper_limit():
    found = outcome([10] * 30, [[]] * 30)
    assert tail_sample(found, slo(Metric.TTFT, 99, 1), 1, 60).estimate.high_us is None
    assert tail_sample(found, slo(Metric.ITL, 99, 1), 1, 60).estimate == TailEstimate(0, 0, None)


@pytest.mark.parametrize(
    ("low", "high", "ruling"),
    [(90, 99, Ruling.PASS), (90, 101, Ruling.UNDECIDED), (90, None, Ruling.UNDECIDED),
     (101, 120, Ruling.FAIL), (101, None, Ruling.FAIL)],
)  # fmt: skip
def test_a_ruling_goes_by_the_whole_interval(low, high, ruling):
    assert ruling_of(TailEstimate(95, low, high), Slo(990_000, 100)) is ruling
