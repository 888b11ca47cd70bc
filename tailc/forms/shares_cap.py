"""Caps of machines whose throughput does not follow their share.

A machine that has too little work, or has stopped, stays below its target with any share, and would
get most of the host. At each step it is in one of four modes:

- FREE: no cap. A trial begins after `steps` consecutive steps in which the machine was below its
  target, was short at the step before, and had more than the headroom above the share that its
  first model needs for its throughput.
- TRIAL: a cap of its mean share before, divided by 1 + headroom. If its throughput falls with its
  share, it is free, and no trial begins for `probe_steps` steps; else it is capped.
- CAPPED: a cap of the share that its first model needs for its throughput, plus the headroom, but
  no more than the share for its target. After `probe_steps` steps a probe begins.
- PROBE: a cap that is 1 + headroom times as large, and at least the share for its target divided by
  that. If its throughput rises with its share, it is free, as after a trial; else it is capped
  again.

Throughput follows the share if it changes by more than half of a change proportional to the share.
Throughput and share are means over the steps of a mode. The first steps, until a window has only
throughput under the new share, do not count. A machine that meets its target at two consecutive
steps is free.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from tailc.forms.shares import PPM, Machine, ShareCap, Shares


class CapMode(enum.IntEnum):
    """Mode of a machine's share cap in the shares controller.

    It is no cap, a test of one, a cap, or a test of a larger cap.
    """

    FREE = 0
    TRIAL = 1
    CAPPED = 2
    PROBE = 3


@dataclass(frozen=True)
class CapState:
    """State of a machine's share cap, with measurements for the next decision.

    cap_ppm: share to request [1e-6]; the whole host if the control law decides. mode: see
    `CapMode`. count: number of steps measured in this mode; negative before the first. levels,
    shares_ppm: sums of the throughput over the target, and of the share, over these steps. level,
    share: means of both over the steps of the previous mode.
    """

    cap_ppm: int
    mode: CapMode = CapMode.FREE
    count: int = 0
    levels: float = 0.0
    shares_ppm: int = 0
    level: float = 0.0
    share: float = 0.0

    @property
    def is_tested(self) -> bool:
        """Whether a test of the machine with another share runs, or has just ended."""
        return self.mode is CapMode.TRIAL or self.count < 0


@dataclass(frozen=True)
class MachineAtStep:
    """Measurements of a machine at one step of the shares controller, for its cap.

    level: throughput over the target. had_ppm: share during the step [1e-6]. is_met: whether the
    machine reaches its target at this step and the last. is_short: whether it had less than the
    requested share at the last step, and is below its target.
    """

    level: float
    had_ppm: int
    is_met: bool
    is_short: bool


def next_cap(shares: Shares, machine: Machine, state: CapState, now: MachineAtStep) -> CapState:
    """Decide whether and at which share a machine is capped from this step on.

    state: the cap so far. now: measurements of the machine at this step.
    """
    rule = shares.cap
    if rule is None or now.is_met:
        return CapState(shares.host_ppm)
    if state.count < 0:
        return replace(state, count=state.count + 1)
    if state.mode is CapMode.FREE and not _has_too_much(shares, rule, machine, now):
        return CapState(shares.host_ppm)
    state = replace(
        state,
        count=state.count + 1,
        levels=state.levels + now.level,
        shares_ppm=state.shares_ppm + now.had_ppm,
    )
    lasts = rule.probe_steps if state.mode is CapMode.CAPPED else rule.steps
    return state if state.count < lasts else _next_mode(shares, rule, machine, state)


def _has_too_much(shares: Shares, rule: ShareCap, machine: Machine, now: MachineAtStep) -> bool:
    """Whether a machine is short although its share was more than its first model needs."""
    is_below = now.is_short and now.level < 1.0
    return is_below and now.had_ppm > with_headroom_ppm(shares, rule, machine, now.level)


def _next_mode(shares: Shares, rule: ShareCap, machine: Machine, state: CapState) -> CapState:
    """The mode after one that has ended."""
    level = state.levels / state.count
    share = state.shares_ppm / (state.count * PPM)
    factor_ppm = PPM + rule.headroom_ppm
    target_ppm = limited_ppm(shares, first_need(machine))
    if state.mode is CapMode.FREE:
        mode = CapMode.TRIAL
        trial_ppm = state.shares_ppm * PPM // (state.count * factor_ppm)
        cap_ppm = max(trial_ppm, shares.least_ppm)
    elif state.mode is CapMode.CAPPED:
        mode = CapMode.PROBE
        part_ppm = target_ppm * PPM // factor_ppm
        cap_ppm = min(max(state.cap_ppm * factor_ppm // PPM, part_ppm), shares.host_ppm)
    else:
        now, before = (level, share), (state.level, state.share)
        low, high = (now, before) if state.mode is CapMode.TRIAL else (before, now)
        if follows_share(*low, *high):
            return CapState(shares.host_ppm, count=-rule.probe_steps)
        mode = CapMode.CAPPED
        cap_ppm = min(with_headroom_ppm(shares, rule, machine, level), target_ppm)
    return CapState(cap_ppm, mode, -steps_to_settle(shares), level=level, share=share)


def follows_share(low_level: float, low_share: float, high_level: float, high_share: float) -> bool:
    """Whether the throughput of a machine follows its CPU share.

    It does if it changes by more than half of a change proportional to the share.
    """
    return low_level * high_share < high_level * (0.5 * (low_share + high_share))


def with_headroom_ppm(shares: Shares, rule: ShareCap, machine: Machine, level: float) -> int:
    """CPU share for `level` times a machine's target by its first model, plus headroom [1e-6].

    The headroom is that of `rule`; the result is within the limits of a share.
    """
    factor = (PPM + rule.headroom_ppm) / PPM
    return limited_ppm(shares, factor * (level * first_need(machine)))


def first_need(machine: Machine) -> float:
    """CPU share with which a machine meets its target by the first model of its throughput.

    A fraction of the host; it may exceed 1.
    """
    a, b = machine.first_a_ppm / PPM, machine.first_b_milli / (machine.target_milli or 0)
    return (1.0 - a) / b


def steps_to_settle(shares: Shares) -> int:
    """Number of steps after which measured throughput depends on the present CPU share alone."""
    return -(-shares.window_us // shares.step_us) - 1


def limited_ppm(shares: Shares, requested: float) -> int:
    """Limit a requested share to what one machine may have; rounded down to millionths."""
    ppm = requested * PPM
    if ppm >= shares.host_ppm:
        return shares.host_ppm
    return int(ppm) if ppm > shares.least_ppm else shares.least_ppm
