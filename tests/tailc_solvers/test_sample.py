"""Samples that exist are sound, and the quantile is counted in integers."""

import pytest
from tailc_solvers.sample import Sample


@pytest.mark.parametrize(
    ("beta_ppm", "weight", "rank"),
    [
        (990_000, [1] * 100, 99),
        (990_000, [1] * 101, 100),
        (1, [1] * 3, 1),
        (1_000_000, [2, 3], 5),
        (500_000, [2, 3], 3),
        # 0.7 * 10 in doubles is 7.000000000000001; the rank must be 7.
        (700_000, [10], 7),
    ],
)
def test_the_rank_is_the_ceiling_of_beta_times_the_weight(beta_ppm, weight, rank):
    assert Sample.common([1.0] * len(weight), [1], weight).tail_rank(beta_ppm) == rank


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
        Sample.common(demand, speeds, weight)


def test_a_class_must_exist():
    with pytest.raises(ValueError, match="curve must index"):
        Sample.classes([1, 2], [[1, 2]], [0, 1])


def test_a_sample_cannot_be_changed():
    sample = Sample.common([1, 2], [1, 2])
    with pytest.raises(ValueError, match="read-only"):
        sample.demand_ms[0] = 3
