from collections import Counter

import numpy as np

from tailc.replay.workload import workload
from tailc.verify.estimate import Level, Setting, draw_order, percentile_us
from tests.tailc.verify.policies import held_out


def setting(requests: int, held_out_requests: int, weight: int = 1) -> Setting:
    load = workload(held_out(held_out_requests, weight=weight), 1)
    return Setting(load, 1000, requests, 100, seed=1)


def test_a_repeat_takes_every_held_out_request_as_often_as_it_counts():
    order = draw_order(setting(150, 10, weight=5), Level.REPEAT, 0)
    passes = order.reshape(3, 50)
    assert all(Counter(one.tolist()) == dict.fromkeys(range(10), 5) for one in passes)


def test_a_replay_shorter_than_the_trace_takes_no_request_twice():
    order = draw_order(setting(30, 100), Level.REPEAT, 0)
    assert len(set(order.tolist())) == 30


def test_a_replicate_repeats_its_own_sample():
    order = draw_order(setting(2000, 1000), Level.REPLICATE, 0)
    first, second = order[:1000], order[1000:]
    assert Counter(first.tolist()) == Counter(second.tolist())
    # of many requests drawn with replacement, 1 - 1/e are drawn at least once
    assert abs(len(set(first.tolist())) / 1000 - (1 - np.exp(-1))) < 0.04


def test_replicates_differ():
    shared = setting(100, 100)
    one, two = (draw_order(shared, Level.REPLICATE, number) for number in (0, 1))
    assert one.tolist() != two.tolist()


def test_a_percentile_is_an_order_statistic():
    assert percentile_us(np.arange(1, 2001), 990_000) == 1980
