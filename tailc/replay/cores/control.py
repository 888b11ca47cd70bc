"""One step of what steers a replay, in whole numbers, and what it measures; compiled.

`_controlled` steps as `tailc.forms.controller.step` does, and the rate is its `arrival_rate_mrps`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tailc.forms.controller import LARGEST_AGE_US, LARGEST_ERROR_US
from tailc.replay.cores.state import (
    STEP_MEASURED_US,
    STEP_NS,
    STEP_OUTPUT_PPM,
    STEP_RATE_MRPS,
)
from tailc.replay.cores.steering import (
    CONTROLLED,
    FIRST_RATE,
    GIVEN,
    KD,
    KI,
    KP,
    UNSTEERED,
)
from tailc.replay.cores.table import NEVER_US
from tailc.replay.lowered import NS_PER_US
from tailc.replay.pools import NEVER_NS, PPM
from tailc.replay.streams import NS_PER_S_IN_MRPS

_HALF_US = NS_PER_US // 2
_US_PER_S_IN_MRPS = NS_PER_S_IN_MRPS // NS_PER_US

_kernel = njit(cache=True, nogil=True, _nrt=False)  # pyright: ignore[reportCallIssue] - not in its stubs
_part = njit(inline="always")


@_part  # pragma: no cover - compiled
def complete(state, table, latency_ns, log):
    """Count a completion; whether it ended an epoch, so that ages are others now."""
    if table.steer.law == UNSTEERED:
        return False
    server = state.server
    state.ring[server.completed % table.steer.window] = (latency_ns + _HALF_US) // NS_PER_US
    server.completed += 1
    if server.completed % table.steer.epoch != 0:
        return False
    _step(state, table, log.steps)
    return True


@_kernel  # pragma: no cover - compiled
def _step(state, table, steps):
    server = state.server
    measured_us = _measured_us(state, table.steer)
    elapsed_us = max((server.now - server.stepped_at) // NS_PER_US, 1)
    rate_mrps = (server.arrived - server.arrived_by_step) * _US_PER_S_IN_MRPS // elapsed_us
    if table.steer.law == CONTROLLED:
        _controlled(server, table.steer, measured_us, rate_mrps)
    elif table.steer.law == GIVEN:
        last = len(table.steer.outputs_ppm) - 1
        server.output_ppm = table.steer.outputs_ppm[min(server.steps + 1, last)]
    else:
        _react(state, table, measured_us)
    steps[server.steps, STEP_NS] = server.now
    steps[server.steps, STEP_MEASURED_US] = measured_us
    steps[server.steps, STEP_RATE_MRPS] = rate_mrps
    steps[server.steps, STEP_OUTPUT_PPM] = server.output_ppm
    server.steps += 1
    server.stepped_at = server.now
    server.arrived_by_step = server.arrived
    scale(state, table)


@_kernel  # pragma: no cover - compiled
def scale(state, table):
    """The ages of all rows, as the output scales them."""
    is_scaled = table.steer.law in (CONTROLLED, GIVEN)
    for row in range(state.age_us.shape[0]):
        reached_ns = NEVER_NS
        # A reactive rule may put a later threshold before an earlier one: it wins.
        for rung in range(state.age_us.shape[1] - 1, -1, -1):
            age_us = state.age_us[row, rung]
            if age_us < NEVER_US:
                if is_scaled:
                    age_us = age_us * state.server.output_ppm // PPM
                reached_ns = min(reached_ns, age_us * NS_PER_US)
            state.reach_ns[row, rung] = reached_ns


@_part  # pragma: no cover - compiled
def _controlled(server, steer, measured_us, rate_mrps):
    error = steer.target_us - measured_us
    error = max(min(error, LARGEST_ERROR_US), -LARGEST_ERROR_US)
    before = error if server.steps == 0 else server.error_us
    earlier = before if server.steps <= 1 else server.error_before_us
    row = 0
    while row + 1 < len(steer.gains) and steer.gains[row + 1, FIRST_RATE] <= rate_mrps:
        row += 1
    moved = steer.gains[row, KP] * (error - before) + steer.gains[row, KI] * error
    moved += steer.gains[row, KD] * (error - 2 * before + earlier)
    server.output = max(min(server.output + moved, steer.limits[1]), steer.limits[0])
    server.error_us = error
    server.error_before_us = before
    half = np.int64(1) << (steer.fraction_bits - 1)
    server.output_ppm = (server.output * PPM + half) >> steer.fraction_bits


@_part  # pragma: no cover - compiled
def _react(state, table, measured_us):
    """Move one threshold of every row."""
    error = min(measured_us - table.steer.target_us, LARGEST_ERROR_US)
    for row in range(state.age_us.shape[0]):
        rung = _movable(state.age_us[row], table.reach_us[row], error)
        if rung > 0:
            slow, fast = table.steer.climb_speed_ppm[rung, 0], table.steer.climb_speed_ppm[rung, 1]
            moved = fast * error // max(fast - slow, 1)
            most = LARGEST_AGE_US if rung == 1 else table.reach_us[row, rung]
            age_us = max(min(state.age_us[row, rung] - moved, most), 0)
            state.age_us[row, rung] = age_us


@_part  # pragma: no cover - compiled
def _movable(age_us, first_us, error):
    """The rung whose threshold moves, 0 if none can."""
    found = 0
    last = len(age_us) - 1  # beyond the last rung, which is never reached
    if error > 0:
        for rung in range(last - 1, 0, -1):
            if 0 < age_us[rung] < NEVER_US:
                found = rung
    elif error < 0:
        for rung in range(1, last):
            below_first = rung == 1 or age_us[rung] < first_us[rung]
            if below_first and age_us[rung] < NEVER_US:
                found = rung
    return found


@_part  # pragma: no cover - compiled
def _measured_us(state, steer):
    """The percentile of the latencies in the window, an order statistic."""
    held = min(state.server.completed, steer.window)
    for i in range(held):
        state.scratch[i] = state.ring[i]
    rank = -(-steer.percentile_ppm * held // PPM)
    return _selected(state.scratch, held, rank - 1)


@_kernel  # pragma: no cover - compiled
def _selected(values, count, place):
    """The value at a place, counted from 0 in ascending order (Hoare's selection)."""
    low, high = 0, count - 1
    while low < high:
        pivot = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if place <= j:
            high = j
        elif place >= i:
            low = i
        else:
            return values[place]
    return values[low]
