"""Simulate a shares controller and the machines that it controls, step by step; compiled.

The controller computes the same as `tailc.forms.shares_step`, operation by operation, on arrays:
both give the same doubles and grants. See `plant` for the machines.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.models.cpu_shares.cap_engine import (
    CAPPED,
    FREE,
    Caps,
    CapSettings,
    change_cap,
    first_caps,
    is_tested,
    requested_ppm,
)
from tailc.models.kernel_decorators import loop, part

MILLION = 1_000_000
LARGEST_LEVEL = 1_000.0
POLE_PLACEMENT, OBSERVER, GIVEN = 0, 1, 2
# Columns of an estimate.
A, B, P_AA, P_AB, P_BB, BELIEVED_A, BELIEVED_B, ESTIMATE_COLUMNS = range(8)


class ShareSettings(NamedTuple):
    """Parameters of a controller of CPU shares, for compiled code.

    Attributes:
        law: number of the control law; GIVEN grants given shares.
        pole: p of the law.
        forgetting, first_covariance, least_b: settings of the model's recursive estimate.
        least_ppm, host_ppm: least share of a machine, and share of the host [1e-6].
        batch: number of batch machines.
        lag, full, window_ticks: number of ticks between steps, until the first full window, and in
            a window.
        tick_s: duration of a tick [s].
        shortage_steps: steps of shortage after which a target is reported as out of reach.
        target: work per second, by machine with a target (machines,).
        first_a, first_b: first coefficients of each machine's model (machines,).
        cap: when a machine is capped.
    """

    law: int
    pole: float
    forgetting: float
    first_covariance: float
    least_b: float
    least_ppm: int
    host_ppm: int
    batch: int
    lag: int
    full: int
    window_ticks: int
    tick_s: float
    shortage_steps: int
    target: NDArray
    first_a: NDArray
    first_b: NDArray
    cap: CapSettings


class World(NamedTuple):
    """The simulated machines of a replay of CPU shares, as arrays for compiled code.

    The fields are those of `plant.HostMachines`, (machines, steps) or (machines,).
    """

    a: NDArray
    b: NDArray
    disturbed: NDArray
    start: NDArray
    unit: NDArray
    contention: NDArray
    bend: NDArray
    offered: NDArray
    is_reported: NDArray


class ShareLog(NamedTuple):
    """Log of all steps of a replay of CPU shares; arrays (machines, steps) except `batch_ppm`.

    throughput: measured at the end of each step. granted_ppm: share during the step. online,
    offline: predictions of that throughput by the estimated model and by the first model, NaN if
    nothing was measured before. is_short: whether the target was reported as out of reach.
    is_capped: whether the machine had a cap. ran_out: whether no request waited at some time of the
    last window. batch_ppm: share of each batch machine (steps,).
    """

    throughput: NDArray
    granted_ppm: NDArray
    online: NDArray
    offline: NDArray
    is_short: NDArray
    is_capped: NDArray
    ran_out: NDArray
    batch_ppm: NDArray


@part
def update(estimate, settings, x, u, y):  # pragma: no cover - compiled
    """Update the estimated model of a machine with one sample, by recursive least squares.

    The model predicts y = a x + b u. x: throughput over the target at the earlier sample. u: mean
    share since then. y: throughput over the target now.
    """
    forgetting = settings.forgetting
    h_a = estimate[P_AA] * x + estimate[P_AB] * u
    h_b = estimate[P_AB] * x + estimate[P_BB] * u
    weight = forgetting + (x * h_a + u * h_b)
    k_a, k_b = h_a / weight, h_b / weight
    error = y - (estimate[A] * x + estimate[B] * u)
    estimate[A] += k_a * error
    estimate[B] += k_b * error
    estimate[P_AA] -= k_a * h_a
    estimate[P_AB] -= k_a * h_b
    estimate[P_BB] -= k_b * h_b
    if estimate[P_AA] + estimate[P_BB] <= 2.0 * settings.first_covariance * forgetting:
        estimate[P_AA] /= forgetting
        estimate[P_AB] /= forgetting
        estimate[P_BB] /= forgetting
    if abs(estimate[A]) < 1.0 and estimate[B] > settings.least_b:
        estimate[BELIEVED_A] = estimate[A]
        estimate[BELIEVED_B] = estimate[B]


@part
def prediction_error(estimate, is_first, before, now, share):  # pragma: no cover - compiled
    """Error of a machine's throughput model in a step; 0 at the first step.

    It is `now`, the measured throughput over the target, minus the prediction from `before` and
    `share`.
    """
    if is_first:
        return 0.0
    return now - (estimate[BELIEVED_A] * before + estimate[BELIEVED_B] * share)


@part
def common_error(one, other):  # pragma: no cover - compiled
    """The part that two errors of a model have in common: the smaller one; 0 if signs differ."""
    if one > 0.0 and other > 0.0:
        return min(one, other)
    return max(one, other) if one < 0.0 and other < 0.0 else 0.0


@part
def requested_share(
    estimate, settings, is_first, before, now, share, lasting
):  # pragma: no cover - compiled
    """Share that the control law requests for a machine, before limits are applied, as a fraction.

    before, now: throughput over the target at the last step and now. is_first: whether this is the
    first step, which has no `before`. share: the present share. lasting: prediction error of the
    model that is assumed to last.
    """
    a, b, pole = estimate[BELIEVED_A], estimate[BELIEVED_B], settings.pole
    if settings.law == POLE_PLACEMENT:
        gain = (1.0 - pole) / b
        error_before = 0.0 if is_first else 1.0 - before
        return (share + gain * (1.0 - now)) - (a * gain) * error_before
    return (((1.0 - pole) + (pole - a) * now) - lasting) / b


@part
def copy_into(values, into):  # pragma: no cover - compiled
    """Copy an array element by element; `into[:] = values` would take 3 s to compile."""
    for i in range(len(into)):
        into[i] = values[i]


@loop
def cut_to_host(settings, wanted, granted, is_least):  # pragma: no cover - compiled
    """Write the shares that machines want to `granted`, reduced so that together they fit the host.

    is_least: working memory.
    """
    total = wanted.sum()
    copy_into(wanted, granted)
    if total <= settings.host_ppm:
        return
    for i in range(len(wanted)):
        is_least[i] = False
    while True:
        rest, among = settings.host_ppm, 0
        for i in range(len(wanted)):
            if is_least[i]:
                rest -= settings.least_ppm
            else:
                among += wanted[i]
        is_done = True
        for i in range(len(wanted)):
            granted[i] = settings.least_ppm if is_least[i] else wanted[i] * rest // among
            if granted[i] < settings.least_ppm:
                is_least[i] = True
                is_done = False
        if is_done:
            return


@part
def work_rate(world, i, k, now, share_ppm, taken_ppm):  # pragma: no cover - compiled
    """Throughput of a machine in a step, from its throughput before and the shares of all [work/s].

    i: number of the machine. k: number of the step. now: throughput before. share_ppm: its share.
    taken_ppm: shares of all.
    """
    share = share_ppm / MILLION
    others = (taken_ppm - share_ppm) / MILLION
    useful = share * (1.0 + world.bend[i] * (1.0 - share)) * (1.0 - world.contention[i] * others)
    could = (world.a[i, k] * now + world.b[i, k] * useful) * world.disturbed[i, k]
    return min(could, world.offered[i, k])


class ShareState(NamedTuple):
    """The state of a replay of CPU shares, which compiled code changes; a row or entry per machine.

    Attributes:
        estimate: estimated throughput model.
        level, missed: throughput over the target, and the model's error, at the last step.
        levels: throughput over the target at the last ticks (lag, machines).
        done, total: work by each of the last ticks of a window (window + 1, machines), and total
            work until now.
        measured: throughput at the last tick.
        granted, granted_before, wanted: share now, in the step before, and as requested.
        short: number of successive steps of shortage.
        busy_ticks: ticks since one without waiting requests.
        caps: share caps.
        is_least: scratch space for `cut_to_host`.
    """

    estimate: NDArray
    level: NDArray
    missed: NDArray
    levels: NDArray
    done: NDArray
    total: NDArray
    measured: NDArray
    granted: NDArray
    granted_before: NDArray
    wanted: NDArray
    short: NDArray
    busy_ticks: NDArray
    caps: Caps
    is_least: NDArray


def run(settings: ShareSettings, world: World, given_ppm: NDArray, log: ShareLog) -> None:
    """Simulate all steps of a controller and its machines, and fill the log.

    given_ppm: shares that the law GIVEN grants (machines, steps).
    """
    _run_steps(settings, world, _first_state(settings), world.start.copy(), given_ppm, log)


@loop
def _run_steps(settings, world, state, now, given_ppm, log):  # pragma: no cover - compiled
    machines, steps = world.a.shape
    ticks = np.int64(0)
    for k in range(steps):
        is_first = ticks < settings.full
        if settings.law == GIVEN:
            copy_into(state.granted, state.granted_before)
            for i in range(machines):
                state.granted[i] = given_ppm[i, k]
            copy_into(state.granted, state.wanted)
        batch_ppm = _batch_ppm(settings, state.wanted)
        total_ppm = state.granted.sum() + batch_ppm * settings.batch
        log.batch_ppm[k] = batch_ppm
        for i in range(machines):
            log.granted_ppm[i, k] = state.granted[i]
            log.online[i, k], log.offline[i, k] = _predict(settings, state, i, is_first)
            log.is_capped[i, k] = state.caps.mode[i] != FREE
            now[i] = work_rate(world, i, k, now[i], state.granted[i], total_ppm)
        for _ in range(settings.lag):
            ticks += 1
            _wait(world, state, now, k)
            _tick(settings, world, state, now, ticks)
        for i in range(machines):
            log.throughput[i, k] = state.measured[i]
            log.ran_out[i, k] = state.busy_ticks[i] < settings.full
        if settings.law != GIVEN and ticks >= settings.full:
            _decide(settings, state, ticks, is_first)
            _log_shortages(settings, state, log.is_short, k)
        if settings.law == GIVEN:
            copy_into(state.levels[ticks % settings.lag], state.level)


@part
def _wait(world, state, now, k):  # pragma: no cover - compiled
    """Report whether work waits; if none waits, all offered work is done."""
    for i in range(len(now)):
        has_none = world.is_reported[i, k] and now[i] >= world.offered[i, k]
        state.busy_ticks[i] = 0 if has_none else state.busy_ticks[i] + 1


@part
def _tick(settings, world, state, now, ticks):  # pragma: no cover - compiled
    """Do a tick of work, measure, and update the estimate after a lag of full windows."""
    lag = settings.lag
    for i in range(len(now)):
        state.total[i] += now[i] * settings.tick_s
        y = _measure(settings, world.unit[i], state, i, ticks)
        state.measured[i] = y
        level = min(y / settings.target[i], LARGEST_LEVEL)
        is_sample = state.busy_ticks[i] >= max(settings.full, lag)
        if is_sample and state.caps.mode[i] == FREE and ticks >= settings.full + lag:
            since = (ticks - 1) % lag + 1
            shares = since * state.granted[i] + (lag - since) * state.granted_before[i]
            u = shares / (lag * MILLION)
            update(state.estimate[i], settings, state.levels[ticks % lag, i], u, level)
        state.levels[ticks % lag, i] = level


@part
def _decide(settings, state, ticks, is_first):  # pragma: no cover - compiled
    """Compute the request of every machine, and divide the host."""
    machines = len(state.granted)
    for i in range(machines):
        now = state.levels[ticks % settings.lag, i]
        ran_out = state.busy_ticks[i] < settings.full
        if ran_out:
            now = max(now, 1.0)
        _cap(settings, state, i, is_first, now)
        state.wanted[i] = _request(settings, state, i, is_first, now, ran_out)
        state.level[i] = now
    copy_into(state.granted, state.granted_before)
    cut_to_host(settings, state.wanted, state.granted, state.is_least)
    for i in range(machines):
        is_below = state.level[i] < 1.0
        got = state.granted[i]
        if is_below and (got < state.wanted[i] or got == settings.host_ppm):
            state.short[i] += 1
        elif not (is_below and is_tested(state.caps, i)):
            state.short[i] = 0


@part
def _cap(settings, state, i, is_first, now):  # pragma: no cover - compiled
    """Set the machine's cap from this step on; a trial restarts its model."""
    if settings.law == GIVEN or settings.cap.steps == 0:
        return
    is_met = now >= 1.0 and not is_first and state.level[i] >= 1.0
    is_short = state.short[i] > 0
    if change_cap(settings.cap, state.caps, i, now, state.granted[i], is_met, is_short):
        estimate = state.estimate[i]
        estimate[A] = estimate[BELIEVED_A] = settings.first_a[i]
        estimate[B] = estimate[BELIEVED_B] = settings.first_b[i]
        estimate[P_AA] = estimate[P_BB] = settings.first_covariance
        estimate[P_AB] = 0.0


