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
    assert SHARES.served == (FIRST, SECOND)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"pole_ppm": -1}, "a pole lies from 0 to 1"),
        ({"pole_ppm": PPM}, "a pole lies from 0 to 1"),
        ({"window_us": 0}, "times are positive"),
        ({"enforce_us": 0}, "times are positive"),
        ({"estimate_us": 0}, "times are positive"),
        ({"step_us": 60_000}, "a whole number of estimates"),
        ({"estimate_us": 1, "step_us": LARGEST_LAG + 1}, "a million estimates at most"),
        ({"forgetting_ppm": 0}, "forgetting lies between 0 and 1"),
        ({"forgetting_ppm": PPM + 1}, "forgetting lies between 0 and 1"),
        ({"first_covariance": 0}, "positive and at most a million"),
        ({"first_covariance": PPM + 1}, "positive and at most a million"),
        ({"least_b_ppm": 0}, "the least b is positive"),
        ({"host_ppm": 0}, "a host gives no more than itself"),
        ({"host_ppm": PPM + 1}, "a host gives no more than itself"),
        ({"shortage_steps": 0}, "a step at least"),
        ({"tolerance_ppm": 0}, "exactly on its target"),
        ({"machines": (BATCH,)}, "needs a machine with a target"),
        ({"machines": ()}, "needs a machine with a target"),
        ({"machines": (FIRST, FIRST)}, "two machines have one name"),
        ({"least_ppm": PPM // 2 + 1}, "the least shares are more than the host"),
        ({"least_ppm": -1}, "the least shares are more than the host"),
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
        ({"name": ""}, "a machine needs a name"),
        ({"target_milli": 0}, "a target is positive"),
        ({"first_a_ppm": PPM}, "is not stable"),
        ({"first_a_ppm": -PPM}, "is not stable"),
        ({"first_b_milli": 0}, "more share gives more throughput"),
    ],
)
def test_a_machine_that_contradicts_itself_cannot_exist(changes, complaint) -> None:
    with pytest.raises(ValueError, match=complaint):
        replace(FIRST, **changes)
    assert Machine("x", None, 0, 1).target_milli is None
