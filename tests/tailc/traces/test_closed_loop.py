"""Closed loops of one or several clients are recognised by their times; open ones are not."""

import numpy as np
import pytest

from tailc.traces.closed_loop import correlation, is_closed_loop
from tests.tailc.traces.closed_loop_case import MS, closed, latencies


def queued(at_ms, service_ms):
    """Requests that arrive at their times at one server with a queue."""
    free, latency = 0.0, []
    for at, service in zip(at_ms, service_ms, strict=True):
        free = max(free, at) + service
        latency.append(free - at)
    return at_ms * MS, np.array(latency) * MS


@pytest.mark.parametrize("clients", [1, 2, 4, 16])
@pytest.mark.parametrize("kind", ["exponential", "lognormal", "stalled"])
def test_clients_that_wait_for_answers_are_a_closed_loop(clients, kind):
    assert is_closed_loop(*closed(clients, latencies(kind)))


def test_one_client_that_pauses_at_random_is_a_closed_loop():
    draw = np.random.default_rng(3)
    latency = latencies("exponential")
    pause = draw.uniform(0.5, 1.5, len(latency))
    at = np.concatenate([[0], np.cumsum(latency + pause)[:-1]])
    assert is_closed_loop(at * MS, latency * MS)


@pytest.mark.parametrize("rate_per_ms", [0.02, 0.2, 1, 4])
@pytest.mark.parametrize("paced", [False, True])
@pytest.mark.parametrize("kind", ["exponential", "stalled"])
def test_requests_at_a_rate_are_no_closed_loop(rate_per_ms, paced, kind):
    draw = np.random.default_rng(11)
    gap = 1 / rate_per_ms
    gaps = gap + draw.normal(0, gap / 200, 400) if paced else draw.exponential(gap, 400)
    at, latency = np.cumsum(gaps), latencies(kind)
    assert not is_closed_loop(at * MS, latency * MS)
    assert not is_closed_loop(*queued(at, latency))


def test_a_rate_that_changes_a_hundredfold_is_no_closed_loop():
    """Neighbouring gaps are alike, and so are those between the answers."""
    draw = np.random.default_rng(5)
    gaps = draw.exponential(np.repeat([1.0, 100.0, 1.0, 100.0], 200))
    at, latency = np.cumsum(gaps), draw.normal(30, 0.1, 800)
    assert not is_closed_loop(at * MS, latency * MS)


def test_paced_requests_that_end_just_before_the_next_are_no_closed_loop():
    draw = np.random.default_rng(5)
    at = np.arange(400) + draw.normal(0, 0.003, 400)
    assert not is_closed_loop(at * MS, draw.normal(2.97, 0.01, 400) * MS)


@pytest.mark.parametrize("requests", [0, 1, 2, 99])
def test_few_requests_tell_nothing(requests):
    at, latency = closed(1, latencies("exponential")[:requests])
    assert not is_closed_loop(at, latency)


def test_the_correlation_is_spearmans():
    left, right = np.array([1, 2, 2, 4.0]), np.array([10, 30, 20, 40.0])
    # Ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4: covariance 4.5 of 4.5 and 5 [sums of squares].
    assert correlation(left, right) == pytest.approx(4.5 / np.sqrt(4.5 * 5))
