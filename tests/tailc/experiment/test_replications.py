from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tailc.experiment.options import VerifyOptions
from tailc.experiment.replications import Replications, replications_of
from tailc.experiment.scenario import Scenario, most_in_system, scenario_for
from tailc.models.arrivals import Poisson, RecordedArrivals
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import Workload, workload
from tests.tailc.models.shared_cores.servers import at_once, ladder
from tests.tailc.verify.policies import climbing, held_out


def scenario(requests: int, held_out_requests: int, weight: int = 1) -> Scenario:
    load = workload(held_out(held_out_requests, weight=weight), climbing())
    return Scenario(load, Poisson(1000), requests, 100, seed=1)


def drawn(shared: Scenario, repeats: int = 2, replicates: int = 3) -> Replications:
    with ThreadPoolExecutor(2) as workers:
        return replications_of(shared, repeats, replicates, workers)


def test_a_repeat_takes_every_held_out_request_as_often_as_it_counts():
    for repeat in drawn(scenario(150, 10, weight=5)).repeats:
        assert Counter(repeat.order.tolist()) == dict.fromkeys(range(10), 15)


def test_demands_of_a_short_time_add_up_as_unevenly_as_independent_ones():
    shared = scenario(20_000, 100)
    sums = np.array(
        [
            shared.workload.work_ns[one.order].reshape(-1, 100).sum(axis=1)
            for one in drawn(shared, repeats=4, replicates=1).repeats
        ]
    )
    independent = 100 * shared.workload.work_ns.var()
    # 800 sums: their variance is known to 5 %; taken pass by pass, all sums would be the same
    assert sums.var() == pytest.approx(independent, rel=0.2)


