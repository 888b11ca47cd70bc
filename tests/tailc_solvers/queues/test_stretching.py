"""The bound on stretching requests of a queue: by hand, and against every choice there is."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tailc_solvers.queues.kernels import most_stretch
from tailc_solvers.queues.stretching import Queue, stretch_bound_ns

MS = 1_000_000
FAR = 10_000


def latencies(service, stretch, gap, wait=0) -> list[int]:
    """In order; `gap` is the time to the next arrival."""
    found = []
    for own, more, until in zip(service, stretch, gap, strict=True):
        found.append(wait + own + more)
        wait = max(found[-1] - until, 0)
    return found


def best(service, stretch, gap, limit, price, wait=0) -> int:
    """Every choice of whole stretches tried."""
    ways = itertools.product(*(range(most + 1) for most in stretch))
    return max(
        sum(way) - price * sum(y > limit for y in latencies(service, way, gap, wait))
        for way in ways
    )


def most_by_count(service, stretch, gap, limit, late) -> int:
    ways = itertools.product(*(range(most + 1) for most in stretch))
    return max(
        sum(way) for way in ways if sum(y > limit for y in latencies(service, way, gap)) <= late
    )


def queue(service, stretch, gap, unit: int = 1, wait: int = 0) -> Queue:
    services, stretches, gaps = (
        np.array(part, np.int64) * unit for part in (service, stretch, gap)
    )
    return Queue(services, stretches, gaps, wait)


def bound(queues: list[Queue], limit_ns: int, late: int, cells: int = 512) -> int:
    with ThreadPoolExecutor(2) as workers:
        return stretch_bound_ns(queues, limit_ns, late, workers, cells)


def near(ms: int, queues: int = 1):
    """At most by so many of 512 cells: the limit by 4, services by 1, and what is left over, 2."""
    return pytest.approx(ms * MS, abs=7 * queues * 16 * MS // 512)


SMALL = st.integers(0, 4)


@st.composite
def queues(draw):
    count = draw(st.integers(1, 5))
    many = st.lists(SMALL, min_size=count, max_size=count)
    return draw(many), draw(many), draw(many)


@given(queues(), st.integers(1, 12), st.integers(0, 6), st.integers(0, 6))
@settings(max_examples=150, deadline=None)
def test_the_recursion_finds_the_best_of_all_choices(parts, limit, price, wait):
    service, stretch, gap = parts
    # Beyond every wait that there can be.
    ahead = np.empty(64, np.int64)
    gain, window = np.empty(128, np.int64), np.empty(128, np.int64)
    services, stretches, gaps = (np.array(part, np.int64) for part in parts)
    most_stretch(services, stretches, gaps, limit, price, ahead, gain, window)
    assert ahead[wait] == best(service, stretch, gap, limit, price, wait)


@given(queues(), st.integers(1, 12), st.integers(0, 5), st.sampled_from([1, 7, 64, 512]))
@settings(max_examples=100, deadline=None)
def test_no_choice_is_beyond_the_bound_on_any_grid(parts, limit, late, cells):
    service, stretch, gap = parts
    unit = 1_000
    # Otherwise no choice is allowed.
    assume(sum(y > limit for y in latencies(service, [0] * len(service), gap)) <= late)
    asked = [queue(service, stretch, gap, unit)]
    most = most_by_count(service, stretch, gap, limit, late) * unit
    assert most <= bound(asked, limit * unit, late, cells) <= sum(stretch) * unit


def test_a_request_that_never_waits_may_be_stretched_up_to_the_limit():
    # 6 of 10 ms are left, and of another there is nothing to stretch beyond its 3 ms.
    asked = queue([4, 2], [9, 3], [FAR, FAR], MS)
    assert bound([asked], 10 * MS, 0) == near(9)


def test_the_one_that_may_be_late_is_that_which_gains_most_by_it():
    asked = queue([4, 8], [9, 9], [FAR, FAR], MS)
    # The first up to the limit, and the second to its end: 6 + 9, and not 9 + 2.
    assert bound([asked], 10 * MS, 1) == near(15)


def test_what_one_gains_the_next_in_the_queue_has_lost():
    # Both at once: 10 ms are left of 16 for stretches of the first, which both wait for.
    asked = queue([3, 3], [20, 20], [0, FAR], MS)
    assert bound([asked], 16 * MS, 0) == near(10)


def test_a_first_wait_counts():
    asked = queue([3], [20], [FAR], MS, wait=5 * MS)
    assert bound([asked], 16 * MS, 0) == near(8)


def test_queues_share_the_requests_that_may_be_late():
    one = queue([4], [9], [FAR], MS)
    # Of each alike 6 ms, and 9 of the one that is late.
    assert bound([one, one, one], 10 * MS, 1) >= (6 + 6 + 9) * MS
    assert bound([one, one, one], 10 * MS, 0) == near(18, queues=3)


def test_where_all_may_be_late_all_of_it_is_the_bound():
    asked = queue([4, 8, 1], [9, 9, 2], [1, 1, FAR], MS)
    assert bound([asked], 10 * MS, 3) == 20 * MS


def test_a_stretch_beyond_all_measure_leaves_the_sum():
    asked = queue([4], [10**6], [FAR], MS)
    assert bound([asked], 10 * MS, 0) == 10**6 * MS
