"""Tables from the joint law: safe at every frequency of the grid, and no higher than need be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from tailc_solvers.tails.joint import joint_tables
from tailc_solvers.tails.tables import tail_tables

GRID = np.arange(0.8, 3.5, 0.2)
PAIRS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(any), min_size=1, max_size=10
)


def order_statistic(values, beta):
    values = np.sort(np.ravel(values))
    return values[int(np.ceil(beta * values.size - 1e-9)) - 1]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(pairs=PAIRS, progress=st.floats(0, 1), buckets=st.integers(2, 40))
def test_no_progress_leaves_more_than_the_entries_allow(pairs, progress, buckets):
    """C >= w is all that is known; none of the memory time has passed."""
    cycles, memory = np.array(pairs, dtype=float).T
    found = joint_tables(
        cycles, memory, frequency=[0.5, 1, 3], quantile=0.9, buckets=buckets, rows=4, positions=3
    )
    w = progress * cycles.max()
    row = int(np.searchsorted(found.elapsed, w, "right")) - 1
    for at, f in enumerate(found.frequency):
        left = ((cycles - w) / f + memory)[cycles >= w]
        for position in range(3):
            if position:
                left = np.add.outer(left, cycles / f + memory).ravel()
            bound = found.cycles[row, position] / f + found.memory[position]
            assert order_statistic(left, 0.9) <= found.left[at, row, position] + 1e-9
            assert found.left[at, row, position] <= bound + 1e-9


def test_entries_are_those_of_least_sum_in_the_first_position():
    """The same line by a linear program: variables c of each row, and m."""
    draw = np.random.default_rng(4)
    found = joint_tables(
        draw.gamma(2, 1, 500), draw.gamma(3, 0.2, 500), frequency=GRID, quantile=0.95, rows=4
    )
    q = found.left[:, :, 0]
    rows = np.kron(np.eye(4), 1 / GRID[:, None])
    solved = linprog(
        np.append(np.full(4, (1 / GRID).sum()), 4 * GRID.size),
        A_ub=-np.hstack((rows, np.ones((4 * GRID.size, 1)))),
        b_ub=-q.T.ravel(),
    )
    ours = (1 / GRID).sum() * found.cycles[:, 0].sum() + 4 * GRID.size * found.memory[0]
    assert ours == pytest.approx(solved.fun, rel=1e-9)


def test_every_row_is_tight_at_some_frequency():
    draw = np.random.default_rng(6)
    found = joint_tables(
        draw.gamma(2, 1, 2_000), draw.gamma(3, 0.2, 2_000), frequency=GRID, quantile=0.95
    )
    assert found.excess.min() > -1e-9
    assert found.excess[:, :, :16].min(axis=0).max() < 1e-9


def test_fixed_work_adds_up():
    found = joint_tables([2.0] * 3, [0.5] * 3, frequency=[1, 2, 4], quantile=0.95, positions=4)
    for f, left in zip(found.frequency, found.left[:, 0], strict=True):
        assert left == pytest.approx((2.0 / f + 0.5) * np.arange(1, 65))
    assert found.excess.max() < 1e-9


RARE = [(1.0, 1.0)] * 92 + [(11.0, 1.0)] * 4 + [(1.0, 11.0)] * 4


def test_where_adding_quantiles_is_unsafe_the_joint_law_is_not():
    """4 % compute for long, another 4 % wait for memory: 8 % need 12, but the p95 add up to 2."""
    cycles, memory = np.array(RARE).T
    added = [tail_tables(of, quantile=0.95).left[0, 0] for of in (cycles, memory)]
    assert sum(added) == pytest.approx(2.0)
    found = joint_tables(cycles, memory, frequency=[1.0], quantile=0.95)
    assert found.cycles[0, 0] + found.memory[0] == pytest.approx(12.0)


def test_two_rare_events_need_the_joint_law():
    """C and M are 1 with probability 0.04, else 0, and independent: p95(C + M) is 1 at f = 1."""
    pairs = [(0, 0)] * 9_216 + [(1, 0)] * 384 + [(0, 1)] * 384 + [(1, 1)] * 16
    cycles, memory = np.array(pairs, dtype=float).T
    assert order_statistic(cycles, 0.95) + order_statistic(memory, 0.95) == 0.0
    assert order_statistic(cycles + memory, 0.95) == 1.0
    found = joint_tables(cycles, memory, frequency=[0.5, 1.0, 2.0], quantile=0.95, rows=1)
    for f in found.frequency:
        true = order_statistic(cycles / f + memory, 0.95)
        assert found.cycles[0, 0] / f + found.memory[0] >= true > 0.0


def test_independent_smooth_work_needs_less_than_added_quantiles():
    """Standard deviations do not add: a tenth less at a queue's front, a twentieth at its end."""
    draw = np.random.default_rng(8)
    cycles, memory = draw.gamma(4, 0.25, 5_000), draw.gamma(4, 0.1, 5_000)
    joint = joint_tables(cycles, memory, frequency=GRID, quantile=0.95)
    c, m = tail_tables(cycles, quantile=0.95), tail_tables(memory, quantile=0.95)
    share = (joint.cycles[0] / GRID[:, None] + joint.memory) / (
        c.left[0] / GRID[:, None] + m.left[0]
    )
    assert share[:, :16].max() < 0.97
    assert 0.80 < share[:, 1].mean() < 0.93


@pytest.mark.parametrize(
    ("memory", "grid", "says"),
    [
        ([1.0], [1.0], "as long as cycles"),
        ([1.0, -1.0], [1.0], "not negative"),
        ([1.0, 1.0], [], "must not be empty"),
        ([1.0, 1.0], [2.0, 1.0], "ascend"),
        ([1.0, 1.0], [0.0, 1.0], "positive"),
    ],
)
def test_what_is_no_sample_or_grid_is_refused(memory, grid, says):
    with pytest.raises(ValueError, match=says):
        joint_tables([1.0, 2.0], memory, frequency=grid, quantile=0.95)
