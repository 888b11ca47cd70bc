"""The controller steps as the law says, exactly, within 64 bits, and never beyond its limits."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.forms.controller import (
    FEWEST_FRACTION_BITS,
    LARGEST_AGE_US,
    LARGEST_ERROR_US,
    LARGEST_GAIN,
    MOST_FRACTION_BITS,
    Actuator,
    Controller,
    ControlState,
    GainRow,
    arrival_rate_mrps,
    first_state,
    gains_at,
    output_ppm,
    percent_per_ms,
    scaled_age_us,
    step,
)
from tests.tailc.forms.random_forms import random_controller

PPM = 1_000_000
MS = 1_000
SEEDS = st.integers(0, 2**32)
BITS = 30
ONE = 1 << BITS


def controller(*gains: GainRow, **changes) -> Controller:
    """Target 200 ms; begins at a half, which is 2^29 in units of 2^-30, and has the whole range."""
    parts = {
        "acts_on": Actuator.CLIMB_AGES,
        "percentile_ppm": 990_000,
        "target_us": 200 * MS,
        "epoch_requests": 500,
        "window_requests": 2_000,
        "first_ppm": PPM // 2,
        "least_ppm": 0,
        "most_ppm": PPM,
        "fraction_bits": BITS,
        "gains": gains,
    }
    return Controller(**(parts | changes))


def only(kp=0, ki=0, kd=0) -> GainRow:
    return GainRow(0, kp, ki, kd)


def moves(steered: Controller, measured_us, rate_mrps=0) -> list[int]:
    """How far each step moved the output, in units of 2^-30."""
    state, found = first_state(steered), []
    for tail_us in measured_us:
        after = step(steered, state, tail_us, rate_mrps)
        found.append(after.output - state.output)
        state = after
    return found


# Errors 10, -20, -20, 5 and 5 us, from a target of 200 ms.
TAILS_US = [199_990, 200_020, 200_020, 199_995, 199_995]


def test_the_proportional_part_adds_the_change_of_the_error() -> None:
    assert moves(controller(only(kp=7)), TAILS_US) == [0, 7 * -30, 0, 7 * 25, 0]


def test_the_integral_part_adds_the_error() -> None:
    assert moves(controller(only(ki=3)), TAILS_US) == [30, -60, -60, 15, 15]


def test_the_derivative_part_adds_the_change_of_the_change() -> None:
    # Changes of the error: 0, -30, 0, 25, 0; the first step has none before it.
    assert moves(controller(only(kd=2)), TAILS_US) == [0, -60, 60, 50, -50]


def test_the_parts_add_up() -> None:
    parts = [moves(controller(only(**{gain: 4})), TAILS_US) for gain in ("kp", "ki", "kd")]
    assert moves(controller(only(4, 4, 4)), TAILS_US) == [
        sum(step) for step in zip(*parts, strict=True)
    ]


def test_a_longer_tail_than_the_target_lowers_the_output() -> None:
    """A larger output makes the tail longer, so that the loop has negative feedback."""
    assert moves(controller(only(ki=1)), [250 * MS]) == [-50 * MS]
    assert moves(controller(only(ki=1)), [150 * MS]) == [50 * MS]


def test_no_part_jumps_at_the_first_step_and_only_the_integral_one_moves() -> None:
    assert moves(controller(only(kp=5, ki=1, kd=9)), [190 * MS]) == [10 * MS]


def test_the_output_begins_where_it_is_said_to() -> None:
    for first_ppm in (0, 1, 333_333, PPM):
        steered = controller(only(), first_ppm=first_ppm)
        assert output_ppm(steered, first_state(steered)) == first_ppm


def test_at_a_limit_nothing_winds_up() -> None:
    """A hundred steps up against the limit are forgotten at the first step down."""
    steered = controller(only(ki=10_000), most_ppm=600_000)
    state = first_state(steered)
    for _ in range(100):
        state = step(steered, state, 100 * MS, 0)
    assert output_ppm(steered, state) == 600_000
    state = step(steered, state, 200 * MS + 1_000, 0)
    assert state.output == (600_000 * ONE) // PPM - 10_000 * 1_000


def test_at_the_lower_limit_nothing_winds_up_either() -> None:
    steered = controller(only(ki=10_000), least_ppm=400_000)
    state = first_state(steered)
    for _ in range(100):
        state = step(steered, state, 300 * MS, 0)
    assert output_ppm(steered, state) == 400_000
    assert step(steered, state, 199 * MS, 0).output == (400_000 * ONE) // PPM + 10_000 * 1_000


@pytest.mark.parametrize(
    ("rate_mrps", "row"),
    [(0, 0), (49_999, 0), (50_000, 1), (50_001, 1), (70_000, 1), (70_001, 2), (10**12, 2)],
)
def test_a_row_of_gains_holds_from_its_first_rate_on(rate_mrps, row) -> None:
    rows = (GainRow(0, 1, 0, 0), GainRow(50_000, 2, 0, 0), GainRow(70_001, 3, 0, 0))
    assert gains_at(controller(*rows), rate_mrps) is rows[row]


def test_other_gains_do_not_move_the_output_by_themselves() -> None:
    rows = (GainRow(0, 1, 1, 1), GainRow(50_000, 2**29, 2**29, 2**29))
    steered = controller(*rows)
    state = step(steered, first_state(steered), 200 * MS, 49_999)
    assert step(steered, state, 200 * MS, 50_000) == state


def test_at_a_switch_of_gains_only_the_new_ones_count() -> None:
    rows = (GainRow(0, 5, 3, 2), GainRow(50_000, 11, 13, 17))
    steered = controller(*rows)
    state = first_state(steered)
    for tail_us in (199_990, 200_020):
        state = step(steered, state, tail_us, 0)
    after = step(steered, state, 199_995, 50_000)
    # Errors 10, -20, 5: changes -30 and 25.
    assert after.output - state.output == 11 * 25 + 13 * 5 + 17 * 55


@pytest.mark.parametrize(
    ("tail_us", "error_us"),
    [
        (0, 200_000),
        (200_000 + LARGEST_ERROR_US, -LARGEST_ERROR_US),
        (200_001 + LARGEST_ERROR_US, -LARGEST_ERROR_US),
        (2**63 - 1, -LARGEST_ERROR_US),
    ],
)
def test_an_error_beyond_its_limit_counts_as_the_limit(tail_us, error_us) -> None:
    steered = controller(only())
    assert step(steered, first_state(steered), tail_us, 0).error_us == error_us


@pytest.mark.parametrize(
    ("output", "shown_ppm"),
    # In units of 2^-21, of which a millionth is 2.097152.
    [(0, 0), (1, 0), (2, 1), (1_048_576, 500_000), (2_097_150, 999_999), (2_097_152, PPM)],
)
def test_the_output_is_the_nearest_millionth(output, shown_ppm) -> None:
    steered = controller(only(), fraction_bits=21)
    assert output_ppm(steered, ControlState(output)) == shown_ppm


def test_half_a_millionth_goes_up() -> None:
    steered = controller(only(), fraction_bits=21)
    assert Fraction(2**14, 2**21) * PPM == Fraction(15_625, 2)
    assert output_ppm(steered, ControlState(2**14)) == 7_813


@given(SEEDS, st.integers(0, PPM))
def test_at_its_limits_the_output_is_exactly_the_limit(seed, share_ppm) -> None:
    drawn = random_controller(Random(seed))
    steered = replace(drawn, least_ppm=share_ppm, first_ppm=share_ppm, most_ppm=share_ppm)
    state = first_state(steered)
    for tail_us in (0, 2**62):
        assert output_ppm(steered, state) == share_ppm
        state = step(steered, state, tail_us, 0)
    assert output_ppm(steered, state) == share_ppm


@given(SEEDS)
def test_the_output_never_leaves_its_limits(seed) -> None:
    rng = Random(seed)
    steered = random_controller(rng)
    state = first_state(steered)
    for _ in range(20):
        state = step(steered, state, rng.choice((0, 2**63 - 1, rng.randrange(2**32))), 0)
        assert steered.least_ppm <= output_ppm(steered, state) <= steered.most_ppm


class Word(int):
    """A whole number that complains where its sums and products leave the signed 64 bits."""

    def _checked(self, value: int) -> Word:
        assert -(2**63) <= value < 2**63, f"{value} leaves 64 bits"
        return Word(value)

    def __add__(self, other):
        return self._checked(int(self) + int(other))

    def __sub__(self, other):
        return self._checked(int(self) - int(other))

    def __rsub__(self, other):
        return self._checked(int(other) - int(self))

    def __mul__(self, other):
        return self._checked(int(self) * int(other))

    def __lshift__(self, other):
        return self._checked(int(self) << int(other))

    def __rshift__(self, other):
        return self._checked(int(self) >> int(other))

    def __floordiv__(self, other):
        return self._checked(int(self) // int(other))

    __radd__, __rmul__ = __add__, __mul__


def in_words(steered: Controller) -> Controller:
    """The same controller; every number of it that enters a step watches over its sums."""
    rows = (
        GainRow(Word(row.first_rate_mrps), Word(row.kp), Word(row.ki), Word(row.kd))
        for row in steered.gains
    )
    shares = {name: Word(getattr(steered, name)) for name in ("first_ppm", "least_ppm", "most_ppm")}
    return replace(steered, target_us=Word(steered.target_us), gains=tuple(rows), **shares)


@given(SEEDS)
def test_no_value_of_a_step_leaves_64_bits(seed) -> None:
    rng = Random(seed)
    steered = in_words(random_controller(rng))
    state = first_state(steered)
    for _ in range(8):
        tail_us = rng.choice((0, 2**31, 2**32, 2**63 - 1, rng.randrange(2**33)))
        state = step(steered, state, Word(tail_us), rng.choice((0, 2**53)))
        assert isinstance(state.output, Word)
        age_us = Word(rng.choice((LARGEST_AGE_US, rng.randint(0, LARGEST_AGE_US))))
        assert scaled_age_us(age_us, Word(output_ppm(steered, state))) <= age_us


def test_the_largest_step_there_is_still_fits_64_bits_and_one_more_bit_would_not() -> None:
    """Gains at their limit, and errors that swing from one limit to the other and back."""
    largest = only(LARGEST_GAIN, LARGEST_GAIN, LARGEST_GAIN)
    steered = controller(largest, target_us=LARGEST_ERROR_US, fraction_bits=MOST_FRACTION_BITS)
    steered = in_words(steered)
    most = LARGEST_ERROR_US
    state = ControlState(Word(1 << MOST_FRACTION_BITS), Word(-most), Word(most))
    step(steered, state, Word(0), 0)
    assert LARGEST_GAIN * 7 * most < 2**63 - 2**40 < 2 * LARGEST_GAIN * 7 * most


@given(SEEDS, st.integers(1, 12))
def test_while_no_limit_binds_it_is_the_controller_in_position_form(seed, steps) -> None:
    """Gains as exact fractions; sums of changes telescope to kp e + ki sum e + kd (e - e1)."""
    rng = Random(seed)
    kp, ki, kd = (Fraction(rng.randint(-900, 900), ONE) for _ in range(3))
    steered = controller(only(*(int(gain * ONE) for gain in (kp, ki, kd))))
    tails_us = [rng.randint(190 * MS, 210 * MS) for _ in range(steps)]
    state = first_state(steered)
    for tail_us in tails_us:
        state = step(steered, state, tail_us, 0)
    errors = [200 * MS - tail_us for tail_us in tails_us]
    before = errors[-2] if steps > 1 else errors[0]
    position = kp * (errors[-1] - errors[0]) + ki * sum(errors) + kd * (errors[-1] - before)
    assert Fraction(state.output, ONE) == Fraction(1, 2) + position


def float_output(rows, first, measured_us) -> float:
    """The law in floating point, with gains as they are before they are rounded."""
    output, errors = first, []
    for tail_us in measured_us:
        errors.append(200 * MS - tail_us)
        e0, e1, e2 = (errors[-1 - min(back, len(errors) - 1)] for back in range(3))
        kp, ki, kd = rows
        output = min(max(output + kp * (e0 - e1) + ki * e0 + kd * (e0 - 2 * e1 + e2), 0.0), 1.0)
    return output


@given(SEEDS)
def test_it_is_the_law_in_floating_point_to_the_rounding_of_the_gains(seed) -> None:
    """Errors are within 100 ms, so a gain's half unit of 2^-40 moves a step by 7e5 such units."""
    rng = Random(seed)
    real = [rng.uniform(0, 0.5) / (100 * MS) for _ in range(3)]
    rounded = only(*(round(gain * 2**40) for gain in real))
    steered = controller(rounded, fraction_bits=40)
    tails_us = [rng.randint(100 * MS, 300 * MS) for _ in range(30)]
    state = first_state(steered)
    for tail_us in tails_us:
        state = step(steered, state, tail_us, 0)
    wanted = float_output(real, 0.5, tails_us)
    slack = len(tails_us) * 0.5 * 7 * 100 * MS / 2**40 + 1e-9
    assert abs(state.output / 2**40 - wanted) <= slack


