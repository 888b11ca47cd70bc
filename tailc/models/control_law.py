"""One step of a feedback controller in a replay: measure tail and rate, set the output; compiled.

`step_controller` computes the same as `tailc.forms.controller.step`, and the rate is the same as
`arrival_rate_mrps` there. An engine's state has a `server` record with the fields used here, and
the arrays `ring` and `scratch`.
"""

from __future__ import annotations

import numpy as np

from tailc.forms.controller import LARGEST_ERROR_US
from tailc.models.kernel_decorators import loop, part
from tailc.models.outcome import NS_PER_US
from tailc.models.pools import PPM
from tailc.models.steering import FIRST_RATE, KD, KI, KP
from tailc.models.streams import NS_PER_S_IN_MRPS

# Columns of the log of steps.
STEP_NS, STEP_MEASURED_US, STEP_RATE_MRPS, STEP_OUTPUT_PPM = range(4)
STEP_COLUMNS = 4

_HALF_US = NS_PER_US // 2
_US_PER_S_IN_MRPS = NS_PER_S_IN_MRPS // NS_PER_US


@part  # pragma: no cover - compiled
def ends_epoch(state, steer, latency_ns):
    """Count a completed request with its latency; return whether it ends a control epoch."""
    server = state.server
    state.ring[server.completed % steer.window] = (latency_ns + _HALF_US) // NS_PER_US
    server.completed += 1
    return server.completed % steer.epoch == 0


@part  # pragma: no cover - compiled
def measured_tail_us(state, steer):
    """The tail that a controller measures: a percentile of the last latencies [us].

    steer: the percentile and the number of latencies in the window.
    """
    held = min(state.server.completed, steer.window)
    for i in range(held):
        state.scratch[i] = state.ring[i]
    rank = -(-steer.percentile_ppm * held // PPM)
    return _select(state.scratch, held, rank - 1)


@part  # pragma: no cover - compiled
def measured_rate_mrps(server):
    """Arrival rate since the last step of the controller [thousandths of a request per second]."""
    elapsed_us = max((server.now - server.stepped_at) // NS_PER_US, 1)
    return (server.arrived - server.arrived_by_step) * _US_PER_S_IN_MRPS // elapsed_us


@part  # pragma: no cover - compiled
def step_controller(server, steer, measured_us, rate_mrps):
    """Compute the next output of a PID controller from the measured percentile of latency.

    Updates `server`. steer: target, gains and limits. measured_us: the percentile [us]. rate_mrps:
    arrival rate, which selects the gains [1/1000 s].
    """
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


@part  # pragma: no cover - compiled
def take_given_output(server, steer):
    """Set the output of a feedback controller to the next one of a given sequence."""
    last = len(steer.outputs_ppm) - 1
    server.output_ppm = steer.outputs_ppm[min(server.steps + 1, last)]


@part  # pragma: no cover - compiled
def log_step(server, steps, measured_us, rate_mrps):
    """Log a control step and start the next control epoch.

    steps: log, (steps, 4). measured_us: measured percentile [us]. rate_mrps: arrival rate [1/1000
    s].
    """
    steps[server.steps, STEP_NS] = server.now
    steps[server.steps, STEP_MEASURED_US] = measured_us
    steps[server.steps, STEP_RATE_MRPS] = rate_mrps
    steps[server.steps, STEP_OUTPUT_PPM] = server.output_ppm
    server.steps += 1
    server.stepped_at = server.now
    server.arrived_by_step = server.arrived


@loop  # pragma: no cover - compiled
def _select(values, count, place):
    """The value at index `place` in ascending order (Hoare's selection)."""
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
