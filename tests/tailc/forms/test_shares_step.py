"""The step of a form of shares: figures worked out by hand, and what holds for any numbers."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import control
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tailc.forms.shares import PPM, Machine, ShareLaw, Shares
from tailc.forms.shares_cap import limited_ppm
from tailc.forms.shares_step import (
    Estimate,
    HostState,
    cannot_meet,
    common_error,
    first_state,
    granted_shares,
    mean_share,
    model_error,
    predicted_throughput,
    requested_share,
    tick,
    update_estimate,
)

A, B, POLE, TARGET = 0.6, 2.0, 0.1, 10.0


def shares_of(*machines: Machine, **changed: object) -> Shares:
    """Everything once a tick, so that a tick is a step, unless told otherwise."""
    usual = Shares(
        law=ShareLaw.POLE_PLACEMENT,
        pole_ppm=100_000,
        window_us=750_000,
        estimate_us=750_000,
        step_us=750_000,
        enforce_us=50_000,
        forgetting_ppm=980_000,
        first_covariance=1_000,
        least_b_ppm=10_000,
        least_ppm=50_000,
        host_ppm=PPM,
        shortage_steps=3,
        tolerance_ppm=50_000,
        machines=machines or (Machine("only", 10_000, 600_000, 20_000),),
    )
    return dataclasses.replace(usual, **changed)


def estimate(a: float, b: float) -> Estimate:
    return Estimate(a, b, 1.0, 0.0, 1.0, a, b)


def closed_loop(law: ShareLaw, start: float, knock: dict[int, float], steps: int) -> list[float]:
    """Throughput of t(k+1) = 0.6 t + 2 r (+ what knocks it), under a target of 10 that the model
    knows; in equilibrium at `start` before. Nothing limits the share: r counts in hosts of work 2.
    """
    shares = shares_of(law=law)
    model = estimate(A, B / TARGET)
    before, now, error_before = None, start, 0.0
    share, told = start * (1 - A) / B, []
    for k in range(steps):
        now += knock.get(k, 0.0)
        error = model_error(model, before, now / TARGET, share)
        share = requested_share(
            shares, model, before, now / TARGET, share, common_error(error, error_before)
        )
        error_before = error
        before, now = now / TARGET, A * now + B * share
        told.append(now)
    return told


def test_from_equilibrium_the_error_shrinks_tenfold_a_step():
    told = closed_loop(ShareLaw.POLE_PLACEMENT, 4.0, {}, 4)
    assert told == pytest.approx([9.4, 9.94, 9.994, 9.9994], abs=1e-12)


def test_a_knocked_state_overshoots_and_decays_at_the_rate_a():
    told = closed_loop(ShareLaw.POLE_PLACEMENT, 10.0, {0: -3.0}, 5)
    assert told == pytest.approx([10.9, 10.81, 10.513, 10.3105, 10.18657], abs=1e-9)


def test_under_the_observer_a_knocked_state_is_back_at_the_rate_p_without_overshoot():
    """One error of the model is not taken to last: 0.1 7 + 9, and then a tenth of it a step."""
    told = closed_loop(ShareLaw.OBSERVER, 10.0, {1: -3.0}, 5)[1:]
    assert told == pytest.approx([9.7, 9.97, 9.997, 9.9997], abs=1e-9)


def test_under_the_observer_a_change_that_lasts_is_made_up_for_once_two_steps_show_it():
    """At first as if the 7 would not come again, 9.7 - 3; then tenfold nearer a step."""
    lasts = dict.fromkeys(range(1, 20), -3.0)
    told = [t - 3 for t in closed_loop(ShareLaw.OBSERVER, 10.0, lasts, 6)][1:]
    assert told == pytest.approx([6.7, 9.67, 9.967, 9.9967, 9.99967], abs=1e-9)


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [(0.2, 0.1, 0.1), (-0.3, -0.1, -0.1), (0.2, -0.1, 0.0), (0.0, 0.4, 0.0), (-0.1, 0.0, 0.0)],
)
def test_two_errors_have_the_smaller_one_in_common(one, other, wanted):
    assert common_error(one, other) == common_error(other, one) == wanted


def test_under_pole_placement_a_change_that_lasts_is_made_up_for_at_the_rate_a():
    """The error after a step of a disturbance is 3 z / ((z - a)(z - p)): 3 sum a^i p^(k-i)."""
    lasts = dict.fromkeys(range(20), -3.0)
    told = [t - 3 for t in closed_loop(ShareLaw.POLE_PLACEMENT, 10.0, lasts, 6)]
    errors = [3 * sum(A**i * POLE ** (k - i) for i in range(k + 1)) for k in range(1, 7)]
    assert told == pytest.approx([10 - error for error in errors], abs=1e-9)


@pytest.mark.parametrize(("a", "b", "pole"), [(0.6, 2.0, 0.1), (-0.4, 50.0, 0.5), (0.0, 0.7, 0.0)])
def test_the_loop_is_the_one_that_a_control_library_closes(a, b, pole):
    plant = control.tf([b], [1, -a], True)
    law = control.tf([(1 - pole) / b, -a * (1 - pole) / b], [1, -1], True)
    _, wanted = control.step_response(control.feedback(law * plant), np.arange(20))
    shares = shares_of(pole_ppm=round(pole * PPM))
    before, now, share, told = None, 0.0, 0.0, []
    for _ in range(20):
        told.append(now)
        share = requested_share(shares, estimate(a, b), before, now, share, 0.0)
        before, now = now, a * now + b * share
    assert told == pytest.approx(np.squeeze(wanted).tolist(), abs=1e-9)


def test_recursive_least_squares_is_least_squares_with_old_rows_worth_less():
    rng = np.random.default_rng(3)
    shares = shares_of(first_covariance=1_000_000)
    rows = np.column_stack([rng.uniform(0.5, 1.5, 60), rng.uniform(0.1, 0.9, 60)])
    levels = rows @ [0.3, 1.7] + rng.normal(0, 0.05, 60)
    model = Estimate(0.0, 1.0, 1e6, 0.0, 1e6, 0.0, 1.0)
    for (x, u), y in zip(rows, levels, strict=True):
        model = update_estimate(shares, model, x, u, y)
    weight = np.sqrt(0.98 ** np.arange(59, -1, -1.0))
    wanted, *_ = np.linalg.lstsq(rows * weight[:, None], levels * weight, rcond=None)
    assert (model.a, model.b) == pytest.approx(wanted, rel=1e-5)


def test_an_unstable_estimate_is_kept_but_not_believed():
    shares = shares_of()
    model = update_estimate(shares, Estimate(0.5, 1.0, 1.0, 0.0, 1.0, 0.5, 1.0), 1.0, 0.0, 9.0)
    assert model.a > 1
    assert (model.believed_a, model.believed_b) == (0.5, 1.0)


def test_an_estimate_that_more_share_gives_less_is_not_believed():
    model = update_estimate(
        shares_of(), Estimate(0.5, 1.0, 1.0, 0.0, 1.0, 0.5, 1.0), 0.0, 1.0, -9.0
    )
    assert model.b < 0
    assert (model.believed_a, model.believed_b) == (0.5, 1.0)


def test_a_share_that_never_changes_winds_nothing_up():
    shares = shares_of()
    model = Estimate(0.5, 1.0, 1e3, 0.0, 1e3, 0.5, 1.0)
    for _ in range(30_000):
        model = update_estimate(shares, model, 1.0, 0.5, 1.0)
    assert model.p_aa + model.p_bb <= 2_000
    assert model.p_aa > 0
    assert model.p_bb > 0
    assert math.isfinite(model.a)
    assert math.isfinite(model.b)


def test_the_first_share_is_what_the_model_needs_for_the_target():
    """10 (1 - 0.6) / 20 of the host; what is left is batch work's."""
    shares = shares_of(Machine("a", 10_000, 600_000, 20_000), Machine("rest", None, 0, 1))
    assert first_state(shares).granted_ppm == (200_000, 800_000)


