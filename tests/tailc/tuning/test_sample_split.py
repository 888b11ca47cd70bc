"""The requests that a table is tuned on, and those that judge."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.models.workload import Workload
from tailc.tuning.sample_split import split_sample, validation_weight
from tests.tailc.tuning.case import exponential


def test_requests_that_judge_are_spread_over_all_sizes_however_rows_come():
    """Rows in turns of three sizes: every third row would be of one size."""
    work_ns = np.tile([10, 20, 100], 400).astype(np.int64)
    parts = split_sample(replace(exponential(1_200, 30.0), work_ns=work_ns))
    assert len(parts.judging.work_ns) == 400
    for size in (10, 20, 100):
        assert (parts.judging.work_ns == size).sum() == pytest.approx(400 / 3, abs=1)
        assert (parts.tuning.work_ns == size).sum() == pytest.approx(800 / 3, abs=1)


def weighted(weights: list[int]) -> Workload:
    """Of ever longer records."""
    load = exponential(len(weights), 30.0)
    work_ns = np.arange(1, len(weights) + 1, dtype=np.int64)
    return replace(load, work_ns=work_ns, weight=np.array(weights, np.int64))


@given(st.lists(st.integers(1, 9), min_size=601, max_size=700))
def test_of_every_three_requests_in_order_of_size_one_judges(weights):
    load = weighted(weights)
    judges = validation_weight(load)
    assert judges is not None
    assert ((judges >= 0) & (judges <= load.weight)).all()
    up_to = np.cumsum(judges)
    threes = np.minimum(np.cumsum(load.weight) // 3, load.requests // 3)
    assert ((up_to == threes) | (up_to == threes + 1)).all()
    assert up_to[-1] == load.requests // 3


def test_the_requests_of_one_record_are_parted_too():
    """Five of 900 records stand for most requests, as popular queries do."""
    weights = [1] * 895 + [3_000] * 5
    load = weighted(weights)
    parts = split_sample(load)
    assert parts.tuning.requests + parts.judging.requests == load.requests
    assert list(parts.judging.weight[-5:]) == pytest.approx([1_000] * 5, abs=1)
    means = [
        (one.work_ns * one.weight).sum() / one.requests for one in (parts.tuning, parts.judging)
    ]
    assert means[0] == pytest.approx(means[1], rel=0.001)


def test_few_requests_are_not_parted_but_few_records_of_many_are():
    assert not split_sample(weighted([1] * 599)).is_held_out
    parts = split_sample(weighted([300, 300]))
    assert parts.is_held_out
    assert (list(parts.tuning.weight), list(parts.judging.weight)) == ([200, 200], [100, 100])