@part
def _request(settings, state, i, is_first, now, ran_out):  # pragma: no cover - compiled
    """The share that the machine requests."""
    estimate, before = state.estimate[i], state.level[i]
    share = state.granted[i] / MILLION
    error = 0.0 if ran_out else prediction_error(estimate, is_first, before, now, share)
    lasting = common_error(error, state.missed[i])
    state.missed[i] = error
    if state.caps.mode[i] != FREE:
        return state.caps.ppm[i]
    if ran_out:
        return requested_ppm(
            settings.cap, min(share, (1.0 - estimate[BELIEVED_A]) / estimate[BELIEVED_B])
        )
    wish = requested_share(estimate, settings, is_first, before, now, share, lasting)
    return requested_ppm(settings.cap, wish)


@part
def _log_shortages(settings, state, is_short, k):  # pragma: no cover - compiled
    """Log which targets cannot be met."""
    machines, host, has_cause = len(state.short), settings.host_ppm / MILLION, False
    for i in range(machines):
        estimate = state.estimate[i]
        needs_more = 1.0 - estimate[BELIEVED_A] > estimate[BELIEVED_B] * host
        is_short[i, k] = state.short[i] >= settings.shortage_steps
        has_cause = has_cause or (is_short[i, k] and needs_more)
    if settings.cap.steps == 0:
        return
    for i in range(machines):
        estimate = state.estimate[i]
        needs_more = 1.0 - estimate[BELIEVED_A] > estimate[BELIEVED_B] * host
        is_named = is_short[i, k] and (needs_more or not has_cause)
        is_short[i, k] = is_named or state.caps.mode[i] >= CAPPED