def test_shares_are_decided_on_a_full_window_only():
    """Windows of three ticks, steps of two: the first step on a full one is at tick 4."""
    shares = shares_of(window_us=750_000, estimate_us=250_000, step_us=500_000)
    state = first_state(shares)
    granted = [state.granted_ppm]
    for _ in range(4):
        state = tick(shares, state, [8.0])
        granted.append(state.granted_ppm)
    assert granted[0] == granted[1] == granted[2] == granted[3] != granted[4]


def test_the_mean_share_counts_what_was_granted_before_the_step():
    """Two of five ticks are since the step: (2 0.4 + 3 0.9) / 5."""
    assert mean_share(5, 12, 400_000, 900_000) == pytest.approx(0.7)
    assert mean_share(5, 15, 400_000, 900_000) == 0.4


def test_what_a_linear_machine_does_next_is_predicted_from_estimates():
    shares = shares_of(Machine("a", 10_000, 0, 12_000))
    state, now, share = first_state(shares), 3.0, 0.0
    rng = np.random.default_rng(1)
    for _ in range(200):
        state = tick(shares, state, [now])
        said = predicted_throughput(shares, state)
        share = state.granted_ppm[0] / PPM
        now = 0.4 * now + 9.0 * share + rng.normal(0, 0.3)
    assert said is not None
    exact = 0.4 * (state.machines[0].before or 0) * 10 + 9.0 * share
    assert said[0] == pytest.approx(exact, abs=0.5)


