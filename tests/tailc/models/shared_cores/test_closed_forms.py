"""The replay beside queueing theory: a sample of what `make bench` does over a thousand queues."""

import dataclasses
import math

import numpy as np
import pytest

from bench.closed_forms import MEANS_MS, all_queues, check, unlikely
from tests.reference import closed_forms

QUEUES = list(all_queues())
SAMPLE = 50


def test_fifty_queues_behave_as_theory_says():
    chosen = range(0, len(QUEUES), len(QUEUES) // SAMPLE)
    assert not unlikely([check(QUEUES[number], number) for number in chosen])
    assert len(chosen) >= SAMPLE


def test_there_are_a_thousand_queues_of_every_family():
    assert len(QUEUES) >= 1000
    assert {queue.demand.mean for queue in QUEUES} == set(MEANS_MS)
    assert len({queue.family for queue in QUEUES}) == 9


def test_a_wrong_theory_is_found_out():
    queue = next(q for q in QUEUES if q.family == "M/G/1 mean wait" and q.load == 0.7)
    found = check(dataclasses.replace(queue, theory=1.1 * queue.theory), 1)
    assert not found.is_within_all
    assert "M/G/1 mean wait" in unlikely([found])[0]


def test_one_server_of_many_is_the_single_server():
    assert closed_forms.erlang_c(1, 0.7) == pytest.approx(0.7)
    # 1 / (1/10 - 0.06) of mean, exponential
    p99 = closed_forms.mmk_latency_quantile(1, 0.6, 10, 0.99)
    assert p99 == pytest.approx(math.log(100) / 0.04)


def test_two_servers_wait_as_erlang_s_table_says():
    # offered 1.5 on 2 servers: C = (1.5^2 / 2 / 0.25) / (1 + 1.5 + 1.5^2 / 2 / 0.25) = 4.5 / 7
    assert closed_forms.erlang_c(2, 0.75) == pytest.approx(4.5 / 7)


def test_constant_demand_waits_half_as_long_as_exponential():
    constant, exponential = (
        closed_forms.mg1_mean_wait(closed_forms.law(name, 10), 0.7)
        for name in ("constant", "exponential")
    )
    assert constant == pytest.approx(exponential / 2)


def test_the_wait_for_constant_demand_has_the_mean_of_pollaczek_and_khinchine():
    steps = np.arange(0, 150, 0.05)
    beyond = [closed_forms.md1_wait_beyond(0.6, 10, t) for t in steps]
    mean = closed_forms.mg1_mean_wait(closed_forms.law("constant", 10), 0.6)
    assert np.trapezoid(beyond, steps) == pytest.approx(mean, rel=1e-3)
    assert beyond[0] == pytest.approx(0.6)


@pytest.mark.parametrize("name", closed_forms.LAWS)
def test_laws_have_the_moments_that_they_state(name):
    demand = closed_forms.law(name, 3.0)
    drawn = demand.draw(np.random.default_rng(1), 400_000)
    assert drawn.mean() == pytest.approx(3, rel=0.01)
    assert (drawn**2).mean() == pytest.approx(demand.second_moment, rel=0.04)
