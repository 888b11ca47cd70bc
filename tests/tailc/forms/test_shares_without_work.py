"""A machine whose work does not wait counts as at its target, so that it takes no share of others.

A plant of two machines: each does what its share allows, but no more than the work it has.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tailc.forms.shares import PPM, Machine, ShareLaw, Shares
from tailc.forms.shares_step import cannot_meet, first_state, tick

TARGETS = 500.0, 3_290.0
WHOLE_HOST = 1_864.0, 13_000.0
TICKS, WINDOW = 900, 15


def shares(law: ShareLaw, least_target: float = TARGETS[0]) -> Shares:
    machines = (
        Machine("encoder", round(least_target * 1_000), 107_259, 1_664_331),
        Machine("hasher", round(TARGETS[1] * 1_000), 36_914, 12_677_046),
        Machine("nightly", None, 0, 1),
    )
    return Shares(
        law=law,
        pole_ppm=100_000,
        window_us=750_000,
        estimate_us=50_000,
        step_us=750_000,
        enforce_us=50_000,
        forgetting_ppm=970_000,
        first_covariance=100,
        least_b_ppm=50_000,
        least_ppm=50_000,
        host_ppm=PPM,
        shortage_steps=20,
        tolerance_ppm=200_000,
        machines=machines,
    )


def after(policy: Shares, offered: Callable[[int], float], *, says_so: bool):
    """The last state and throughput, where the first machine has that much work a second by tick.

    says_so: whether the host reports the target for a machine that has no work left.
    """
    target = (policy.served[0].target_milli or 0) / 1_000
    state, done = first_state(policy), []
    for at in range(TICKS):
        room = [most * ppm / PPM for most, ppm in zip(WHOLE_HOST, state.granted_ppm, strict=False)]
        done.append((min(room[0], offered(at)), room[1]))
        recent = done[-WINDOW:]
        first, second = (sum(one[k] for one in recent) / len(recent) for k in (0, 1))
        if says_so and offered(at) < room[0]:
            first = max(first, target)
        state = tick(policy, state, (first, second))
    return state, done[-1]


CASES = {
    "too little work": lambda _: 200.0,
    "hardly any work": lambda _: 20.0,
    "no work, or dead": lambda _: 0.0,
    "dead from a time on": lambda at: 1e6 if at < 300 else 0.0,
}


@pytest.mark.parametrize("law", ShareLaw)
@pytest.mark.parametrize("case", CASES)
def test_a_machine_that_has_no_work_left_takes_nothing_from_others(law, case):
    policy = shares(law)
    state, done = after(policy, CASES[case], says_so=True)
    # 500 of 1,864 are 26.8 % of the host.
    assert state.granted_ppm[0] <= 300_000
    assert done[1] == pytest.approx(TARGETS[1], rel=0.02)
    assert cannot_meet(policy, state) == (False, False)


@pytest.mark.parametrize("law", ShareLaw)
@pytest.mark.parametrize("back_at", [100, 450])
def test_where_work_comes_back_the_target_is_met_again(law, back_at):
    policy = shares(law)
    state, done = after(policy, lambda at: 0.0 if at < back_at else 1e6, says_so=True)
    assert done == pytest.approx(TARGETS, rel=0.02)
    assert cannot_meet(policy, state) == (False, False)


@pytest.mark.parametrize("law", ShareLaw)
def test_a_host_that_does_not_say_so_gives_it_most_of_the_host(law):
    """The guide warns of it: throughput does not tell too little work from too little share."""
    policy = shares(law)
    state, done = after(policy, CASES["too little work"], says_so=False)
    assert state.granted_ppm[0] > 750_000
    assert done[1] < 0.8 * TARGETS[1]
    assert cannot_meet(policy, state) == (True, True)
