from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.experiment.estimate import Sample, Tail, percentile_ns, replayed_us, sample
from tailc.experiment.setting import Setting, draw
from tailc.models.arrivals import Poisson, Recorded
from tailc.models.subject import Subject
from tailc.models.workload import Workload, workload
from tests.tailc.models.shared_cores.servers import at_once, ladder
from tests.tailc.verify.policies import climbing, held_out

P99 = Tail(990_000)
ALONE = Subject("alone", (ladder(at_once((0, 0)), rungs=1),))
SHARED = Subject("shared", (climbing(cores=4),))


def setting(
    requests: int = 2000, held_out_requests: int = 1000, rate_mrps: int = 150_000
) -> Setting:
    load = workload(held_out(held_out_requests), climbing())
    return Setting(load, Poisson(rate_mrps), requests, 500, seed=1)


def sampled(shared: Setting, subject: Subject, *tails: Tail, replicates: int = 60) -> Sample:
    with ThreadPoolExecutor(2) as workers:
        draws = draw(shared, 6, replicates, workers)
        return sample(shared, draws, subject, tails, workers, lambda: None)


def test_a_percentile_is_an_order_statistic():
    assert percentile_ns(np.arange(1, 2001), 990_000) == 1980


def test_the_estimate_is_the_percentile_of_all_repeats():
    found = sampled(setting(), SHARED, P99)
    pooled = np.sort(np.concatenate([o.latency_ns[o.measured] for o in found.kept]))
    (tail,) = found.tails
    assert tail.estimate_ns == pooled[int(np.ceil(0.99 * len(pooled))) - 1]
    # shares up to it are 99 % in the mean
    assert tail.by_repeat.mean() == pytest.approx(0.99, abs=1 / len(pooled))


def test_without_queueing_replicates_vary_as_a_binomial_share_does():
    (tail,) = sampled(setting(10_000, 1000), ALONE, Tail(900_000), replicates=400).tails
    # 1,000 requests of which 90 % are below; 400 draws tell the variance to 7 %
    assert np.var(tail.shift) == pytest.approx(0.9 * 0.1 / 1000, rel=0.3)
    assert (tail.spread.units, tail.spread.drawn_share, tail.held_out) == (1000, 1.0, 1000)


def test_pairing_takes_the_noise_of_the_arrivals_out_of_replicates():
    found = sampled(setting(rate_mrps=250_000), SHARED, Tail(900_000), replicates=120).tails[0]
    assert np.std(found.by_repeat) > 0
    paired = found.by_repeat[np.arange(120) % 6]
    # the replicates themselves follow their repeats
    assert np.corrcoef(found.shift + paired, paired)[0, 1] > 0.3


def test_too_many_requests_for_a_replay_are_drawn_in_part():
    (tail,) = sampled(setting(500, 2000), ALONE, P99, replicates=2).tails
    assert (tail.spread.units, tail.spread.drawn_share, tail.held_out) == (500, 0.25, 2000)


def test_a_class_counts_its_own_requests_only():
    work_ns = np.array([10, 20, 30, 40]) * 1_000_000
    load = Workload(
        work_ns, np.array([1, 2, 3, 4]), np.array([0, 1, 0, 1], np.int32), np.ones((2, 1))
    )
    shared = Setting(load, Poisson(1000), 1000, 500, seed=1)
    first, second = sampled(shared, ALONE, Tail(500_000, 0), Tail(500_000, 1)).tails
    assert (first.held_out, second.held_out) == (4, 6)
    assert set(first.law_ns.tolist()) == {10_000_000, 30_000_000}
    assert set(second.law_ns.tolist()) == {20_000_000, 40_000_000}


def test_a_recording_is_estimated_as_it_is_and_varied_by_blocks():
    load = workload(held_out(4000), climbing())
    times_ns = np.arange(4000) * 1_000_000_000
    recorded = Recorded(times_ns, np.arange(4000, dtype=np.int32), "`at`")
    found = sampled(Setting(load, recorded, 4000, 500, seed=1), ALONE, Tail(900_000))
    (tail,) = found.tails
    assert len(found.kept) == 1
    assert tail.estimate_ns == percentile_ns(np.sort(load.work_ns[200:]), 900_000)
    # nobody waits, so blocks are as independent as requests
    assert tail.spread.units == 43
    assert np.var(tail.shift) == pytest.approx(0.9 * 0.1 / 4000, rel=0.6)
    assert set(tail.law_ns.tolist()) <= set(load.work_ns.tolist())


def test_a_percentile_alone_is_that_of_the_sample():
    with ThreadPoolExecutor(2) as workers:
        found = replayed_us(setting(), SHARED, P99, 6, workers)
    assert found == round(sampled(setting(), SHARED, P99).tails[0].estimate_ns / 1000)


def of_class(requests: int) -> Workload:
    """A thousand requests, so many of them of class 1."""
    weight = np.array([1000 - requests, requests])
    return Workload(
        np.array([10, 20]) * 1_000_000, weight, np.array([0, 1], np.int32), np.ones((2, 1))
    )


def test_replicates_without_a_request_of_a_class_tell_nothing_of_it():
    shared = Setting(of_class(2), Poisson(1000), 1000, 500, seed=1)
    (tail,) = sampled(shared, ALONE, Tail(500_000, 1), replicates=200).tails
    # e^-2 of the replicates draw none, and some only while warming up; all others have their
    # share in time, for all take 20 ms
    assert 130 < len(tail.shift) == len(tail.work_shift) < 195
    assert not tail.shift.any()


def test_a_class_that_most_replicates_lack_is_refused():
    shared = Setting(of_class(1), Poisson(1000), 500, 500, seed=1)
    with pytest.raises(TailcError) as raised:
        sampled(shared, ALONE, Tail(500_000, 1), replicates=200)
    assert [finding.code for finding in raised.value.findings] == [Code.METHOD_UNFIT]
