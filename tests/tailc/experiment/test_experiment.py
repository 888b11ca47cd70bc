from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.experiment.experiment import Experiment
from tailc.experiment.scenario import Scenario
from tailc.experiment.tail_sample import Repeats, Tail, TailSample, percentile_ns
from tailc.models.arrivals import Poisson, RecordedArrivals
from tailc.models.outcome import Outcome
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import Workload, workload
from tests.tailc.models.shared_cores.servers import at_once, ladder
from tests.tailc.verify.policies import climbing, held_out

P99 = Tail(990_000)
ALONE = SharedCores("alone", (ladder(at_once((0, 0)), rungs=1),))
SHARED = SharedCores("shared", (climbing(cores=4),))


def scenario(
    requests: int = 2000, held_out_requests: int = 1000, rate_mrps: int = 150_000
) -> Scenario:
    load = workload(held_out(held_out_requests), climbing())
    return Scenario(load, Poisson(rate_mrps), requests, 500, seed=1)


def outcomes(
    shared: Scenario, subject: SharedCores, *tails: Tail, replicates: int = 60
) -> tuple[Repeats[Outcome], tuple[TailSample, ...]]:
    """Six repeats with all that happened in them, and the tails of the replicates."""
    with ThreadPoolExecutor(2) as workers:
        experiment = Experiment(shared, 6, replicates, workers)
        repeats = experiment.replay_repeats(subject, tails, lambda _one, outcome: outcome)
        return repeats, experiment.sample(subject, tails, repeats)


def sampled(
    shared: Scenario, subject: SharedCores, *tails: Tail, replicates: int = 60
) -> tuple[TailSample, ...]:
    return outcomes(shared, subject, *tails, replicates=replicates)[1]


def test_a_percentile_is_an_order_statistic():
    assert percentile_ns(np.arange(1, 2001), 990_000) == 1980


def test_the_estimate_is_the_percentile_of_all_repeats():
    repeats, (tail,) = outcomes(scenario(), SHARED, P99)
    pooled = np.sort(np.concatenate([o.latency_ns[o.measured] for o in repeats.results]))
    assert tail.estimate_ns == pooled[int(np.ceil(0.99 * len(pooled))) - 1]
    # shares up to it are 99 % in the mean
    assert tail.by_repeat.mean() == pytest.approx(0.99, abs=1 / len(pooled))


def test_without_queueing_replicates_vary_as_a_binomial_share_does():
    (tail,) = sampled(scenario(10_000, 1000), ALONE, Tail(900_000), replicates=400)
    # 1,000 requests of which 90 % are below; 400 draws tell the variance to 7 %
    assert np.var(tail.shift) == pytest.approx(0.9 * 0.1 / 1000, rel=0.3)
    assert (tail.spread.units, tail.spread.drawn_share, tail.held_out) == (1000, 1.0, 1000)


def test_pairing_takes_the_noise_of_the_arrivals_out_of_replicates():
    found = sampled(scenario(rate_mrps=250_000), SHARED, Tail(900_000), replicates=120)[0]
    assert np.std(found.by_repeat) > 0
    paired = found.by_repeat[np.arange(120) % 6]
    # the replicates themselves follow their repeats
    assert np.corrcoef(found.shift + paired, paired)[0, 1] > 0.3


def test_too_many_requests_for_a_replay_are_drawn_in_part():
    (tail,) = sampled(scenario(500, 2000), ALONE, P99, replicates=2)
    assert (tail.spread.units, tail.spread.drawn_share, tail.held_out) == (500, 0.25, 2000)


def test_a_class_counts_its_own_requests_only():
    work_ns = np.array([10, 20, 30, 40]) * 1_000_000
    load = Workload(
        work_ns, np.array([1, 2, 3, 4]), np.array([0, 1, 0, 1], np.int32), np.ones((2, 1))
    )
    shared = Scenario(load, Poisson(1000), 1000, 500, seed=1)
    first, second = sampled(shared, ALONE, Tail(500_000, 0), Tail(500_000, 1))
    assert (first.held_out, second.held_out) == (4, 6)
    assert set(first.law_ns.tolist()) == {10_000_000, 30_000_000}
    assert set(second.law_ns.tolist()) == {20_000_000, 40_000_000}


def test_a_recording_is_estimated_as_it_is_and_varied_by_blocks():
    load = workload(held_out(4000), climbing())
    times_ns = np.arange(4000) * 1_000_000_000
    recorded = RecordedArrivals(times_ns, np.arange(4000, dtype=np.int32), "`at`")
    shared = Scenario(load, recorded, 4000, 500, seed=1)
    repeats, (tail,) = outcomes(shared, ALONE, Tail(900_000))
    assert len(repeats.results) == 1
    assert tail.estimate_ns == percentile_ns(np.sort(load.work_ns[200:]), 900_000)
    # nobody waits, so blocks are as independent as requests
    assert tail.spread.units == 43
    assert np.var(tail.shift) == pytest.approx(0.9 * 0.1 / 4000, rel=0.6)
    assert set(tail.law_ns.tolist()) <= set(load.work_ns.tolist())


def test_a_percentile_alone_is_that_of_the_sample():
    with ThreadPoolExecutor(2) as workers:
        found = Experiment(scenario(), 6, 0, workers).evaluate(SHARED, P99)
    assert found.tail_us == round(sampled(scenario(), SHARED, P99)[0].estimate_ns / 1000)
    assert found.cost is None


def of_class(requests: int) -> Workload:
    """A thousand requests, so many of them of class 1."""
    weight = np.array([1000 - requests, requests])
    return Workload(
        np.array([10, 20]) * 1_000_000, weight, np.array([0, 1], np.int32), np.ones((2, 1))
    )


def test_replicates_without_a_request_of_a_class_tell_nothing_of_it():
    shared = Scenario(of_class(2), Poisson(1000), 1000, 500, seed=1)
    (tail,) = sampled(shared, ALONE, Tail(500_000, 1), replicates=200)
    # e^-2 of the replicates draw none, and some only while warming up; all others have their
    # share in time, for all take 20 ms
    assert 130 < len(tail.shift) == len(tail.work_shift) < 195
    assert not tail.shift.any()


def test_a_class_that_most_replicates_lack_is_refused():
    shared = Scenario(of_class(1), Poisson(1000), 500, 500, seed=1)
    with pytest.raises(TailcError) as raised:
        sampled(shared, ALONE, Tail(500_000, 1), replicates=200)
    assert [finding.code for finding in raised.value.findings] == [Code.METHOD_UNFIT]
