"""Samples that exist are sound."""

import pytest
from tailc_solvers.sample import WeightedSample


@pytest.mark.parametrize("rank", [0, 6])
def test_a_rank_counts_requests_by_their_weight(rank):
    sample = WeightedSample.common([1.0, 2.0], [1], [2, 3])
    sample.check_rank(5)
    with pytest.raises(ValueError, match="between 1 and 5"):
        sample.check_rank(rank)


@pytest.mark.parametrize(
    ("demand", "speeds", "weight", "sentence"),
    [
        ([], [1], None, "must be a vector"),
        ([1, -2], [1], None, "demand_ms must be positive"),
        ([1, float("nan")], [1], None, "demand_ms must be positive"),
        ([1], [1, 0], None, "speeds must be positive"),
        ([1, 2], [1], [1], "weight must be as long"),
        ([1], [1], [0], "weight must be positive"),
        ([1], [1], [1.5], "weight must be whole"),
    ],
)
def test_a_broken_sample_cannot_be_built(demand, speeds, weight, sentence):
    with pytest.raises(ValueError, match=sentence):
        WeightedSample.common(demand, speeds, weight)


def test_a_class_must_exist():
    with pytest.raises(ValueError, match="curve must index"):
        WeightedSample.classes([1, 2], [[1, 2]], [0, 1])


def test_a_sample_cannot_be_changed():
    sample = WeightedSample.common([1, 2], [1, 2])
    with pytest.raises(ValueError, match="read-only"):
        sample.demand_ms[0] = 3
