import pytest
from scipy.special import betainc
from scipy.stats import binom
from scipy.stats import t as student

from tailc.order_statistics import (
    beta_cdf,
    fewest_for_upper_limit,
    rank_limits,
    share_limits,
    student_t_95,
)


@pytest.mark.parametrize("percentile_ppm", [10_000, 500_000, 950_000, 990_000, 999_000])
@pytest.mark.parametrize("size", [1, 2, 7, 59, 60, 367, 368, 1000, 12_345, 1_000_000])
def test_ranks_are_the_binomial_quantiles(percentile_ppm, size):
    found = rank_limits(percentile_ppm, size)
    share = percentile_ppm / 1e6
    # largest r with P(Bin <= r - 1) <= 2.5 %, smallest r with P(Bin <= r - 1) >= 97.5 %
    low, high = found.low, found.high
    assert low == 0 or binom.cdf(low - 1, size, share) <= 0.025
    assert binom.cdf(low, size, share) > 0.025
    if high is None:
        assert binom.cdf(size - 1, size, share) < 0.975
    else:
        assert binom.cdf(high - 1, size, share) >= 0.975
        assert binom.cdf(high - 2, size, share) < 0.975


@pytest.mark.parametrize("percentile_ppm", [1, 10_000, 500_000, 950_000, 990_000, 999_000])
@pytest.mark.parametrize("size", [4 * 10**6, 10**8 + 7, 10**9, 10**11, 10**13, 10**15])
def test_ranks_of_large_samples_are_those_of_scipy_or_one_further_out(percentile_ppm, size):
    found = rank_limits(percentile_ppm, size)
    low, high = binom.ppf([0.025, 0.975], size, percentile_ppm / 1e6)
    assert found.high is not None
    # scipy's smallest k with P(Bin <= k) >= q; ranks count from one
    assert 0 <= int(low) - found.low <= 1
    assert 0 <= found.high - (int(high) + 1) <= 1


@pytest.mark.parametrize("size", [3_999_999, 4_000_000, 4_000_001])
def test_ranks_go_on_smoothly_where_the_normal_distribution_takes_over(size):
    # variance 10^6 at the median of 4,000,000: limits at 2,000,000 -+ 1,959.96
    found = rank_limits(500_000, size)
    assert found.high is not None
    assert found.low == pytest.approx(size / 2 - 1959.96, abs=1)
    assert found.high == pytest.approx(size / 2 + 1959.96 + 1, abs=1)


@pytest.mark.parametrize(
    ("percentile_ppm", "fewest"), [(990_000, 390), (950_000, 77), (500_000, 6)]
)
def test_a_sample_has_an_upper_limit_from_some_size_on(percentile_ppm, fewest):
    # 0.99^390 = 0.0199, 0.99^389 = 0.0200 (above 2 % by a hair); 0.95^77 = 0.0193, and
    # 0.95^76 = 0.0203; 0.5^6 = 0.0156, 0.5^5 = 0.0313
    assert fewest_for_upper_limit(percentile_ppm) == fewest
    share = percentile_ppm / 1e6
    assert share_limits(share, fewest, fewest)[1] is not None
    assert share_limits(share, fewest - 1, fewest - 1)[1] is None


@pytest.mark.parametrize(
    ("percentile_ppm", "fewest"), [(990_000, 368), (950_000, 72), (500_000, 6)]
)
def test_a_sample_of_known_size_has_an_upper_rank_a_little_earlier(percentile_ppm, fewest):
    # 0.99^368 = 0.0248, 0.99^367 = 0.0250 (above 2.5 % by a hair); 0.95^72 = 0.0249
    assert rank_limits(percentile_ppm, fewest).high == fewest
    assert rank_limits(percentile_ppm, fewest - 1).high is None


@pytest.mark.parametrize("x", [0.01, 0.3, 0.5, 0.9, 0.99, 0.999])
@pytest.mark.parametrize("a", [0.2, 1.0, 17.5, 990.0, 33_000.0])
@pytest.mark.parametrize("b", [0.2, 1.0, 10.5, 400.0])
def test_the_incomplete_beta_function_is_that_of_scipy(x, a, b):
    assert beta_cdf(x, a, b) == pytest.approx(betainc(a, b, x), abs=1e-10)


@pytest.mark.parametrize(("freedom", "off"), [(3, 4e-3), (5, 3e-4), (23, 1e-5), (1e6, 1e-6)])
def test_students_quantile_is_that_of_scipy(freedom, off):
    assert student_t_95(freedom) == pytest.approx(student.ppf(0.975, freedom), abs=off)


@pytest.mark.parametrize("freedom", [0.1, 1, 2, 2.999])
def test_fewer_than_three_degrees_of_freedom_count_as_three(freedom):
    assert student_t_95(freedom) == student_t_95(3)
