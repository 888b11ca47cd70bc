"""Tail tables: against exact fractions, closed forms and simulation."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from tailc_solvers.tails.tables import tail_tables

from tests.reference import tails_plain as plain

BETA = Fraction(95, 100)


def on_whole_numbers(work, **more):
    """A table whose buckets are one unit of work wide, so that nothing is rounded."""
    return tail_tables(work, buckets=max(2, int(max(work) - min(work)) + 1), **more)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    work=st.lists(st.integers(0, 12), min_size=1, max_size=12).filter(max),
    beta=st.sampled_from([Fraction(1, 2), Fraction(9, 10), BETA, Fraction(99, 100)]),
)
def test_a_table_of_whole_numbers_is_that_of_exact_fractions(work, beta):
    law = plain.law(work)
    found = on_whole_numbers(work, quantile=float(beta), rows=4, positions=4, most_positions=4)
    begins = plain.begins_of(law, 4)
    assert found.elapsed.tolist() == begins
    assert found.left.round(9).tolist() == plain.table(law, begins, 4, beta)


def test_work_that_is_always_the_same_adds_up():
    found = tail_tables([10.0] * 5, quantile=0.95, positions=4, most_positions=8)
    assert found.elapsed.tolist() == [0.0]
    assert found.left.tolist() == [[10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0]]
    assert found.unknown_from == 10.0


def test_rows_may_begin_at_given_progress():
    found = tail_tables([10.0] * 5, quantile=0.95, begins=[0, 5, 9], most_positions=16)
    assert found.left[:, :2].tolist() == [[10.0, 20.0], [5.0, 15.0], [1.0, 11.0]]


def test_weights_count_as_repetitions():
    weighted = tail_tables([1.0, 5.0, 2.5], [90, 3, 7], quantile=0.95)
    repeated = tail_tables([1.0] * 90 + [5.0] * 3 + [2.5] * 7, quantile=0.95)
    assert np.array_equal(weighted.left, repeated.left)
    assert np.array_equal(weighted.elapsed, repeated.elapsed)


@pytest.mark.parametrize(
    ("work", "weight", "more", "says"),
    [
        ([], None, {}, "vector with entries"),
        ([1.0, -1.0], None, {}, "not negative"),
        ([1.0, np.nan], None, {}, "finite"),
        ([1.0, 2.0], [1], {}, "as long as"),
        ([1.0, 2.0], [1, 0], {}, "positive"),
        ([1.0, 2.0], [1, 1.5], {}, "whole"),
        ([1.0, 2.0], None, {"quantile": 1.0}, "between 0 and 1"),
        ([1.0, 2.0], None, {"buckets": 1}, "at least 2"),
        ([1.0, 2.0], None, {"rows": 0}, "`rows` must be at least 1"),
        ([1.0, 2.0], None, {"positions": 9, "most_positions": 8}, "from 1 to `most_positions`"),
        ([1.0, 2.0], None, {"begins": [1.0]}, "ascend from 0"),
        ([1.0, 2.0], None, {"begins": [0.0, 2.0]}, "below the largest demand"),
    ],
)
def test_bad_arguments_are_told_apart(work, weight, more, says):
    with pytest.raises(ValueError, match=says):
        tail_tables(work, weight, **{"quantile": 0.95, **more})


SHAPES = {
    "exponential": lambda draw, n: draw.exponential(1.0, n),
    "gamma": lambda draw, n: draw.gamma(4.0, 0.25, n),
    "bimodal": lambda draw, n: np.where(draw.random(n) < 0.9, 0.5, 5.5),
    "lognormal": lambda draw, n: draw.lognormal(0.0, 1.0, n),
    "fixed": lambda _, n: np.full(n, 2.0),
}
DRAWS = 20_000


def simulated(work, elapsed, position, draw):
    """What is left until `position` is done, drawn from the sample [DRAWS]."""
    running = draw.choice(work[work > elapsed], DRAWS) - elapsed
    return running + draw.choice(work, (position, DRAWS)).sum(axis=0)


@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_simulated_exceeds_an_entry_more_often_than_it_may(shape):
    draw = np.random.default_rng(11)
    work = SHAPES[shape](draw, 2_000)
    found = tail_tables(work, quantile=0.95)
    # Of 20,000 draws 1,000 may; three and a half standard deviations of that.
    most = 0.05 * DRAWS + 3.5 * np.sqrt(0.05 * 0.95 * DRAWS)
    ends = [*found.elapsed[1:], found.unknown_from]
    for row, (begin, end) in enumerate(zip(found.elapsed, ends, strict=True)):
        for elapsed in (begin, 0.5 * (begin + end)):
            for position in (0, 1, 5, 15):
                left = simulated(work, elapsed, position, draw)
                # Sums of the same work differ by rounding.
                over = (left > found.left[row, position] + 1e-9).sum()
                assert over <= most, (elapsed, position)


@pytest.mark.parametrize("shape", SHAPES)
def test_an_entry_is_within_the_interval_of_a_simulated_quantile(shape):
    draw = np.random.default_rng(12)
    work = SHAPES[shape](draw, 2_000)
    # The first row has nothing but a request that has just begun.
    found = tail_tables(work, quantile=0.95, buckets=4_096, begins=[0.0, work.min() / 2])
    width = np.ptp(work) / 4_095
    spread = 3.5 * np.sqrt(0.95 * 0.05 * DRAWS)
    for position in (0, 1, 5, 15):
        left = np.sort(simulated(work, 0.0, position, draw))
        low, high = left[[int(0.95 * DRAWS - spread), int(0.95 * DRAWS + spread)]]
        # Each request is rounded up by a bucket at most.
        assert low - 1e-9 <= found.left[0, position] <= high + (position + 1) * width + 1e-9


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    work=st.lists(st.floats(0, 100), min_size=2, max_size=30).filter(max),
    progress=st.floats(0, 1, exclude_max=True),
    buckets=st.integers(2, 40),
)
def test_no_progress_leaves_more_than_its_row_says(work, progress, buckets):
    elapsed = progress * max(work)
    # The least floats have no fractions: who is nearly done is done.
    assume(elapsed < max(work))
    found = tail_tables(work, quantile=0.9, buckets=buckets, rows=4)
    row = int(np.searchsorted(found.elapsed, elapsed, "right")) - 1
    left = np.array([x - elapsed for x in work if x > elapsed])
    for position in range(3):
        if position:
            left = np.add.outer(left, work).ravel()
        rank = int(np.ceil(0.9 * left.size - 1e-9))
        assert np.sort(left)[rank - 1] <= found.left[row, position] * (1 + 1e-12) + 1e-12


@pytest.mark.parametrize("quantile", [0.3, 0.95, 0.9999])
@pytest.mark.parametrize("shape", ["exponential", "gamma", "lognormal"])
def test_any_order_of_summing_has_the_same_entries(shape, quantile):
    """By FFT, of the whole support at once; the sums differ in their last bits."""
    work = SHAPES[shape](np.random.default_rng(5), 5_000)
    found = tail_tables(work, quantile=quantile, begins=[0.0, work.min() / 2])
    width = np.ptp(work) / 127
    k = np.ceil((work - work.min()) / width - 1e-12).astype(int)
    spectrum = np.fft.rfft(np.bincount(k, minlength=128) / work.size, 4_096)
    wanted = []
    for position in range(16):
        upto = np.fft.irfft(spectrum ** (position + 1), 4_096).cumsum()
        least = work.min() * (position + 1)
        wanted.append(least + width * (upto >= quantile - 1e-12).argmax())
    assert found.left[0, :16] == pytest.approx(wanted, rel=1e-12)


def unit_exponential(n=200_000):
    """Mid-ranks of the exponential law: mean and variance 1 to five digits."""
    return -np.log1p(-(np.arange(n) + 0.5) / n)


@pytest.mark.parametrize(("terms", "true", "gaussian"), [(17, 24.30, 23.78), (33, 42.98, 42.45)])
def test_gaussian_tails_of_exponential_work_are_near_the_true_ones(terms, true, gaussian):
    """Half the upper tail of chi-squared with 34 and 66 degrees: 24.30 and 42.98."""
    found = tail_tables(unit_exponential(), quantile=0.95, buckets=8_192, begins=[0.0, 1e-9])
    # 17 values are rounded up by 0.0016 at most.
    assert found.left[0, terms - 1] == pytest.approx(gaussian, abs=0.03)
    assert true - 0.6 < found.left[0, terms - 1] < true
    by_variance_of_one = terms + 1.645
    assert by_variance_of_one == pytest.approx({17: 18.65, 33: 34.65}[terms], abs=0.01)


def test_convolved_tails_of_exponential_work_are_the_true_ones():
    found = tail_tables(
        unit_exponential(20_000), quantile=0.95, buckets=4_096, begins=[0.0, 1e-9], positions=33
    )
    assert found.left[0, 16] == pytest.approx(24.30, abs=0.05)
    assert found.left[0, 32] == pytest.approx(42.98, abs=0.08)


def test_entries_rise_with_position_across_the_change_to_the_gaussian():
    # A rare long request: the Gaussian of 16 is below the convolution of 15.
    found = tail_tables([1.0, 400.0], [999, 1], quantile=0.999)
    assert (np.diff(found.left) >= 0).all()


def test_quantiles_of_sums_are_not_sums_of_quantiles():
    """C and M are 0 with probability 0.96: both p95 are 0. 0.96^2 < 0.95, so that of C + M is 1."""
    rare = plain.law([1] * 4 + [0] * 96)
    assert plain.quantile(rare, BETA) == 0
    assert plain.quantile(plain.summed(rare, rare), BETA) == 1
    found = tail_tables([0.0, 1.0], [96, 4], quantile=0.95, buckets=2, positions=2)
    # A request that has begun is known to be longer than nothing.
    assert found.left[0, :2].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("quantile", [0.3, 0.95])
def test_a_gaussian_entry_is_the_largest_for_any_progress_in_its_row(quantile):
    work = np.random.default_rng(3).geometric(0.2, 400).astype(float)
    found = on_whole_numbers(work, quantile=quantile, rows=4, positions=2, most_positions=6)
    z = np.ceil(1e6 * norm.ppf(quantile)) / 1e6
    ends = [*found.elapsed[1:], work.max()]
    for row, (begin, end) in enumerate(zip(found.elapsed, ends, strict=True)):
        for position in range(2, 6):
            each = [
                (left := work[work > had] - had).mean()
                + position * work.mean()
                + z * np.sqrt(left.var() + position * work.var())
                for had in np.arange(begin, end)
            ]
            before = found.left[row, position - 1]
            assert found.left[row, position] == pytest.approx(max(*each, before), rel=1e-9)
