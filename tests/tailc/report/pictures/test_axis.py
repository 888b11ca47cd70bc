import pytest

from tailc.report.pictures.axis import count_axis, linear, logarithmic, spectrum


def test_each_further_nine_is_as_wide_as_the_last():
    axis = spectrum("percentile", 999_900)
    places = [axis.fraction(ppm) for ppm in (0, 900_000, 990_000, 999_000, 999_900)]
    assert places == pytest.approx([0, 0.25, 0.5, 0.75, 1])


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 12.5, [0, 2, 4, 6, 8, 10, 12]),
        (0, 0.07, [0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07]),
        (0, 1300, [0, 200, 400, 600, 800, 1000, 1200]),
    ],
)
def test_ticks_are_round_and_inside(low, high, ticks):
    assert [value for value, _ in linear("x", low, high).ticks] == pytest.approx(ticks)


def test_a_short_logarithmic_axis_has_round_ticks_and_a_long_one_powers():
    assert [text for _, text in logarithmic("x", [97, 250]).ticks] == ["100", "150", "200", "250"]
    assert [text for _, text in logarithmic("x", [3, 300]).ticks] == [
        *("5", "10", "20", "50", "100", "200")
    ]
    texts = [text for _, text in logarithmic("x", [0.001, 1000]).ticks]
    assert texts == ["0.001", "0.01", "0.1", "1", "10", "100", "1000"]


def test_one_value_has_room_around_it():
    axis = logarithmic("x", [10.0])
    assert 0 < axis.fraction(10.0) < 1


def test_a_whole_number_stands_in_the_middle_of_its_place():
    axis = count_axis("n", 1, 4)
    assert [axis.fraction(n) for n in (1, 4)] == pytest.approx([0.125, 0.875])
    assert axis.fraction(0) == 0
