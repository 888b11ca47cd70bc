"""Ages of climbs scaled by the output of a controller."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.forms.controller import (
    LARGEST_AGE_US,
    scaled_age_us,
    scaled_ladder,
    scaled_row,
)
from tailc.forms.ladder.lookup import lookup, rung_at
from tailc.forms.ladder.table import AT_ONCE, Climb, Row
from tests.tailc.artifact.published import lucene_policy
from tests.tailc.forms.random_forms import random_ladder

PPM = 1_000_000
SEEDS = st.integers(0, 2**32)


@pytest.mark.parametrize(
    ("age_us", "by_ppm", "scaled_us"),
    [
        (109_000, PPM, 109_000),
        (109_000, 500_000, 54_500),
        (3, 999_999, 2),
        (3, 333_333, 0),
        (3, 333_334, 1),
        (109_000, 0, 0),
        (LARGEST_AGE_US, PPM, LARGEST_AGE_US),
    ],
)
def test_ages_are_scaled_and_rounded_down(age_us, by_ppm, scaled_us) -> None:
    assert scaled_age_us(age_us, by_ppm) == scaled_us


ROW = Row(0, None, AT_ONCE, (Climb(0, 0), Climb(3, 1), Climb(100_000, 2)))


@pytest.mark.parametrize(
    ("by_ppm", "climbs"),
    [
        (PPM, ((0, 0), (3, 1), (100_000, 2))),
        (500_000, ((0, 0), (1, 1), (50_000, 2))),
        (333_333, ((0, 1), (33_333, 2))),
        (1, ((0, 2),)),
        (0, ((0, 2),)),
    ],
)
def test_of_climbs_that_fall_on_one_age_the_highest_is_left(by_ppm, climbs) -> None:
    assert scaled_row(ROW, by_ppm).climbs == tuple(Climb(*pair) for pair in climbs)


def test_at_output_zero_every_request_starts_on_its_row_s_last_rung() -> None:
    ladder = lucene_policy().ladders[0]
    last = {row.first_load: row.climbs[-1].rung for row in ladder.rows}
    for load, rung in last.items():
        assert lookup(scaled_ladder(ladder, 0), load, 0, 0).rung == rung


@given(SEEDS, st.integers(0, PPM), st.integers(0, 2**44))
def test_a_request_is_on_the_highest_rung_whose_scaled_age_has_come(seed, by_ppm, age_us) -> None:
    for row in random_ladder(Random(seed)).rows:
        come = [climb.rung for climb in row.climbs if climb.age_us * by_ppm // PPM <= age_us]
        assert rung_at(scaled_row(row, by_ppm), age_us) == max(come)
