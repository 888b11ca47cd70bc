import math

import numpy as np

from tailc.models import streams


def test_the_stream_is_splitmix64():
    # The first words for seed 0, as published with the generator
    words = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    state = np.zeros(1, np.uint64)
    assert [streams.uniform(state) for _ in words] == [(w >> 11) * 2.0**-53 for w in words]


def test_an_array_is_filled_with_the_next_numbers_of_the_stream():
    one_by_one, filled = streams.stream(5, 4), np.empty(4)
    streams.uniforms(streams.stream(5, 4), filled)
    assert filled.tolist() == [streams.uniform(one_by_one) for _ in range(4)]


def test_streams_differ_in_every_part():
    seeds = [(1, 2, 3), (2, 1, 3), (1, 2, 4), (1, 3, 3), (0, 2, 3), (1, 2)]
    assert len({int(streams.stream(*parts)[0]) for parts in seeds}) == len(seeds)
    assert streams.stream(1, 2, 3) == streams.stream(1, 2, 3)


def test_poisson_gaps_are_exponential():
    arrival_ns = np.empty(200_000, np.int64)
    streams.poisson_arrivals(streams.stream(3), 40_000, arrival_ns)
    gaps_ms = np.diff(arrival_ns) / 1e6
    assert abs(gaps_ms.mean() - 25) < 4 * 25 / math.sqrt(200_000)
    assert abs((gaps_ms > 25).mean() - math.exp(-1)) < 0.005
    assert (gaps_ms >= 0).all()


def test_each_pass_takes_every_element_once_in_a_new_order():
    out = np.empty(250, np.int32)
    streams.shuffled_passes(streams.stream(4), np.arange(100, dtype=np.int32), out)
    first, second, rest = out[:100], out[100:200], out[200:]
    assert sorted(first) == sorted(second) == list(range(100))
    assert first.tolist() != second.tolist()
    assert len(set(rest)) == 50


def test_all_orders_are_equally_likely():
    counts: dict[tuple[int, ...], int] = {}
    out = np.empty(3, np.int32)
    state = streams.stream(5)
    for _ in range(6000):
        streams.shuffled_passes(state, np.arange(3, dtype=np.int32), out)
        order = tuple(out.tolist())
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 6
    assert all(abs(count - 1000) < 4 * math.sqrt(1000) for count in counts.values())


def test_records_are_drawn_by_weight_and_in_order():
    out, spacing = np.empty(100_000, np.int32), np.empty(100_001)
    streams.draw_sorted(streams.stream(6), np.cumsum([1, 3, 6]), spacing, out)
    shares = np.bincount(out, minlength=3) / len(out)
    assert np.allclose(shares, [0.1, 0.3, 0.6], atol=0.01)
    assert (np.diff(out) >= 0).all()


def test_a_sorted_draw_is_as_variable_as_an_unsorted_one():
    # how many of 50 requests are the first record, of share 0.2: variance 50 * 0.2 * 0.8 = 8
    state, counts = streams.stream(7), []
    out, spacing = np.empty(50, np.int32), np.empty(51)
    for _ in range(4000):
        streams.draw_sorted(state, np.cumsum([1, 4]), spacing, out)
        counts.append(int((out == 0).sum()))
    assert abs(np.mean(counts) - 10) < 4 * math.sqrt(8 / 4000)
    assert abs(np.var(counts) - 8) < 4 * 8 * math.sqrt(2 / 4000)


def test_draws_that_are_counted_are_the_same():
    out, spacing, counts = np.empty(1_000, np.int32), np.empty(1_001), np.zeros(4, np.int64)
    streams.draw_sorted(streams.stream(8), np.cumsum([5, 1, 3, 2]), spacing, out)
    streams.count_drawn(streams.stream(8), np.cumsum([5, 1, 3, 2]), len(out), counts)
    assert counts.tolist() == np.bincount(out, minlength=4).tolist()


def test_every_hand_is_dealt_alike():
    hands = np.empty(100_000, np.int32)
    streams.fill_below(streams.stream(4), 5, hands)
    counts = np.bincount(hands, minlength=5)
    assert len(counts) == 5
    assert (np.abs(counts - 20_000) < 4 * math.sqrt(100_000 * 0.2 * 0.8)).all()
