"""A machine that has too little work, or is dead, takes no share of others.

A plant of two machines: each does what its share allows, but no more than the work it has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from tailc.forms.shares import PPM, Machine, ShareCap, ShareLaw, Shares
from tailc.forms.shares_cap import CapMode
from tailc.forms.shares_step import HostState, cannot_meet, first_state, tick

TARGETS = 500.0, 3_290.0
WHOLE_HOST = 1_864.0, 13_000.0
TICKS, WINDOW = 900, 15
CAP = ShareCap(steps=6, probe_steps=20, headroom_ppm=PPM)
Work = Callable[[int], float]


def always(_at: int) -> float:
    return 1e6


def shares(law: ShareLaw, cap: ShareCap | None = CAP) -> Shares:
    machines = (
        Machine("encoder", round(TARGETS[0] * 1_000), 107_259, 1_664_331),
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
        cap=cap,
    )


def run(
    policy: Shares,
    *offered: Work,
    ticks: int = TICKS,
    is_reported: bool = False,
    whole_host: tuple[float, float] = WHOLE_HOST,
    noise: float = 0.0,
) -> tuple[list[HostState], list[float]]:
    """Every state, and the last throughput, where each machine has that work a second by tick.

    noise: standard deviation of a step, relative to its throughput.
    """
    rng, states, done = Random(1), [first_state(policy)], []
    for at in range(ticks):
        granted = states[-1].granted_ppm
        room = [most * ppm / PPM for most, ppm in zip(whole_host, granted, strict=False)]
        work = [each(at) for each in offered]
        once = [min(*both) for both in zip(room, work, strict=True)]
        done.append([y * max(1 + noise * WINDOW**0.5 * rng.gauss(0, 1), 0) for y in once])
        recent = done[-WINDOW:]
        means = [sum(one[k] for one in recent) / len(recent) for k in (0, 1)]
        waiting = [int(has > could) for has, could in zip(work, room, strict=True)]
        states.append(tick(policy, states[-1], means, waiting if is_reported else None))
    return states, done[-1]


def capped(states: list[HostState], machine: int = 0) -> list[bool]:
    return [state.machines[machine].cap.mode is not CapMode.FREE for state in states]


CASES = {
    "too little work": lambda _: 200.0,
    "hardly any work": lambda _: 20.0,
    "no work, or dead": lambda _: 0.0,
    "dead from a time on": lambda at: 1e6 if at < 300 else 0.0,
}


@pytest.mark.parametrize("law", ShareLaw)
@pytest.mark.parametrize("case", CASES)
def test_a_machine_that_reports_no_waiting_work_keeps_the_share_for_its_target(law, case):
    policy = shares(law)
    states, done = run(policy, CASES[case], always, is_reported=True)
    # 500 of 1,864 are 26.8 % of the host.
    assert max(state.granted_ppm[0] for state in states) <= 300_000
    assert done[1] == pytest.approx(TARGETS[1], rel=0.02)
    assert cannot_meet(policy, states[-1]) == (False, False)
    assert not any(capped(states))


@pytest.mark.parametrize("law", ShareLaw)
def test_a_model_is_not_estimated_from_a_machine_without_work(law):
    states, _ = run(shares(law), CASES["too little work"], always, is_reported=True)
    first, last = (state.machines[0].estimate for state in (states[0], states[-1]))
    assert last == first
    assert states[-1].machines[1].estimate != states[0].machines[1].estimate


@pytest.mark.parametrize("law", ShareLaw)
@pytest.mark.parametrize("is_reported", [False, True])
@pytest.mark.parametrize("back_at", [100, 450])
def test_where_work_comes_back_the_target_is_met_again(law, back_at, is_reported):
    """Without a report a probe begins 20 steps after the last one, and lasts 6."""
    policy = shares(law)
    work = lambda at: 0.0 if at < back_at else 1e6  # noqa: E731
    states, done = run(policy, work, always, ticks=back_at + 550, is_reported=is_reported)
    assert done == pytest.approx(TARGETS, rel=0.02)
    assert cannot_meet(policy, states[-1]) == (False, False)
    assert not capped(states)[-1]


@pytest.mark.parametrize("law", ShareLaw)
@pytest.mark.parametrize(
    ("case", "cap_ppm"),
    # Twice what 200/s and 20/s need by the first model, 0.2682 of the host for 500/s; the least.
    [("too little work", 214_558), ("hardly any work", 50_000), ("no work, or dead", 50_000)],
)
def test_without_a_report_it_gets_a_cap_of_what_it_can_use(law, case, cap_ppm):
    policy = shares(law)
    states, done = run(policy, CASES[case], always)
    lasting = [state for state, on in zip(states, capped(states), strict=True) if on]
    assert min(state.granted_ppm[0] for state in lasting) == cap_ppm
    # Free for one step and 6, in a trial for 6; then at most a probe, at twice its cap or half of
    # what its target needs.
    assert max(state.granted_ppm[0] for state in states[14 * 15 :]) <= max(2 * cap_ppm, 134_100)
    assert done[1] == pytest.approx(TARGETS[1], rel=0.02)


@pytest.mark.parametrize("law", ShareLaw)
@pytest.mark.parametrize("case", CASES)
def test_it_is_named_and_its_neighbour_never_is(law, case):
    policy = shares(law)
    states, done = run(policy, CASES[case], always)
    assert done[1] == pytest.approx(TARGETS[1], rel=0.02)
    assert not any(cannot_meet(policy, state)[1] for state in states)
    assert all(cannot_meet(policy, state)[0] for state in states[600:])


@pytest.mark.parametrize("law", ShareLaw)
def test_two_machines_without_work_leave_the_host_to_batch_work(law):
    policy = shares(law)
    states, _ = run(policy, lambda _: 200.0, lambda _: 900.0)
    assert cannot_meet(policy, states[-1]) == (True, True)
    assert min(state.granted_ppm[2] for state in states[400:]) > 250_000


@pytest.mark.parametrize("law", ShareLaw)
def test_a_machine_that_needs_more_than_the_host_gets_no_cap_and_is_the_one_named(law):
    """At the whole host it would do 466 of 500 a second, and all of its share helps."""
    policy = shares(law)
    states, _ = run(policy, always, always, whole_host=(466.0, 13_000.0))
    modes = {state.machines[0].cap.mode for state in states}
    assert modes == {CapMode.FREE, CapMode.TRIAL}
    named = {cannot_meet(policy, state) for state in states}
    assert (True, False) in named
    assert not any(second for _, second in named)


@pytest.mark.parametrize("law", ShareLaw)
@pytest.mark.parametrize("whole_host", [WHOLE_HOST, (1_100.0, 13_000.0), (700.0, 6_000.0)])
def test_machines_that_use_their_shares_get_no_cap_however_they_jitter(law, whole_host):
    """The noise of the example's encoder; in the last case the host is short for both."""
    states, _ = run(shares(law), always, always, whole_host=whole_host, noise=0.18, ticks=1_500)
    for machine in (0, 1):
        modes = {state.machines[machine].cap.mode for state in states}
        assert CapMode.CAPPED not in modes


