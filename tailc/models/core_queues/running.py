"""Progress, power and level of a core while time passes; compiled."""

from __future__ import annotations

import numpy as np

from tailc.models.core_queues.chip import NOTHING
from tailc.models.kernel_decorators import once

_MW_PER_W = 1000


@once  # pragma: no cover - compiled
def work(now, core):
    """Add the work done since its last update to the progress of a core's running request.

    now: time of the replay [ns].
    """
    if now > core.works_from:
        core.left -= (now - core.works_from) * core.rate
        core.works_from = now


@once  # pragma: no cover - compiled
def set_clock(level, core, server, table):
    """Change a core's frequency level or put it to sleep; return the energy of the change [nJ].

    The core halts, unless it sleeps before or after: a waking core sets its clock meanwhile.
    """
    is_awake = NOTHING not in (level, core.clock)
    core.clock = level
    core.halted_until = server.now + table.halt_ns if is_awake else np.int64(0)
    return table.change_nj if is_awake else 0


@once  # pragma: no cover - compiled
def account(number, state, table, log):
    """Add a core's energy and time at its frequency level since the last call to the log.

    number: number of the core.
    """
    server, core = state.server, state.cores[number]
    passed = float(server.now - core.since)
    if core.held > 0:
        energy = passed * table.power_mw[core.level] / _MW_PER_W
        log.energy[core.request] += energy
        log.power[server.phase] += energy
        log.level_ns[server.phase, core.level] += passed
    else:
        if core.level != NOTHING:
            log.batch_ns[server.phase, number, core.level] += passed
        if core.halted_until > core.since:
            log.idle_halted_ns[server.phase] += min(core.halted_until, server.now) - core.since
    core.since = server.now


@once  # pragma: no cover - compiled
def run_at(level, number, state, demand, table, log):
    """Set the frequency level of a core that runs a request, unless it already has that level.

    A request that begins always sets it. number: number of the core.
    """
    server, core = state.server, state.cores[number]
    if level == core.level and core.rate > 0:
        return
    if server.now > core.since:
        account(number, state, table, log)
    if level != core.clock:
        changed = set_clock(level, core, server, table)
        log.energy[core.request] += changed
        log.power[server.phase] += changed
    core.works_from = max(core.works_from, core.halted_until)
    core.level = level
    core.rate = demand.clocked.rate[demand.record[core.request], level]
    core.exit_at = core.works_from + (core.left + core.rate - 1) // core.rate
