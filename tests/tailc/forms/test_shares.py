"""The shares form refuses what contradicts itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tailc.forms.shares import LARGEST_LAG, Machine
from tests.tailc.artifact.published import shares_policy

SHARES = shares_policy().shares
assert SHARES
PPM = 1_000_000
FIRST, SECOND, BATCH = SHARES.machines


def test_the_machines_with_a_target_are_served() -> None:
    assert SHARES.served_machines == (FIRST, SECOND)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"pole_ppm": -1}, "`pole_ppm` must be 0 to 999,999"),
        ({"pole_ppm": PPM}, "`pole_ppm` must be 0 to 999,999"),
        (
            {"window_us": 0},
            "`window_us`, `estimate_us`, `step_us` and `enforce_us` must be at least 1",
        ),
        (
            {"enforce_us": 0},
            "`window_us`, `estimate_us`, `step_us` and `enforce_us` must be at least 1",
        ),
        (
            {"estimate_us": 0},
            "`window_us`, `estimate_us`, `step_us` and `enforce_us` must be at least 1",
        ),
        ({"step_us": 60_000}, "`step_us` must be a multiple of `estimate_us`"),
        (
            {"estimate_us": 1, "step_us": LARGEST_LAG + 1},
            "`step_us` must be at most 1,000,000 times `estimate_us`",
        ),
        ({"forgetting_ppm": 0}, "`forgetting_ppm` must be 1 to 1,000,000"),
        ({"forgetting_ppm": PPM + 1}, "`forgetting_ppm` must be 1 to 1,000,000"),
        ({"first_covariance": 0}, "`first_covariance` must be 1 to 1,000,000"),
        ({"first_covariance": PPM + 1}, "`first_covariance` must be 1 to 1,000,000"),
        ({"least_b_ppm": 0}, "`least_b_ppm` must be at least 1"),
        ({"host_ppm": 0}, "`host_ppm` must be 1 to 1,000,000"),
        ({"host_ppm": PPM + 1}, "`host_ppm` must be 1 to 1,000,000"),
        ({"shortage_steps": 0}, "`shortage_steps` must be at least 1"),
        ({"tolerance_ppm": 0}, "`tolerance_ppm` must be at least 1"),
        ({"machines": (BATCH,)}, "at least one machine must have `target_milli`"),
        ({"machines": ()}, "at least one machine must have `target_milli`"),
        ({"machines": (FIRST, FIRST)}, "two machines have the same `name`"),
        (
            {"least_ppm": PPM // 2 + 1},
            "`least_ppm` times the machines with `target_milli` must be 0 to `host_ppm`",
        ),
        (
            {"least_ppm": -1},
            "`least_ppm` times the machines with `target_milli` must be 0 to `host_ppm`",
        ),
    ],
)
def test_shares_that_contradict_themselves_cannot_exist(changes, complaint) -> None:
    with pytest.raises(ValueError, match=complaint):
        replace(SHARES, **changes)


def test_least_shares_may_take_up_the_whole_host_and_a_step_a_million_estimates() -> None:
    assert replace(SHARES, least_ppm=PPM // 2).least_ppm == PPM // 2
    assert replace(SHARES, estimate_us=1, step_us=LARGEST_LAG).step_us == LARGEST_LAG


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"name": ""}, "`name` of a machine must not be empty"),
        ({"target_milli": 0}, "`target_milli` must be at least 1"),
        ({"first_a_ppm": PPM}, "`first_a_ppm` must be -999,999 to 999,999"),
        ({"first_a_ppm": -PPM}, "`first_a_ppm` must be -999,999 to 999,999"),
        ({"first_b_milli": 0}, "`first_b_milli` must be at least 1"),
    ],
)
def test_a_machine_that_contradicts_itself_cannot_exist(changes, complaint) -> None:
    with pytest.raises(ValueError, match=complaint):
        replace(FIRST, **changes)
    assert Machine("x", None, 0, 1).target_milli is None