@pytest.mark.parametrize("law", ShareLaw)
def test_noise_does_not_lift_a_cap(law):
    states, _ = run(shares(law), lambda _: 200.0, always, noise=0.18, ticks=1_500)
    assert all(capped(states)[300:])


@pytest.mark.parametrize("law", ShareLaw)
def test_a_policy_without_caps_gives_it_most_of_the_host(law):
    policy = shares(law, cap=None)
    states, done = run(policy, CASES["too little work"], always)
    assert states[-1].granted_ppm[0] > 750_000
    assert done[1] < 0.8 * TARGETS[1]
    assert cannot_meet(policy, states[-1]) == (True, True)


def test_windows_longer_than_steps_are_full_of_a_share_before_it_is_judged():
    """Two steps and a bit a window: a mode lasts two steps more than those it counts."""
    policy = replace(shares(ShareLaw.POLE_PLACEMENT), window_us=1_600_000)
    states, _ = run(policy, CASES["no work, or dead"], always)
    trial = sum(state.machines[0].cap.mode is CapMode.TRIAL for state in states)
    assert trial == (CAP.steps + 2) * 15


@pytest.mark.parametrize("waiting", [(-1, 0), (1, -5)])
def test_a_negative_number_of_requests_is_refused(waiting):
    policy = shares(ShareLaw.OBSERVER)
    with pytest.raises(ValueError, match="waiting requests"):
        tick(policy, first_state(policy), TARGETS, waiting)