# Haque et al., MICRO 2017, Table 2, and Haque, dissertation, Rutgers 2016, Table 5.1: the
# same gains for other loads, kp, ki and kd each for loads up to and including the first number.
PUBLISHED_GAINS = ((0.11, 0.49, 0.00), (0.15, 0.25, 0.00), (0.19, 0.17, 0.03))
PUBLISHED_LOADS_RPS = {"MICRO 2017": (50, 70), "dissertation": (20, 40)}
REFERENCE_AGE_US = 109 * MS


def published(source: str) -> Controller:
    """Thresholds in ms by ms of tail become shares of the threshold of 109 ms by us of tail.

    Below the first load the first gains hold, above the second the third, between them and at both
    the second.
    """
    low, high = PUBLISHED_LOADS_RPS[source]
    firsts_mrps = (0, low * 1_000, high * 1_000 + 1)
    return controller(
        *(
            GainRow(first, *(round(gain * 2**40 / REFERENCE_AGE_US) for gain in gains))
            for first, gains in zip(firsts_mrps, PUBLISHED_GAINS, strict=True)
        ),
        fraction_bits=40,
        first_ppm=PPM,
    )


@pytest.mark.parametrize(
    ("source", "rate_rps", "interval"),
    [
        ("MICRO 2017", 25, 0),
        ("MICRO 2017", 49.999, 0),
        ("MICRO 2017", 50, 1),
        ("MICRO 2017", 60, 1),
        ("MICRO 2017", 70, 1),
        ("MICRO 2017", 70.001, 2),
        ("MICRO 2017", 80, 2),
        ("dissertation", 10, 0),
        ("dissertation", 20, 1),
        ("dissertation", 30, 1),
        ("dissertation", 40, 1),
        ("dissertation", 40.001, 2),
        ("dissertation", 50, 2),
    ],
)
def test_the_published_gains_move_the_threshold_as_they_say(source, rate_rps, interval) -> None:
    """10 ms too long twice, then 4 ms: changes of the error are 0, 0 and 6 ms."""
    steered = published(source)
    kp, ki, kd = PUBLISHED_GAINS[interval]
    state, thresholds_ms = first_state(steered), [109.0]
    for tail_us in (210 * MS, 210 * MS, 204 * MS):
        state = step(steered, state, tail_us, round(rate_rps * 1_000))
        thresholds_ms.append(state.output / 2**40 * REFERENCE_AGE_US / MS)
    found = [after - before for before, after in itertools.pairwise(thresholds_ms)]
    wanted = [ki * -10, ki * -10, kp * 6 + ki * -4 + kd * 6]
    assert found == pytest.approx(wanted, abs=1e-5)


