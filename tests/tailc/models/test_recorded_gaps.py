import numpy as np
import pytest

from tailc.models import streams
from tailc.models.recorded_gaps import RecordedGaps

S = 10**9
GAPS_S = (1, 3, 2, 6)
GAPS = RecordedGaps(np.cumsum([0, *GAPS_S]) * S, "at")


def gaps_s(seed, requests, rate_mrps):
    times_ns = GAPS.with_rate(rate_mrps).arrival_ns(streams.stream(seed), requests)
    assert times_ns[0] == 0
    return (np.diff(times_ns) / S).tolist()


def test_gaps_come_in_their_order_round_and_round_from_a_random_place():
    """Four gaps take 12 s: a third of a request a second."""
    firsts = set()
    for seed in range(20):
        found = gaps_s(seed, 12, 1_000)
        first = GAPS_S.index(round(found[0] * 3))
        firsts.add(first)
        wanted = [GAPS_S[(first + number) % 4] / 3 for number in range(11)]
        assert found == pytest.approx(wanted)
    assert firsts == {0, 1, 2, 3}


def test_the_mean_rate_is_the_one_asked_for():
    assert sum(gaps_s(1, 4_001, 40_000)) == pytest.approx(4_000 / 40)


def test_it_is_called_by_its_source():
    assert GAPS.with_rate(40_000).name == "recorded `at` at 40/s"
    assert GAPS.words == "recorded:at"
    assert str(GAPS) == "5 arrivals of `at`"
