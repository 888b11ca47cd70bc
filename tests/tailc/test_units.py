import contextlib
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc import units
from tailc.units import DURATION, PERCENT, RATE, QuantityError, QuantityFault, digits_text


@pytest.mark.parametrize(
    ("text", "expected_us"),
    [
        ("120ms", 120_000),
        ("5us", 5),
        ("0.5s", 500_000),
        (".5 s", 500_000),
        ("2min", 120_000_000),
        ("1h", 3_600_000_000),
        (" 1.001ms ", 1_001),
        ("0ms", 0),
    ],
)
def test_durations_become_microseconds(text: str, expected_us: int) -> None:
    assert units.parse_us(text) == expected_us


@pytest.mark.parametrize(
    ("read", "text", "expected"),
    [
        (units.parse_ppm, "99%", 990_000),
        (units.parse_ppm, "99.9 %", 999_000),
        (units.parse_ppm, "0.0001%", 1),
        (units.parse_mrps, "30/s", 30_000),
        (units.parse_mrps, "1.5/s", 1_500),
        (units.parse_mrps, "90/min", 1_500),
        (units.parse_mrps, "3600/h", 1_000),
        (units.parse_mrps, "100/min", 1_667),
        (units.parse_mrps, "2000/h", 556),
        (units.parse_khz, "2.4GHz", 2_400_000),
        (units.parse_mw, "250W", 250_000),
        (units.parse_mw, "1.5kW", 1_500_000),
    ],
)
def test_quantities_become_whole_numbers_of_their_grid(read, text: str, expected: int) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("500", QuantityFault.NO_UNIT),
        ("5%", QuantityFault.WRONG_UNIT),
        ("5 parsecs", QuantityFault.WRONG_UNIT),
        ("0.5us", QuantityFault.TOO_FINE),
        ("1.0001ms", QuantityFault.TOO_FINE),
        ("9007199254740992us", QuantityFault.OUT_OF_RANGE),
        ("-5ms", QuantityFault.NOT_A_QUANTITY),
        ("1e3ms", QuantityFault.NOT_A_QUANTITY),
        ("1,000ms", QuantityFault.NOT_A_QUANTITY),
        ("ms", QuantityFault.NOT_A_QUANTITY),
        ("", QuantityFault.NOT_A_QUANTITY),
        ("\u0665ms", QuantityFault.NOT_A_QUANTITY),
        ("0" * 50 + "5ms", QuantityFault.NOT_A_QUANTITY),
    ],
)
def test_a_text_that_is_no_duration_is_refused_by_its_fault(
    text: str, fault: QuantityFault
) -> None:
    with pytest.raises(QuantityError) as refused:
        units.parse_us(text)
    assert refused.value.fault is fault


def test_the_largest_quantity_is_the_largest_integer_of_json() -> None:
    assert units.parse_us("9007199254740991us") == 2**53 - 1


@pytest.mark.parametrize(
    ("text", "dimension", "hint"),
    [
        ("500", DURATION, "write `500ms`, say"),
        ("0.99", PERCENT, "write `99%`, say"),
        ("99", PERCENT, "write `99%`, say"),
        ("5 m", DURATION, "did you mean `5min`?"),
        ("5\u00b5s", DURATION, "did you mean `5us`?"),
        ("5 MS", DURATION, "did you mean `5ms`?"),
        ("40 rps", RATE, "did you mean `40/s`?"),
        ("1/min", RATE, "the nearest is `1.02/min`"),
        ("1/h", RATE, "the nearest is `3.6/h`"),
        ("7/h", RATE, "the nearest is `7.2/h`"),
        ("0.0001/min", RATE, "the nearest is `0.06/min`"),
        ("1.6667/s", RATE, "the nearest is `1.667/s`"),
    ],
)
def test_help_says_what_was_probably_meant(
    text: str, dimension: units.Dimension, hint: str
) -> None:
    with pytest.raises(QuantityError) as refused:
        units.parse(text, dimension)
    assert hint in refused.value.help


@pytest.mark.parametrize("text", ["1/min", "1/h", "7/h", "100.01/h", "0.0001/min", "1.6667/s"])
def test_the_nearest_rate_that_a_hint_names_is_read(text: str) -> None:
    with pytest.raises(QuantityError) as refused:
        units.parse_mrps(text)
    nearest = refused.value.help.split("`")[1]
    assert units.format_mrps(units.parse_mrps(nearest)) != "0/s"
    assert nearest.partition("/")[2] == text.partition("/")[2]


def test_a_rate_below_the_grid_is_told_as_too_small() -> None:
    with pytest.raises(QuantityError, match=r"`1/h` is below the smallest value, `3.6/h`"):
        units.parse_mrps("1/h")


@pytest.mark.parametrize("text", ["1/h", "0.2/h", "0.01/min", "0.0001/s"])
def test_the_error_for_a_rate_below_the_grid_says_what_to_do_instead(text: str) -> None:
    with pytest.raises(QuantityError) as refused:
        units.parse_mrps(text)
    assert refused.value.fault is QuantityFault.TOO_FINE
    assert "divide all times by 1,000 and multiply all rates by 1,000" in refused.value.help


