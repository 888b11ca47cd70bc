from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tailc.replay.arrivals import Poisson, Recorded
from tailc.replay.workload import Workload, workload
from tailc.verify.setting import Draws, Setting, draw
from tests.tailc.verify.policies import held_out


def setting(requests: int, held_out_requests: int, weight: int = 1) -> Setting:
    load = workload(held_out(held_out_requests, weight=weight), 1)
    return Setting(load, Poisson(1000), requests, 100, seed=1)


def drawn(shared: Setting, repeats: int = 2, replicates: int = 3) -> Draws:
    with ThreadPoolExecutor(2) as workers:
        return draw(shared, repeats, replicates, workers)


def test_a_repeat_takes_every_held_out_request_as_often_as_it_counts():
    for repeat in drawn(setting(150, 10, weight=5)).repeats:
        passes = repeat.order.reshape(3, 50)
        assert all(Counter(one.tolist()) == dict.fromkeys(range(10), 5) for one in passes)


def test_a_replay_shorter_than_the_trace_takes_one_request_of_each_stretch_by_demand():
    shared = setting(250, 1000)
    by_demand = np.argsort(shared.load.work_ns).argsort()
    for repeat in drawn(shared).repeats:
        ranks = np.sort(by_demand[repeat.order])
        assert (ranks // 4).tolist() == list(range(250))


def test_a_replicate_draws_as_many_requests_as_were_held_out():
    shared = setting(2000, 1000)
    pool = drawn(shared).resampled[0]
    assert len(pool) == 1000
    # of many requests drawn with replacement, 1 - 1/e are drawn at least once
    assert abs(len(set(pool.tolist())) / 1000 - (1 - np.exp(-1))) < 0.04


def test_every_request_is_drawn_equally_often_whatever_its_weight():
    load = Workload(
        np.array([30, 10, 20]), np.array([1, 3, 6]), np.zeros(3, np.int32), np.ones((1, 1))
    )
    draws = drawn(Setting(load, Poisson(1000), 1000, 100, seed=1), 1, 2000)
    counts = np.bincount(np.concatenate(draws.resampled), minlength=3)
    assert counts / counts.sum() == pytest.approx([0.1, 0.3, 0.6], abs=0.01)


def test_a_replicate_is_in_order_of_demand_as_its_repeat_is():
    shared = setting(1000, 1000)
    draws = drawn(shared)
    work_ns = shared.load.work_ns
    for pool in (*draws.resampled, draws.repeats[0].pool):
        assert (np.diff(work_ns[pool]) >= 0).all()


def test_classes_are_kept_apart_so_that_a_place_is_of_the_same_class():
    work_ns, curve_of = np.array([40, 10, 30, 20]), np.array([1, 0, 0, 1], np.int32)
    load = Workload(work_ns, np.ones(4, np.int64), curve_of, np.ones((2, 1)))
    assert Setting(load, Poisson(1000), 4, 100, 1).by_demand.tolist() == [1, 2, 3, 0]


def test_draws_differ_from_one_another_and_not_with_their_number():
    few, many = drawn(setting(100, 100), 2, 2), drawn(setting(100, 100), 3, 4)
    assert few.repeats[0].order.tolist() != few.repeats[1].order.tolist()
    assert few.repeats[0].arrival_ns.tolist() != few.repeats[1].arrival_ns.tolist()
    assert few.resampled[0].tolist() != few.resampled[1].tolist()
    assert few.repeats[1].order.tolist() == many.repeats[1].order.tolist()
    assert few.resampled[1].tolist() == many.resampled[1].tolist()


def test_where_each_arrival_has_its_record_there_is_nothing_to_draw():
    load = workload(held_out(3), 1)
    recorded = Recorded(np.array([0, 5, 9]), np.array([2, 0, 1], np.int32), "`at`")
    draws = drawn(Setting(load, recorded, 100, 100, seed=1), 5, 7)
    assert draws.resampled == ()
    (repeat,) = draws.repeats
    assert repeat.order.tolist() == [2, 0, 1]
    assert repeat.arrival_ns.tolist() == [0, 5, 9]
