"""One step of a controller, reactive rule or look-up in a replay of core types; compiled.

Measurements and the controller's law are in `tailc.models.control_law`.
"""

from __future__ import annotations

from tailc.forms.controller import LARGEST_AGE_US, LARGEST_ERROR_US
from tailc.models.control_law import (
    ends_epoch,
    log_step,
    measured_rate_mrps,
    measured_tail_us,
    step_controller,
    take_given_output,
)
from tailc.models.core_types.arrays import NEVER_US
from tailc.models.kernel_decorators import loop, once
from tailc.models.outcome import NS_PER_US
from tailc.models.pools import NEVER_NS, PPM
from tailc.models.steering import (
    CONTROLLED,
    FIRST_RATE,
    GIVEN,
    LOOKED_UP,
    REACTIVE,
    SETTING_CORES,
    SETTING_RUNG,
    UNSTEERED,
)


@once  # pragma: no cover - compiled
def complete(state, table, latency_ns, log):
    """Count a completed request; at the end of a control epoch, change the climb ages.

    table: ladders as arrays. latency_ns: latency of the request. Returns whether the ages have
    changed.
    """
    if table.steer.law == UNSTEERED:
        return False
    if table.steer.law == LOOKED_UP:
        ends = _is_time_to_look_up(state.server, table.steer)
    else:
        ends = ends_epoch(state, table.steer, latency_ns)
    if ends:
        _step(state, table, log.steps)
    return ends


@once  # pragma: no cover - compiled
def _is_time_to_look_up(server, steer):
    is_late = server.now - server.stepped_at >= steer.period_ns
    return is_late and server.arrived - server.arrived_by_step >= steer.epoch


@loop  # pragma: no cover - compiled
def _step(state, table, steps):
    server = state.server
    rate_mrps = measured_rate_mrps(server)
    measured_us = 0
    if table.steer.law == LOOKED_UP:
        _look_up(state, table, rate_mrps)
    else:
        measured_us = measured_tail_us(state, table.steer)
    if table.steer.law == CONTROLLED:
        step_controller(server, table.steer, measured_us, rate_mrps)
    elif table.steer.law == GIVEN:
        take_given_output(server, table.steer)
    elif table.steer.law == REACTIVE:
        _react(state, table, measured_us)
    log_step(server, steps, measured_us, rate_mrps)
    scale(state, table)


@once  # pragma: no cover - compiled
def _look_up(state, table, rate_mrps):
    """Apply the setting for a rate."""
    server, settings = state.server, table.steer.settings
    chosen = 0
    while chosen + 1 < len(settings) and settings[chosen + 1, FIRST_RATE] <= rate_mrps:
        chosen += 1
    for row in range(state.age_us.shape[0]):
        for rung in range(state.age_us.shape[1]):
            is_wanted = rung <= settings[chosen, SETTING_RUNG]
            state.age_us[row, rung] = 0 if is_wanted else NEVER_US
    server.off_ppm = 0
    for unit in range(len(state.on)):
        more = settings[chosen, SETTING_CORES + unit] - state.on[unit]
        state.on[unit] += more
        state.free[unit] += more
        off = table.cores[unit] - state.on[unit] + min(state.free[unit], 0)
        server.off_ppm += off * table.idle_ppm[unit]


@loop  # pragma: no cover - compiled
def scale(state, table):
    """Multiply the climb ages of all rows of the ladders by the controller's output."""
    is_scaled = table.steer.law in (CONTROLLED, GIVEN)
    for row in range(state.age_us.shape[0]):
        reached_ns = NEVER_NS
        # A reactive rule may put a later threshold before an earlier one. Then the later rung
        # counts.
        for rung in range(state.age_us.shape[1] - 1, -1, -1):
            age_us = state.age_us[row, rung]
            if age_us < NEVER_US:
                if is_scaled:
                    age_us = age_us * state.server.output_ppm // PPM
                reached_ns = min(reached_ns, age_us * NS_PER_US)
            state.reach_ns[row, rung] = reached_ns


@once  # pragma: no cover - compiled
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


@once  # pragma: no cover - compiled
def _movable(age_us, first_us, error):
    """The rung whose threshold moves, or 0 if none can."""
    movable = 0
    last = len(age_us) - 1  # beyond the last rung, which is never reached
    if error > 0:
        for rung in range(last - 1, 0, -1):
            if 0 < age_us[rung] < NEVER_US:
                movable = rung
    elif error < 0:
        for rung in range(1, last):
            below_first = rung == 1 or age_us[rung] < first_us[rung]
            if below_first and age_us[rung] < NEVER_US:
                movable = rung
    return movable