def _first_state(settings: ShareSettings) -> ShareState:
    """State before any measurement: each machine has the share that its first model needs."""
    machines = len(settings.target)
    wanted, granted = np.zeros(machines, np.int64), np.zeros(machines, np.int64)
    for i in range(machines):
        wanted[i] = requested_ppm(settings.cap, (1.0 - settings.first_a[i]) / settings.first_b[i])
    is_least = np.zeros(machines, np.bool_)
    cut_to_host(settings, wanted, granted, is_least)
    return ShareState(
        _first_estimates(settings),
        np.zeros(machines),
        np.zeros(machines),
        np.zeros((settings.lag, machines)),
        np.zeros((settings.window_ticks + 1, machines)),
        np.zeros(machines),
        np.zeros(machines),
        granted,
        granted.copy(),
        wanted,
        np.zeros(machines, np.int64),
        np.full(machines, max(settings.full, settings.lag), np.int64),
        first_caps(settings.cap, (1.0 - settings.first_a) / settings.first_b),
        is_least,
    )


def _first_estimates(settings: ShareSettings) -> NDArray:
    estimate = np.zeros((len(settings.target), ESTIMATE_COLUMNS))
    estimate[:, A] = estimate[:, BELIEVED_A] = settings.first_a
    estimate[:, B] = estimate[:, BELIEVED_B] = settings.first_b
    estimate[:, P_AA] = estimate[:, P_BB] = settings.first_covariance
    return estimate


@part
def _batch_ppm(settings, wanted):  # pragma: no cover - compiled
    """Share of each batch machine."""
    if settings.batch == 0:
        return 0
    return max(settings.host_ppm - wanted.sum(), 0) // settings.batch


@part
def _predict(settings, state, i, is_first):  # pragma: no cover - compiled
    """Predictions of the estimated and of the first model for the end of the step."""
    if is_first:
        return np.nan, np.nan
    estimate, before = state.estimate[i], state.level[i]
    share = state.granted[i] / MILLION
    online = estimate[BELIEVED_A] * before + estimate[BELIEVED_B] * share
    offline = settings.first_a[i] * before + settings.first_b[i] * share
    return online * settings.target[i], offline * settings.target[i]


@part
def _measure(settings, unit, state, i, ticks):  # pragma: no cover - compiled
    """Work of the last window per time; in whole units if the machine counts units."""
    window, total = settings.window_ticks, state.total[i]
    counted = total if unit == 0.0 else np.floor(total / unit) * unit
    at = ticks % (window + 1)
    passed = min(ticks, window)
    begun = state.done[(at - passed) % (window + 1), i]
    state.done[at, i] = counted
    return (counted - begun) / (passed * settings.tick_s)