def test_a_replay_shorter_than_the_trace_takes_one_request_of_each_stretch_by_demand():
    shared = scenario(250, 1000)
    by_demand = np.argsort(shared.workload.work_ns).argsort()
    for repeat in drawn(shared).repeats:
        ranks = np.sort(by_demand[repeat.order])
        assert (ranks // 4).tolist() == list(range(250))


def test_a_replicate_draws_as_many_requests_as_were_held_out():
    shared = scenario(2000, 1000)
    pool = drawn(shared).bootstrap_samples[0]
    assert len(pool) == 1000
    # of many requests drawn with replacement, 1 - 1/e are drawn at least once
    assert abs(len(set(pool.tolist())) / 1000 - (1 - np.exp(-1))) < 0.04


def test_every_request_is_drawn_equally_often_whatever_its_weight():
    load = Workload(
        np.array([30, 10, 20]), np.array([1, 3, 6]), np.zeros(3, np.int32), np.ones((1, 1))
    )
    draws = drawn(Scenario(load, Poisson(1000), 1000, 100, seed=1), 1, 2000)
    counts = np.bincount(np.concatenate(draws.bootstrap_samples), minlength=3)
    assert counts / counts.sum() == pytest.approx([0.1, 0.3, 0.6], abs=0.01)


def test_a_replicate_is_in_order_of_demand_as_its_repeat_is():
    shared = scenario(1000, 1000)
    draws = drawn(shared)
    work_ns = shared.workload.work_ns
    for pool in draws.bootstrap_samples:
        assert (np.diff(work_ns[pool]) >= 0).all()
    assert draws.place is not None
    in_place = np.empty(1000, np.int64)
    in_place[draws.place[0]] = work_ns[draws.repeats[0].order]
    assert (np.diff(in_place) >= 0).all()
    assert draws.replicate(2).order.tolist() == draws.bootstrap_samples[2][draws.place[0]].tolist()
    assert draws.replicate(2).arrival_ns is draws.repeats[0].arrival_ns


def test_classes_are_kept_apart_so_that_a_place_is_of_the_same_class():
    work_ns, curve_of = np.array([40, 10, 30, 20]), np.array([1, 0, 0, 1], np.int32)
    load = Workload(work_ns, np.ones(4, np.int64), curve_of, np.ones((2, 1)))
    assert Scenario(load, Poisson(1000), 4, 100, 1).by_demand.tolist() == [1, 2, 3, 0]


def test_draws_differ_from_one_another_and_not_with_their_number():
    few, many = drawn(scenario(100, 100), 2, 2), drawn(scenario(100, 100), 3, 4)
    assert few.repeats[0].order.tolist() != few.repeats[1].order.tolist()
    assert few.repeats[0].arrival_ns.tolist() != few.repeats[1].arrival_ns.tolist()
    assert few.bootstrap_samples[0].tolist() != few.bootstrap_samples[1].tolist()
    assert few.repeats[1].order.tolist() == many.repeats[1].order.tolist()
    assert few.bootstrap_samples[1].tolist() == many.bootstrap_samples[1].tolist()


def recording(requests: int) -> RecordedArrivals:
    """Gaps of 1, 2, 3, ... ns, and the last request first."""
    times_ns = np.cumsum(np.arange(requests))
    return RecordedArrivals(times_ns, np.arange(requests, dtype=np.int32)[::-1], "`at`")


def test_a_recording_is_repeated_as_it_is():
    load = workload(held_out(3), climbing())
    recorded = RecordedArrivals(np.array([0, 5, 9]), np.array([2, 0, 1], np.int32), "`at`")
    (repeat,) = drawn(Scenario(load, recorded, 100, 100, seed=1), 5, 7).repeats
    assert repeat.order.tolist() == [2, 0, 1]
    assert repeat.arrival_ns.tolist() == [0, 5, 9]


def test_replicates_of_a_recording_string_blocks_of_it_together():
    shared = Scenario(workload(held_out(400), climbing()), recording(400), 1000, 100, seed=1)
    one = drawn(shared, 1, 2).replicate(1)
    # 1.5 times the root of 400
    assert (shared.block_length, shared.blocks) == (30, 14)
    assert len(one.order) == 400
    assert (np.diff(one.arrival_ns) >= 0).all()
    for first in range(0, 400, 30):
        block = one.order[first : first + 30]
        assert (np.diff(block) % 400 == 399).all()
    # each gap is the one before that arrival in the recording; before the first, the mean
    number = 399 - one.order[1:]
    assert np.diff(one.arrival_ns).tolist() == np.where(number == 0, 200, number).tolist()


def test_a_replicate_of_a_long_recording_is_as_long_as_a_replay():
    shared = Scenario(workload(held_out(5000), climbing()), recording(5000), 1000, 100, seed=1)
    assert len(drawn(shared, 1, 1).replicate(0).order) == 1000
    assert shared.spread.drawn_share == 0.2


def test_recorded_times_alone_bring_requests_in_random_order():
    times_ns = recording(400).times_ns
    load = workload(held_out(50), climbing())
    shared = Scenario(load, RecordedArrivals(times_ns, None, "`at`"), 1000, 100, 1)
    draws = drawn(shared, 2, 2)
    assert [one.arrival_ns.tolist() for one in draws.repeats] == [times_ns.tolist()] * 2
    assert draws.repeats[0].order.tolist() != draws.repeats[1].order.tolist()
    replicate = draws.replicate(0)
    assert len(replicate.order) == len(replicate.arrival_ns) == 400
    assert replicate.arrival_ns.tolist() != times_ns.tolist()


def test_how_uneven_demands_are_shows_in_their_moments():
    # two values, 0 and 1 with share 1/10 of the longer: Bernoulli
    load = Workload(
        np.array([1, 1 + 10**9]), np.array([90, 10]), np.zeros(2, np.int32), np.ones((1, 1))
    )
    spread = Scenario(load, Poisson(1000), 100, 100, seed=1).spread
    skewness, kurtosis = 0.8 / 0.3, 1 / 0.09 - 3
    assert spread.skewness == pytest.approx(skewness / 10)
    assert spread.freedom == pytest.approx(200 / (kurtosis - 1))
    even = Workload(np.array([5]), np.array([9]), np.zeros(1, np.int32), np.ones((1, 1)))
    assert Scenario(even, Poisson(1), 9, 9, seed=1).spread.skewness == 0


def test_a_replay_is_given_up_later_on_a_larger_server():
    assert most_in_system(None) == 2048
    assert most_in_system(15_000_000) == 2048 + 240


def test_ladders_and_options_say_what_their_replays_share():
    small, large = (ladder(at_once((0, 0)), cores=cores, rungs=2) for cores in (2, 15))
    load = workload(held_out(100), small)
    options = VerifyOptions(requests_per_replay=500, seed=7, cut_off_us=9_000)
    subjects = [SharedCores("x", (one,)) for one in (small, large)]
    shared = scenario_for(load, Poisson(1000), options, *subjects)
    assert shared.workload is load
    assert shared.arrivals == Poisson(1000)
    assert (shared.requests, shared.most_in_system) == (500, 2048 + 240)
    assert (shared.seed, shared.cut_off_us) == (7, 9_000)
