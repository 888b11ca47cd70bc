"""The paper's search as printed finds what the exact search proves best."""

import random

import numpy as np
import pytest
from tailc_solvers.intervals.grid import GridSolution, search_grid
from tailc_solvers.sample import WeightedSample

from tests.reference.brute_force import brute_force
from tests.reference.literal_search import interval_table, tail_ms, time_ms

STEP_MS = 10.0


def exact_search(
    seq_ms: list[float], speedup: list[float], target_p: float, req_max: int, y_ms: float
) -> GridSolution:
    return search_grid(
        WeightedSample.common(seq_ms, speedup),
        np.arange(1.0, len(speedup) + 1),
        np.arange(1.0, req_max + 1),
        target_p,
        rank=len(seq_ms),
        step_ms=STEP_MS,
        longest_ms=y_ms,
    )


def test_the_worked_example_of_the_paper():
    # figure 5: 50 and 150 ms, speed-ups 1, 1.5, 2, six threads, steps of 50 ms; the optima by hand
    # are those of test_worked_example.py
    table = interval_table([50, 150], [1, 1.5, 2], 6, 6, 150, 50, beta=1.0)
    tails = [75, 75, 100, 225 / 2, 400 / 3, 150]
    assert [entry.tail_ms for entry in table] == pytest.approx(tails)
    assert table[3].schedule == (0, 50, 50)


def test_the_compiled_loops_find_the_same_table():
    seq_ms, speedup = [5.0, 12.0, 31.0, 58.0], [1, 1.8, 2.4]
    printed = interval_table(seq_ms, speedup, 3.017, 4, 60, 10)
    _, tails, means = brute_force(np.array(seq_ms), np.array(speedup), 3.017, 4, 6, 10.0, 4)
    assert tails.tolist() == pytest.approx([entry.tail_ms for entry in printed])
    assert means.tolist() == pytest.approx([entry.mean_ms for entry in printed])


def test_a_request_s_time_is_equation_1():
    # 20 ms on one thread, 30 ms at 1.5, the other 35 ms of work at 2
    assert time_ms(100, [1, 1.5, 2], (5, 20, 30)) == 5 + 20 + 30 + 35 / 2


def test_the_tail_is_the_order_statistic_of_equation_5():
    assert tail_ms([10, 30, 20, 40], [1], (0,), beta=0.75) == 30


@pytest.mark.parametrize("seed", range(12))
def test_it_finds_the_tails_of_the_exact_search(seed):
    rng = random.Random(seed)
    seq_ms = [round(rng.uniform(1, 60), 1) for _ in range(rng.randint(1, 5))]
    gains = [rng.choice([0.3, 0.6, 0.9]) for _ in range(rng.randint(1, 2))]
    speedup = [1.0, *(1 + sum(gains[: i + 1]) for i in range(len(gains)))]
    # Not a budget that a schedule meets exactly: there the printed comparison depends on rounding.
    target_p, req_max = rng.choice([2.017, 3.017, 4.517]), 4
    # With y at the longest demand, an interval of y is as good as never, and the exact search's
    # limit on the sum of intervals leaves nothing out.
    y_ms = STEP_MS * -(-max(seq_ms) // STEP_MS)
    literal = interval_table(seq_ms, speedup, target_p, req_max, y_ms, STEP_MS, beta=1.0)
    exact = exact_search(seq_ms, speedup, target_p, req_max, y_ms)
    for number, entry in enumerate(literal):
        assert exact.tail_ms[number] == pytest.approx(entry.tail_ms, abs=1e-9)
        if entry.schedule is not None:
            assert exact.mean_ms[number] == pytest.approx(entry.mean_ms, abs=1e-9)
