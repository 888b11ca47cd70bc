"""Cap the share of machines whose throughput does not grow with it; compiled.

Computes the same as `tailc.forms.shares_cap`, operation by operation, on arrays with an entry for
each machine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.models.kernel_decorators import loop, part

MILLION = 1_000_000
FREE, TRIAL, CAPPED, PROBE = range(4)


class CapSettings(NamedTuple):
    """Limits of CPU shares, and the conditions for capping a machine.

    least_ppm, host_ppm: least and largest share [1e-6]. steps: number of steps of each comparison;
    0 without caps. probe_steps: steps of a cap until it is tested. factor_ppm: cap over the share
    that the machine uses [1e-6]. settling: steps to leave out after a change of share.
    """

    least_ppm: int
    host_ppm: int
    steps: int
    probe_steps: int
    factor_ppm: int
    settling: int


class Caps(NamedTuple):
    """The share caps of all machines as arrays for compiled code, (machines,) each; see `CapState`.

    Attributes:
        need: share that the machine needs for its target, as a fraction of the host.
        mode: mode of the cap, such as none or under test.
        ppm: the cap [1e-6]; the whole host without one.
        counted: number of steps measured in this mode; negative before the first.
        levels, shares_ppm: sums over these steps of the throughput over the target, and of the
            share.
        level, share: means of both over the steps of the previous mode.
    """

    need: NDArray
    mode: NDArray
    ppm: NDArray
    counted: NDArray
    levels: NDArray
    shares_ppm: NDArray
    level: NDArray
    share: NDArray


def first_caps(settings: CapSettings, need: NDArray) -> Caps:
    """Make the state of all machines' share caps before the first step: no machine has a cap.

    need: share of each machine for its target, as a fraction of the host.
    """
    machines = len(need)
    host_ppm = np.full(machines, settings.host_ppm, np.int64)
    mode, counted, shares_ppm = (np.zeros(machines, np.int64) for _ in range(3))
    levels, level, share = (np.zeros(machines) for _ in range(3))
    return Caps(need, mode, host_ppm, counted, levels, shares_ppm, level, share)


@loop
def requested_ppm(settings, request):  # pragma: no cover - compiled
    """Convert a requested share to whole millionths, between the least share and the host."""
    ppm = request * MILLION
    if ppm >= settings.host_ppm:
        return settings.host_ppm
    return int(ppm) if ppm > settings.least_ppm else settings.least_ppm


@part
def is_tested(caps, i):  # pragma: no cover - compiled
    """Whether machine number `i` is in a test with another share, or has just left one."""
    return caps.mode[i] == TRIAL or caps.counted[i] < 0


@part
def start_mode(caps, i, mode, ppm, count):  # pragma: no cover - compiled
    """Set the mode and the cap [1e-6] of machine number `i`.

    count: first value of its step count; negative for steps that are not measured.
    """
    caps.mode[i], caps.ppm[i], caps.counted[i] = mode, ppm, count
    caps.levels[i], caps.shares_ppm[i] = 0.0, 0


@part
def with_headroom(settings, need, level):  # pragma: no cover - compiled
    """Share that gives a machine `level` times its target, plus headroom, within the limits [1e-6].

    need: share for the target, as a fraction of the host.
    """
    return requested_ppm(settings, settings.factor_ppm / MILLION * (level * need))


@part
def follows(low_level, low_share, high_level, high_share):  # pragma: no cover - compiled
    """Whether the throughput of a machine grows with its share, from measurements at two shares.

    It does if throughput grows by more than half of what proportionality to the share gives.
    """
    return low_level * high_share < high_level * (0.5 * (low_share + high_share))


@part
def change_cap(settings, caps, i, level, had_ppm, is_met, is_short):  # pragma: no cover - compiled
    """Update the share cap of machine number `i` after a step; return whether a test begins.

    A test gives the machine another share for some steps. level: throughput over the target.
    had_ppm: share in the step. is_met: whether the target is met. is_short: whether it is out of
    reach.
    """
    is_low = is_short and level < 1.0
    if is_met:
        start_mode(caps, i, FREE, settings.host_ppm, 0)
        return False
    if caps.counted[i] < 0:
        caps.counted[i] += 1
        return False
    if caps.mode[i] == FREE and not (
        is_low and had_ppm > with_headroom(settings, caps.need[i], level)
    ):
        start_mode(caps, i, FREE, settings.host_ppm, 0)
        return False
    caps.counted[i] += 1
    caps.levels[i] += level
    caps.shares_ppm[i] += had_ppm
    lasts = settings.probe_steps if caps.mode[i] == CAPPED else settings.steps
    return caps.counted[i] >= lasts and start_next_mode(settings, caps, i)


@part
def start_next_mode(settings, caps, i):  # pragma: no cover - compiled
    """Start the mode that follows a mode of the share cap of machine number `i` that has ended.

    Returns whether the new mode is a test with another share.
    """
    level = caps.levels[i] / caps.counted[i]
    share = caps.shares_ppm[i] / (caps.counted[i] * MILLION)
    before_level, before_share = caps.level[i], caps.share[i]
    caps.level[i], caps.share[i] = level, share
    factor, target_ppm = settings.factor_ppm, requested_ppm(settings, caps.need[i])
    if caps.mode[i] == FREE:
        trial_ppm = caps.shares_ppm[i] * MILLION // (caps.counted[i] * factor)
        start_mode(caps, i, TRIAL, max(trial_ppm, settings.least_ppm), -settings.settling)
        return True
    if caps.mode[i] == CAPPED:
        probe_ppm = max(caps.ppm[i] * factor // MILLION, target_ppm * MILLION // factor)
        start_mode(caps, i, PROBE, min(probe_ppm, settings.host_ppm), -settings.settling)
        return False
    if caps.mode[i] == PROBE:
        is_following = follows(before_level, before_share, level, share)
    else:
        is_following = follows(level, share, before_level, before_share)
    if is_following:
        start_mode(caps, i, FREE, settings.host_ppm, -settings.probe_steps)
    else:
        cap_ppm = min(with_headroom(settings, caps.need[i], level), target_ppm)
        start_mode(caps, i, CAPPED, cap_ppm, -settings.settling)
    return False
