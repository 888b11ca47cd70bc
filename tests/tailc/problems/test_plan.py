"""What brown energy counts in a decision."""

from fractions import Fraction

import pytest

from tailc.problems.plan import Weights


@pytest.mark.parametrize(
    ("weights", "counts"),
    [
        (Weights(), 105_500),
        (Weights(money=0, energy=7), 7),
        # 384.5 g at 80 millionths of a dollar a gram.
        (Weights(money=0, carbon=80), Fraction(30_760)),
        (Weights(2, 10, 1), 211_010 + Fraction(769, 2)),
    ],
)
def test_a_kwh_counts_its_price_itself_and_its_co2(weights, counts):
    assert weights.of_kwh(105_500, 384_500) == counts


@pytest.mark.parametrize("told", [(0, 0, 0), (1, -1, 0)])
def test_weights_count_something_and_nothing_backwards(told):
    with pytest.raises(ValueError, match="must not be negative"):
        Weights(*told)
