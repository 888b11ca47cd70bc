"""Changes are paired: what moves both policies alike is not in their intervals."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from tailc.diff.change import PairedChange, Significance, compare
from tailc.diff.paired_quantities import MeanLatency, MeanThreads, Percentile, percentile
from tailc.experiment.experiment import Experiment
from tailc.experiment.pairs import SubjectPairs
from tailc.experiment.scenario import Scenario
from tailc.experiment.tail_sample import Tail
from tailc.forms.ladder.table import AT_ONCE, Climb, Row
from tailc.models.arrivals import Poisson, RecordedArrivals
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import workload
from tests.tailc.diff.servers import one_climb
from tests.tailc.verify.policies import climbing, held_out

TAILS = (Tail(500_000), Tail(950_000))


def scenario(rate_mrps=100_000, requests=1500, arrivals=None):
    load = workload(held_out(requests), climbing())
    return Scenario(load, arrivals or Poisson(rate_mrps), 3000, 1000, 1)


def compared(old, new, where=None, repeats=8, replicates=60):
    where = where or scenario()
    subjects = SharedCores("old", (old,)), SharedCores("new", (new,))
    with ThreadPoolExecutor(1) as workers:
        experiment = Experiment(where, repeats, replicates, workers)
        return compare(SubjectPairs(subjects, (experiment, experiment)), TAILS, ()).changes


def test_a_policy_beside_itself_changes_nothing():
    for change in compared(one_climb(20), one_climb(20)):
        assert (change.difference, change.low, change.high) == (0, 0, 0)
        assert change.significance is Significance.UNSHOWN


def test_a_climb_that_comes_later_is_told_by_what_it_does():
    median, high, mean, threads, utilization = compared(one_climb(0), one_climb(10_000))
    assert high.significance is Significance.WORSE
    assert mean.significance is Significance.WORSE
    assert threads.significance is Significance.BETTER
    assert utilization.significance is Significance.BETTER
    assert median.difference > 0


def test_differences_are_those_of_the_values_beside_them():
    for change in compared(one_climb(0), one_climb(40)):
        assert abs(change.difference - (change.new - change.old)) <= 1


def test_the_other_direction_has_the_opposite_change():
    there, back = compared(one_climb(0), one_climb(40)), compared(one_climb(40), one_climb(0))
    for one, other in zip(there, back, strict=True):
        assert one.difference == -other.difference


def test_an_idle_server_varies_as_independent_requests_do():
    """Nothing queues at 1/s: the interval is that of a mean of independent differences."""
    where = scenario(rate_mrps=1_000)
    form = one_climb(0)
    first_only, second_only = (
        replace(form, rows=(Row(0, None, AT_ONCE, (Climb(0, rung),)),)) for rung in (0, 1)
    )
    mean = compared(second_only, first_only, where, repeats=20, replicates=150)[2]
    work_us = where.workload.work_ns / 1000
    saved = work_us - work_us / where.workload.speed[0, 1]
    assert mean.difference == pytest.approx(saved.mean(), rel=0.001)
    half_width = 1.96 * saved.std(ddof=1) / np.sqrt(len(saved))
    assert mean.low is not None
    assert mean.high is not None
    assert (mean.high - mean.low) / 2 == pytest.approx(half_width, rel=0.15)


def test_effects_of_requests_add_up_to_the_difference_of_a_replay():
    where = scenario()
    subjects = SharedCores("old", (one_climb(0),)), SharedCores("new", (one_climb(40),))
    with ThreadPoolExecutor(1) as workers:
        experiment = Experiment(where, 3, 0, workers)
        repeats = experiment.replications.repeats
        both = SubjectPairs(subjects, (experiment, experiment))
        pairs = [both.pair(one) for one in repeats]
    for quantity, tolerance in (
        (MeanLatency(), 1e-9),
        (percentile(where, Tail(950_000), repeats, pairs), 1e-9),
        # Little's law holds in the long run.
        (MeanThreads(), 0.05),
    ):
        for one, pair in zip(repeats, pairs, strict=True):
            old, new = quantity.values(one, pair)
            places_ns = quantity.at_ns if isinstance(quantity, Percentile) else (0, 0)
            difference = new - old - (places_ns[1] - places_ns[0]) / 1000
            assert quantity.effects(one, pair).mean() == pytest.approx(
                difference, rel=tolerance, abs=1e-6
            )


def test_too_few_requests_leave_the_change_of_a_tail_unknown():
    where = scenario(requests=50)
    median, high, mean, *_ = compared(one_climb(0), one_climb(40), where)
    assert high.low is high.high is None
    assert high.significance is Significance.UNSHOWN
    assert median.low is not None
    assert mean.low is not None


def recorded():
    """A day of 1500 arrivals, each with its own request."""
    times_ns = np.cumsum(np.random.default_rng(3).exponential(1e7, 1500)).astype(np.int64)
    times_ns -= times_ns[0]
    return scenario(arrivals=RecordedArrivals(times_ns, np.arange(1500, dtype=np.int32), "t"))


def test_recorded_arrivals_vary_by_day():
    mean = compared(one_climb(0), one_climb(40), recorded())[2]
    assert mean.low is not None
    assert mean.low < mean.difference
    assert mean.significance is Significance.WORSE


def test_another_day_of_a_recording_has_the_percentile_of_its_own_latencies():
    where = recorded()
    subjects = SharedCores("old", (one_climb(0),)), SharedCores("new", (one_climb(40),))
    with ThreadPoolExecutor(1) as workers:
        experiment = Experiment(where, 1, 2, workers)
        replications = experiment.replications
        both = SubjectPairs(subjects, (experiment, experiment))
        pairs = [both.pair(one) for one in replications.repeats]
        tail = percentile(where, Tail(950_000), replications.repeats, pairs)
    day = replications.replicate(1)
    pair = both.pair(day)
    for value, outcome in zip(tail.values(day, pair), pair, strict=True):
        latency_us = outcome.latency_ns[outcome.measured] / 1000
        assert value == np.quantile(latency_us, 0.95, method="inverted_cdf")
    nobody_s = replace(tail, tail=Tail(950_000, curve=7))
    assert nobody_s.values(day, pair) == tuple(at_ns / 1000 for at_ns in tail.at_ns)


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (-3, -1, Significance.BETTER),
        (1, 3, Significance.WORSE),
        (-1, 1, Significance.UNSHOWN),
        (0, 2, Significance.UNSHOWN),
        (None, None, Significance.UNSHOWN),
    ],
)  # fmt: skip
def test_a_change_is_shown_where_its_whole_interval_lies_to_one_side(low, high, shown):
    difference = (low + high) // 2 if low is not None else 5
    assert PairedChange(10, 10 + difference, difference, low, high).significance is shown
