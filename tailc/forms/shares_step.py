"""Reference semantics of the shares form: estimate models, request shares, and grant them.

A tick comes every `estimate_us`, a step every `step_us`, which is a whole number of ticks, the lag.
All throughput is relative to its machine's target, so that one covariance fits machines that count
different work. At each tick, with x the level one lag ago, u the mean share granted since and y the
level now (Bartolini, 2015, section 2.3.2, who leaves lambda and the first P open),

    phi = [x, u],  K = P phi / (lambda + phi' P phi),
    theta += K (y - phi' theta),  P = (P - K phi' P) / lambda,

without the last division if the trace of P would exceed that of the first P: a machine whose share
never changes would otherwise make it grow without limit. Estimates with |a| >= 1, or b at or below
the least, are stored but not used: the last valid ones are used instead.

At a step every machine requests a share by the form's law, from the estimate of the same tick.
Requests are limited to [least_ppm, host_ppm], and rounded down to whole millionths. If they exceed
the host, each is reduced in proportion, but to no less than the least share; otherwise the rest
goes to the machines without a target in equal parts.

A host may report at each tick the number of waiting requests of each machine. A machine ran out of
work at a step if none waited at some tick of its window: it counts as at its target at least, and
requests no more than it has, nor more than the model needs for its target. Its model is not
estimated from such ticks. Without a report, a policy may cap a machine, which then requests exactly
its cap (`shares_cap`); its model is not estimated under a cap, and starts again from the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tailc.forms.shares import MILLI, PPM, ShareLaw, Shares
from tailc.forms.shares_cap import CapMode, CapState, MachineAtStep, limited_ppm, next_cap

# Limit of throughput relative to its target, so that no estimate can overflow.
LARGEST_LEVEL = 1_000.0


@dataclass(frozen=True)
class Estimate:
    """Running estimate of a machine's throughput model, as the controller updates it.

    a, b: coefficients of the model, with throughput relative to the target. p_aa, p_ab, p_bb:
    covariance of the estimate. believed_a, believed_b: last valid pair of coefficients.
    """

    a: float
    b: float
    p_aa: float
    p_ab: float
    p_bb: float
    believed_a: float
    believed_b: float


@dataclass(frozen=True)
class MachineState:
    """The controller's state of a machine with a throughput target.

    levels: throughput over its target at the last ticks, oldest first, at most a lag of them.
    before: level at the last step, None before the first. missed: the model's error then, 0 up to
    the first. short_steps: number of consecutive steps in which it got less than it requested, or
    the whole host, and was below its target.
    """

    estimate: Estimate
    cap: CapState
    busy_ticks: int
    levels: tuple[float, ...] = ()
    before: float | None = None
    missed: float = 0.0
    short_steps: int = 0


@dataclass(frozen=True)
class HostState:
    """State of the shares controller of a host.

    ticks: number of ticks since the start. machines: state of each machine with a target.
    granted_ppm, granted_before_ppm: shares of all machines now and one step ago [1e-6].
    """

    ticks: int
    machines: tuple[MachineState, ...]
    granted_ppm: tuple[int, ...]
    granted_before_ppm: tuple[int, ...]


def first_state(shares: Shares) -> HostState:
    """State of the shares controller before the first measurement.

    The shares are those that machines need by their first models.
    """
    machines = tuple(
        MachineState(_first_estimate(shares, at), CapState(shares.host_ppm), sample_ticks(shares))
        for at in range(len(shares.served_machines))
    )
    needed = [(1.0 - one.estimate.a) / one.estimate.b for one in machines]
    granted_ppm = granted_shares(shares, [limited_ppm(shares, share) for share in needed])
    return HostState(0, machines, granted_ppm, granted_ppm)


def tick(
    shares: Shares,
    state: HostState,
    throughput: Sequence[float],
    waiting: Sequence[int] | None = None,
) -> HostState:
    """Advance the state by one tick of `estimate_us`, with a step if one is due.

    throughput: of each machine with a target [work/s], its mean over the last `window_us`, or since
    the start if that is shorter. A window that is not full is neither used for estimates nor for a
    step. waiting: number of waiting requests of each machine; None, or any positive number if
    unknown, means that work is waiting. Raises ValueError for a throughput that is negative or not
    a number, and for a negative number of requests.
    """
    waits = [1] * len(shares.served_machines) if waiting is None else waiting
    if not all(count >= 0 for count in waits):
        raise ValueError("a number of waiting requests must not be negative")
    levels = [
        level(machine.target_milli or 0, measured)
        for machine, measured in zip(shares.served_machines, throughput, strict=True)
    ]
    ticks, lag = state.ticks + 1, lag_ticks(shares)
    grants = _served_grants(shares, state)
    machines = tuple(
        _with_level(shares, one, ticks, now, mean_share(lag, ticks, *granted), is_busy=count > 0)
        for one, now, granted, count in zip(state.machines, levels, grants, waits, strict=True)
    )
    state = replace(state, ticks=ticks, machines=machines)
    is_step = ticks % lag == 0 and ticks >= full_ticks(shares)
    return _take_step(shares, state, levels) if is_step else state


def lag_ticks(shares: Shares) -> int:
    """Number of ticks (model estimates) from one decision on CPU shares to the next."""
    return shares.step_us // shares.estimate_us


def full_ticks(shares: Shares) -> int:
    """Number of model estimates (ticks) until a window of throughput is full for the first time."""
    return -(-shares.window_us // shares.estimate_us)


def sample_ticks(shares: Shares) -> int:
    """Number of ticks after which a machine's throughput depends on its CPU share alone.

    Only ticks with waiting work count.
    """
    return max(full_ticks(shares), lag_ticks(shares))


def level(target_milli: int, throughput: float) -> float:
    """Throughput of a machine relative to its target; the target is in thousandths.

    Raises ValueError if the throughput is negative or not a number.
    """
    if not throughput >= 0.0:
        raise ValueError("a throughput must be a number, 0 or more")
    return min(throughput / (target_milli / MILLI), LARGEST_LEVEL)


def mean_share(lag: int, ticks: int, now_ppm: int, before_ppm: int) -> float:
    """Mean CPU share of a machine over the last `lag` ticks, as a fraction of the host.

    now_ppm, before_ppm: share since the last step and before it [1e-6]. ticks: number of ticks so
    far.
    """
    since = (ticks - 1) % lag + 1
    return (since * now_ppm + (lag - since) * before_ppm) / (lag * PPM)


def update_estimate(shares: Shares, estimate: Estimate, x: float, u: float, y: float) -> Estimate:
    """Update the estimated model of a machine with one sample, by recursive least squares.

    The model predicts y = a x + b u. x: throughput over the target at the earlier sample. u: mean
    share since then. y: throughput over the target now.
    """
    forgetting = shares.forgetting_ppm / PPM
    h_a = estimate.p_aa * x + estimate.p_ab * u
    h_b = estimate.p_ab * x + estimate.p_bb * u
    weight = forgetting + (x * h_a + u * h_b)
    k_a, k_b = h_a / weight, h_b / weight
    error = y - (estimate.a * x + estimate.b * u)
    a, b = estimate.a + k_a * error, estimate.b + k_b * error
    p_aa, p_ab, p_bb = (
        estimate.p_aa - k_a * h_a,
        estimate.p_ab - k_a * h_b,
        estimate.p_bb - k_b * h_b,
    )
    if p_aa + p_bb <= 2 * shares.first_covariance * forgetting:
        p_aa, p_ab, p_bb = p_aa / forgetting, p_ab / forgetting, p_bb / forgetting
    if abs(a) < 1.0 and b > shares.least_b_ppm / PPM:
        return Estimate(a, b, p_aa, p_ab, p_bb, a, b)
    return Estimate(a, b, p_aa, p_ab, p_bb, estimate.believed_a, estimate.believed_b)


def model_error(estimate: Estimate, before: float | None, now: float, share: float) -> float:
    """Error of a machine's model: measured level minus the prediction; 0 at the first step.

    The level is throughput over target.
    """
    if before is None:
        return 0.0
    return now - (estimate.believed_a * before + estimate.believed_b * share)


def common_error(one: float, other: float) -> float:
    """The part that two errors of a model have in common: the smaller one, or 0 if signs differ.

    A disturbance counts as lasting if two consecutive errors show it, which noise seldom does.
    """
    if one > 0.0 and other > 0.0:
        return min(one, other)
    return max(one, other) if one < 0.0 and other < 0.0 else 0.0


def requested_share(
    shares: Shares,
    estimate: Estimate,
    before: float | None,
    now: float,
    share: float,
    lasting: float,
) -> float:
    """CPU share that the control law requests for a machine, before limits are applied.

    before, now: throughput over the target at the last step (None at the first) and now. share: the
    present share. lasting: the part of the throughput over the target that is assumed to remain in
    addition to the model.
    """
    a, b, pole = estimate.believed_a, estimate.believed_b, shares.pole_ppm / PPM
    if shares.law is ShareLaw.POLE_PLACEMENT:
        gain = (1.0 - pole) / b
        error_before = 0.0 if before is None else 1.0 - before
        return (share + gain * (1.0 - now)) - (a * gain) * error_before
    return (((1.0 - pole) + (pole - a) * now) - lasting) / b


def granted_shares(shares: Shares, requested_ppm: Sequence[int]) -> tuple[int, ...]:
    """Grant shares to all machines [1e-6], from the requests of those with a target.

    The sum never exceeds the host.
    """
    granted = iter(_limit_to_host(shares, requested_ppm))
    batch = len(shares.machines) - len(shares.served_machines)
    left = max(shares.host_ppm - sum(requested_ppm), 0) // batch if batch else 0
    return tuple(
        left if machine.target_milli is None else next(granted) for machine in shares.machines
    )


def throughput_of(shares: Shares, levels: Sequence[float]) -> tuple[float, ...]:
    """Convert throughput over the target to work per second, for the machines with a target."""
    return tuple(
        now * ((machine.target_milli or 0) / MILLI)
        for machine, now in zip(shares.served_machines, levels, strict=True)
    )


def predicted_throughput(shares: Shares, state: HostState) -> tuple[float, ...] | None:
    """Throughput predicted by the valid models for the next step [work/s].

    To be called right after a step; None before the first.
    """
    grants = _served_grants(shares, state)
    levels = []
    for one, (now_ppm, _) in zip(state.machines, grants, strict=True):
        if one.before is None:
            return None
        model = one.estimate
        levels.append(model.believed_a * one.before + model.believed_b * (now_ppm / PPM))
    return throughput_of(shares, levels)


def cannot_meet(shares: Shares, state: HostState) -> tuple[bool, ...]:
    """For each machine with a target, whether a lasting shortage shows that it cannot be met.

    If some short machine needs more than the whole host, only such machines count, since the others
    are short because of them. A machine that was capped after a trial always counts.
    """
    is_short = [one.short_steps >= shares.shortage_steps for one in state.machines]
    if shares.cap is None:
        return tuple(is_short)
    is_cause = [
        short and needs_more(shares, one.estimate)
        for short, one in zip(is_short, state.machines, strict=True)
    ]
    named = is_cause if any(is_cause) else is_short
    return tuple(
        name or one.cap.mode >= CapMode.CAPPED
        for name, one in zip(named, state.machines, strict=True)
    )


def needs_more(shares: Shares, estimate: Estimate) -> bool:
    """Whether the machine needs more than the whole host for its target, by its model."""
    return 1.0 - estimate.believed_a > estimate.believed_b * (shares.host_ppm / PPM)


def _first_estimate(shares: Shares, at: int) -> Estimate:
    machine = shares.served_machines[at]
    a = machine.first_a_ppm / PPM
    b = machine.first_b_milli / (machine.target_milli or 0)
    covariance = float(shares.first_covariance)
    return Estimate(a, b, covariance, 0.0, covariance, a, b)


def _served_grants(shares: Shares, state: HostState) -> list[tuple[int, int]]:
    """Share now and a step ago, for each machine with a target [ppm]."""
    grants = zip(shares.machines, state.granted_ppm, state.granted_before_ppm, strict=True)
    return [(now, before) for machine, now, before in grants if machine.target_milli is not None]


def _with_level(
    shares: Shares, state: MachineState, ticks: int, now: float, share: float, *, is_busy: bool
) -> MachineState:
    """The machine with one more level, its model updated once a lag of full windows is past."""
    lag = lag_ticks(shares)
    estimate, busy_ticks = state.estimate, state.busy_ticks + 1 if is_busy else 0
    is_sample = state.cap.mode is CapMode.FREE and busy_ticks >= sample_ticks(shares)
    if is_sample and ticks >= full_ticks(shares) + lag:
        estimate = update_estimate(shares, estimate, state.levels[0], share, now)
    levels = (*state.levels, now)[-lag:]
    return replace(state, estimate=estimate, busy_ticks=busy_ticks, levels=levels)


def _take_step(shares: Shares, state: HostState, levels: Sequence[float]) -> HostState:
    had_ppm = [now_ppm for now_ppm, _ in _served_grants(shares, state)]
    asking = [
        _request_share(shares, at, *each)
        for at, each in enumerate(zip(state.machines, levels, had_ppm, strict=True))
    ]
    requested_ppm = [ppm for _, ppm in asking]
    stepped = replace(
        state,
        granted_ppm=granted_shares(shares, requested_ppm),
        granted_before_ppm=state.granted_ppm,
    )
    given = [now_ppm for now_ppm, _ in _served_grants(shares, stepped)]
    machines = tuple(
        replace(one, short_steps=_short_steps(shares, one, wanted, got))
        for (one, wanted), got in zip(asking, given, strict=True)
    )
    return replace(stepped, machines=machines)


def _request_share(
    shares: Shares, at: int, state: MachineState, now: float, had_ppm: int
) -> tuple[MachineState, int]:
    """The machine after a step, without its shortage, and the share that it requests [ppm]."""
    ran_out = state.busy_ticks < full_ticks(shares)
    counted, share = max(now, 1.0) if ran_out else now, had_ppm / PPM
    cap = next_cap(shares, shares.served_machines[at], state.cap, _at_step(state, counted, had_ppm))
    begins = cap.mode is CapMode.TRIAL and state.cap.mode is CapMode.FREE
    estimate = _first_estimate(shares, at) if begins else state.estimate
    error = 0.0 if ran_out else model_error(estimate, state.before, now, share)
    stepped = replace(state, estimate=estimate, cap=cap, before=counted, missed=error)
    if cap.mode is not CapMode.FREE:
        return stepped, cap.cap_ppm
    if ran_out:
        needed = (1.0 - estimate.believed_a) / estimate.believed_b
        return stepped, limited_ppm(shares, min(share, needed))
    lasting = common_error(error, state.missed)
    requested = requested_share(shares, estimate, state.before, now, share, lasting)
    return stepped, limited_ppm(shares, requested)


def _at_step(state: MachineState, level: float, had_ppm: int) -> MachineAtStep:
    is_met = level >= 1.0 and state.before is not None and state.before >= 1.0
    return MachineAtStep(level, had_ppm, is_met=is_met, is_short=state.short_steps > 0)


def _short_steps(shares: Shares, state: MachineState, wanted: int, got: int) -> int:
    """`short_steps` of a machine after this step, whose level is its `before`.

    A trial, and what follows it, does not end a shortage.
    """
    is_below = state.before is not None and state.before < 1.0
    if is_below and (got < wanted or got == shares.host_ppm):
        return state.short_steps + 1
    return state.short_steps if is_below and state.cap.is_tested else 0


def _limit_to_host(shares: Shares, requested_ppm: Sequence[int]) -> list[int]:
    """The requests, reduced in proportion if they exceed the host, but not below the least share.

    A machine whose part would be below the least share gets that, and the others share the rest.
    """
    if sum(requested_ppm) <= shares.host_ppm:
        return list(requested_ppm)
    at_least: set[int] = set()
    while True:
        rest_ppm = shares.host_ppm - shares.least_ppm * len(at_least)
        among = sum(ppm for at, ppm in enumerate(requested_ppm) if at not in at_least)
        parts = [
            shares.least_ppm if at in at_least else ppm * rest_ppm // among
            for at, ppm in enumerate(requested_ppm)
        ]
        below = {at for at, part in enumerate(parts) if part < shares.least_ppm}
        if not below:
            return parts
        at_least |= below