@pytest.mark.parametrize(
    ("text", "nearest"),
    [("10/min", "10.02/min"), ("0.2/min", "0.18/min"), ("1/min", "1.02/min"), ("100/h", "100.8/h")],
)
def test_the_error_for_a_rate_between_grid_steps_names_only_the_nearest(
    text: str, nearest: str
) -> None:
    with pytest.raises(QuantityError) as refused:
        units.parse_mrps(text)
    assert refused.value.help == f"the nearest is `{nearest}`"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (units.format_us(1_500), "1.5 ms"),
        (units.format_us(999), "999 us"),
        (units.format_us(0), "0 us"),
        (units.format_us(500_000), "500 ms"),
        (units.format_us(-2_000_000), "-2 s"),
        (units.format_us(90_000_000), "90 s"),
        (units.format_ppm(999_000), "99.9 %"),
        (units.format_ppm(1), "0.0001 %"),
        (units.format_mrps(1_500), "1.5/s"),
        (units.format_mrps(30_000), "30/s"),
        (units.plain_ppm(1_590_000), "1.59"),
        (units.plain_ppm(0), "0"),
        (units.plain_ppm(10_000_000), "10"),
        (units.plain_ppm(3), "0.000003"),
        (units.format_khz(2_400_000), "2.4 GHz"),
        (units.format_mw(250_000), "250 W"),
        (units.format_nj(0), "0 nJ"),
        (units.format_nj(5_000), "5 uJ"),
        (units.format_nj(1_250_000), "1.25 mJ"),
    ],
)
def test_formatting_is_exact_and_short(text: str, expected: str) -> None:
    assert text == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("2000 requests", 2_000), ("1 request", 1), ("30s", 30_000_000)]
)
def test_a_text_is_read_by_the_first_dimension_with_its_unit(text: str, expected: int) -> None:
    assert units.parse(text, units.COUNT, DURATION) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2, "2"),
        (2.0, "2"),
        (-0.0, "0"),
        (1.50, "1.5"),
        (1e-5, "1e-05"),
        (1e22, "10000000000000000000000"),
        (Decimal("2.00"), "2"),
        (Decimal("1.50"), "1.5"),
        (2**70, "1180591620717411303424"),
        (float("inf"), "inf"),
    ],
)
def test_a_number_has_one_text(value: float | Decimal, expected: str) -> None:
    assert units.number_text(value) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("caf\u00e9 \u754c", "caf\u00e9 \u754c"),
        ("a\x1b[31m", "a\\x1b[31m"),
        ("a\nb", "a\\x0ab"),
        ("\u202eevil", "\\x202eevil"),
        ("\ud800", "\\xd800"),
    ],
)
def test_what_a_terminal_could_obey_is_written_out(text: str, expected: str) -> None:
    assert units.printable(text) == expected


@given(st.integers(0, units.LARGEST))
def test_what_is_formatted_reads_back(value: int) -> None:
    assert units.parse_us(units.format_us(value)) == value
    assert units.parse_ppm(units.format_ppm(value)) == value
    assert units.parse_mrps(units.format_mrps(value)) == value
    assert units.parse_khz(units.format_khz(value)) == value
    assert units.parse_mw(units.format_mw(value)) == value


@given(st.decimals(0, 10**6, places=3), st.sampled_from(["ms", "s"]))
def test_reading_agrees_with_decimal_arithmetic(amount: Decimal, unit: str) -> None:
    steps = {"ms": 1_000, "s": 1_000_000}[unit]
    assert units.parse_us(f"{amount:f}{unit}") == int(amount * steps)


@given(st.text(max_size=60))
def test_any_text_is_a_quantity_or_a_quantity_error(text: str) -> None:
    with contextlib.suppress(QuantityError):
        assert units.parse(text, DURATION, RATE) >= 0


@pytest.mark.parametrize(
    ("value", "digits", "told"),
    [
        (0, 4, "0"),
        (1.275e-05, 4, "0.00001275"),
        (-2.5e-07, 4, "-0.00000025"),
        (2_500.4, 4, "2500"),
        (12_346, 4, "12,350"),
        (120, 2, "120"),
        (0.0054, 2, "0.0054"),
    ],
)
def test_digits_are_told_without_an_exponent(value, digits, told):
    assert digits_text(value, digits) == told


@pytest.mark.parametrize(
    ("number", "suggested"),
    [
        ("2.4", "write `2.4GHz`, say"),
        ("5", "write `5GHz`, say"),
        ("2400", "write `2400MHz`, say"),
        ("816", "write `816MHz`, say"),
        ("1200000", "write `1200000kHz`, say"),
        ("408000", "write `408000kHz`, say"),
        # Of Hz, which is no unit here.
        ("408000000", "units: `kHz`, `MHz`, `GHz`"),
    ],
)
def test_a_frequency_without_a_unit_is_suggested_in_a_usual_one(
    number: str, suggested: str
) -> None:
    with pytest.raises(QuantityError) as caught:
        units.parse_khz(number)
    assert caught.value.fault is QuantityFault.NO_UNIT
    assert caught.value.help.startswith(suggested)


def test_other_quantities_are_suggested_in_the_unit_of_the_example() -> None:
    with pytest.raises(QuantityError) as caught:
        units.parse_us("5000000")
    assert caught.value.help.startswith("write `5000000ms`, say")
