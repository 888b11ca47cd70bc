import pytest

from tailc.percentiles import any_delayed, fewest_requests, per_server_ppm, percentile_rank


def test_the_99th_percentile_of_2000_is_the_1980th():
    assert percentile_rank(990_000, 2_000) == 1_980


def test_a_rank_is_rounded_up_in_integers():
    assert percentile_rank(990_000, 101) == 100
    assert percentile_rank(500_000, 3) == 2
    assert percentile_rank(999_999, 10**12) == 999_999_000_000


@pytest.mark.parametrize(("percentile_ppm", "total"), [(0, 5), (1_000_001, 5), (500_000, 0)])
def test_a_percentile_of_nothing_is_refused(percentile_ppm, total):
    with pytest.raises(ValueError, match="percentile"):
        percentile_rank(percentile_ppm, total)


def test_ten_servers_under_a_90th_percentile_need_about_their_99th_each():
    assert per_server_ppm(900_000, 10) / 1e6 == pytest.approx(0.98952, abs=5e-6)


def test_five_servers_under_a_95th_percentile_need_about_their_99th_each():
    assert per_server_ppm(950_000, 5) / 1e6 == pytest.approx(0.98979, abs=5e-6)


def test_each_server_of_two_needs_exactly_the_root_where_that_is_a_whole_millionth():
    # 0.9 * 0.9 is 0.81; one millionth less would not be enough.
    assert per_server_ppm(810_000, 2) == 900_000
    assert per_server_ppm(810_001, 2) == 900_001


@pytest.mark.parametrize("servers", [1, 2, 10, 100, 2_000])
def test_one_server_in_a_fan_out_late_as_allowed_delays_no_more_users_than_promised(servers):
    each = per_server_ppm(950_000, servers)
    assert any_delayed(1 - each / 1e6, servers) <= 0.05 + 1e-12
    assert any_delayed(1 - (each - 1) / 1e6, servers) > 0.05


def test_so_many_servers_that_none_may_be_late_need_a_hundred_percent_each():
    assert per_server_ppm(990_000, 100_000) == 1_000_000


@pytest.mark.parametrize(("end_to_end_ppm", "servers"), [(0, 5), (1_000_000, 5), (900_000, 0)])
def test_a_percentile_that_servers_cannot_share_is_refused(end_to_end_ppm, servers):
    with pytest.raises(ValueError, match="percentile"):
        per_server_ppm(end_to_end_ppm, servers)


def test_a_rare_delay_is_not_lost_in_rounding():
    assert any_delayed(1e-17, 10**6) == pytest.approx(1e-11)
    assert any_delayed(1, 3) == 1
    assert any_delayed(0, 3) == 0


@pytest.mark.parametrize("percentile_ppm", [0, 1_000_000])
def test_no_sample_tells_all_or_none_of_the_requests(percentile_ppm):
    with pytest.raises(ValueError, match="percentile"):
        fewest_requests(percentile_ppm)


def test_one_delay_in_a_hundred_reaches_63_percent_of_requests_over_100_servers():
    assert any_delayed(0.01, 100) == pytest.approx(0.63397, abs=5e-6)


def test_one_delay_in_ten_thousand_reaches_a_fifth_of_requests_over_2000_servers():
    assert any_delayed(0.0001, 2_000) == pytest.approx(0.18128, abs=5e-6)


def test_a_share_that_doubles_cannot_hold_is_counted_exactly():
    # 0.7 * 10 in doubles is 7.000000000000001; the rank must be 7.
    assert percentile_rank(700_000, 10) == 7