def test_a_gain_is_told_to_people_in_percent_by_ms() -> None:
    """2^30 units of 2^-40 by us are 1/1024 by us, 1000/1024 by ms."""
    assert percent_per_ms(-(2**30), 40) == -97.65625


def test_negative_arguments_are_refused() -> None:
    steered = controller(only())
    for tail_us, rate_mrps in ((-1, 0), (0, -1)):
        with pytest.raises(ValueError, match="the measured tail and the rate must not be negative"):
            step(steered, first_state(steered), tail_us, rate_mrps)


@pytest.mark.parametrize(
    ("arrivals", "elapsed_us", "rate_mrps"),
    [
        (500, 10_000_000, 50_000),
        (0, 10_000_000, 0),
        (1, 3_000_000, 333),
        (500, 0, 500 * 10**9),
        (500, 1, 500 * 10**9),
    ],
)
def test_a_rate_counts_arrivals_by_time_and_no_time_as_a_microsecond(
    arrivals, elapsed_us, rate_mrps
) -> None:
    assert arrival_rate_mrps(arrivals, elapsed_us) == rate_mrps


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"percentile_ppm": 0}, "percentile"),
        ({"percentile_ppm": PPM}, "percentile"),
        ({"target_us": 0}, "target"),
        ({"target_us": LARGEST_ERROR_US + 1}, "target"),
        ({"epoch_requests": 0}, "epoch"),
        ({"window_requests": 499}, "window"),
        ({"window_requests": 1_000_001}, "window"),
        ({"least_ppm": -1}, "0 <= `least_ppm` <= `first_ppm` <= `most_ppm` <= 1,000,000 must hold"),
        (
            {"least_ppm": 500_001},
            "0 <= `least_ppm` <= `first_ppm` <= `most_ppm` <= 1,000,000 must hold",
        ),
        (
            {"most_ppm": 499_999},
            "0 <= `least_ppm` <= `first_ppm` <= `most_ppm` <= 1,000,000 must hold",
        ),
        (
            {"most_ppm": PPM + 1},
            "0 <= `least_ppm` <= `first_ppm` <= `most_ppm` <= 1,000,000 must hold",
        ),
        ({"fraction_bits": FEWEST_FRACTION_BITS - 1}, "bits"),
        ({"fraction_bits": MOST_FRACTION_BITS + 1}, "bits"),
        ({"gains": ()}, "`gains` must not be empty"),
        ({"gains": (GainRow(1, 0, 0, 0),)}, "`first_rate_mrps` of the first gains must be 0"),
        (
            {"gains": (GainRow(0, 0, 0, 0), GainRow(0, 1, 1, 1))},
            "`first_rate_mrps` must increase from gains to gains",
        ),
        (
            {"gains": (GainRow(0, 0, 0, 0), GainRow(9, 1, 1, 1), GainRow(8, 1, 1, 1))},
            "`first_rate_mrps` must increase from gains to gains",
        ),
    ],
)
def test_a_controller_that_no_runtime_could_step_cannot_be_made(changes, complaint) -> None:
    with pytest.raises(ValueError, match=complaint):
        controller(only(), **changes)


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ((-1, 0, 0, 0), "negative"),
        ((0, LARGEST_GAIN + 1, 0, 0), "`kp`, `ki` and `kd` must be -2"),
        ((0, 0, -LARGEST_GAIN - 1, 0), "`kp`, `ki` and `kd` must be -2"),
        ((0, 0, 0, LARGEST_GAIN + 1), "`kp`, `ki` and `kd` must be -2"),
    ],
)
def test_gains_beyond_their_limit_cannot_be_made(row, complaint) -> None:
    with pytest.raises(ValueError, match=complaint):
        GainRow(*row)