def test_a_shortage_counts_after_so_many_steps_in_a_row():
    """Half of the host was thought enough; it is 0.86 after a step, then all of it."""
    shares = shares_of(Machine("a", 100_000, 0, 200_000))
    state, flags = first_state(shares), []
    for _ in range(5):
        state = tick(shares, state, [20.0])
        flags.append(cannot_meet(shares, state)[0])
    assert flags == [False, False, False, True, True]
    assert cannot_meet(shares, tick(shares, state, [120.0])) == (False,)


@pytest.mark.parametrize(
    ("asked", "granted"),
    [
        ((300_000, 200_000), (300_000, 200_000, 250_000, 250_000)),
        ((900_000, 600_000), (600_000, 400_000, 0, 0)),
        # In proportion the second would have 47,619: it has 50,000, and the other what is left.
        ((1_000_000, 50_000), (950_000, 50_000, 0, 0)),
    ],
)
def test_the_broker_shares_the_host_out(asked, granted):
    two = (Machine("a", 1_000, 0, 9_000), Machine("b", 1_000, 0, 9_000))
    shares = shares_of(*two, Machine("c", None, 0, 1), Machine("d", None, 0, 1))
    assert granted_shares(shares, asked) == granted


@st.composite
def hosts(draw) -> tuple[Shares, list[int]]:
    served, batch = draw(st.integers(1, 6)), draw(st.integers(0, 3))
    host = draw(st.integers(1, PPM))
    least = draw(st.integers(0, host // served))
    machines = [Machine(f"s{n}", 1_000, 0, 9_000) for n in range(served)]
    machines += [Machine(f"b{n}", None, 0, 1) for n in range(batch)]
    order = draw(st.permutations(machines))
    shares = shares_of(*order, least_ppm=least, host_ppm=host)
    return shares, draw(st.lists(st.integers(least, host), min_size=served, max_size=served))


@given(hosts())
@settings(derandomize=True, max_examples=500)
def test_the_broker_never_gives_more_than_the_host_nor_less_than_the_least(drawn):
    shares, asked = drawn
    granted = granted_shares(shares, asked)
    served = [g for g, m in zip(granted, shares.machines, strict=True) if m.target_milli]
    batch = [g for g, m in zip(granted, shares.machines, strict=True) if not m.target_milli]
    assert sum(granted) <= shares.host_ppm
    assert min(served) >= shares.least_ppm
    assert all(got <= wanted for got, wanted in zip(served, asked, strict=True))
    assert len(set(batch)) <= 1
    if sum(asked) <= shares.host_ppm:
        assert served == asked
        assert not batch or shares.host_ppm - sum(granted) < len(batch)
    else:
        assert sum(batch) == 0
        # Rounding down costs each machine less than a millionth.
        assert shares.host_ppm - sum(granted) < len(served)


@given(hosts())
@settings(derandomize=True, max_examples=200)
def test_what_is_cut_is_cut_in_proportion(drawn):
    shares, asked = drawn
    granted = granted_shares(shares, asked)
    served = [g for g, m in zip(granted, shares.machines, strict=True) if m.target_milli]
    above = [(g, w) for g, w in zip(served, asked, strict=True) if g > shares.least_ppm]
    for got, wanted in above:
        for other, wish in above:
            assert abs(Fraction(got, wanted) - Fraction(other, wish)) < Fraction(
                1, min(wanted, wish)
            )


@given(
    st.sampled_from(ShareLaw),
    st.lists(st.lists(st.floats(0, 1e12), min_size=2, max_size=2), min_size=1, max_size=40),
)
@settings(derandomize=True, max_examples=200)
def test_whatever_is_measured_shares_stay_within_the_host(law, measured):
    machines = (Machine("a", 4_000, 300_000, 9_000), Machine("b", 70_000, -200_000, 90_000))
    shares = shares_of(
        *machines, Machine("c", None, 0, 1), law=law, window_us=500_000, estimate_us=250_000
    )
    state: HostState = first_state(shares)
    for throughput in measured:
        state = tick(shares, state, throughput)
        assert sum(state.granted_ppm) <= PPM
        assert min(state.granted_ppm[:2]) >= shares.least_ppm
        for one in state.machines:
            assert abs(one.estimate.believed_a) < 1
            assert one.estimate.believed_b > shares.least_b_ppm / PPM


@pytest.mark.parametrize("wrong", [-1.0, math.nan])
def test_what_is_no_throughput_is_refused(wrong):
    shares = shares_of()
    with pytest.raises(ValueError, match="throughput"):
        tick(shares, first_state(shares), [wrong])


@pytest.mark.parametrize(("wish", "ppm"), [(-5.0, 50_000), (math.nan, 50_000), (1e300, PPM)])
def test_any_request_becomes_a_share_that_can_be_had(wish, ppm):
    assert limited_ppm(shares_of(), wish) == ppm
