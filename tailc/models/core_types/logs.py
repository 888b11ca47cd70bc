"""Write the log of a replay of core types as time passes and requests leave; compiled."""

from __future__ import annotations

from tailc.models.integrals import BUSY, IN_SYSTEM, NO_REQUEST, POOL_COLUMNS, SPAN, THREADS
from tailc.models.kernel_decorators import once, part
from tailc.models.pools import PPM


@once  # pragma: no cover - compiled
def wait_until(upcoming, state, log):
    """Advance the clock to the next event, and add to the time integrals of the log."""
    server = state.server
    if upcoming == server.now:
        return
    # A float: nanoseconds times millionths exceed 64 bits within minutes.
    passed = float(upcoming - server.now)
    sums = log.integrals[server.phase]
    sums[SPAN] += passed
    sums[IN_SYSTEM] += passed * server.in_system
    for unit in range(len(state.free)):
        held_ppm = passed * PPM * (state.on[unit] - state.free[unit])
        sums[THREADS + unit * POOL_COLUMNS] += held_ppm
        sums[BUSY + unit * POOL_COLUMNS] += held_ppm
    if server.off_ppm > 0:
        log.off[server.phase] += passed * server.off_ppm / PPM
    log.power[server.phase] += passed * server.power_ppm / PPM
    server.now = upcoming
    server.ticked = NO_REQUEST


@part  # pragma: no cover - compiled
def log_energy(now, job, table, log):
    """Add to the log the energy that a request has used since it moved to its rung."""
    log.energy[job.request] += float(now - job.since) * table.power_ppm[job.rung] / PPM


@part  # pragma: no cover - compiled
def log_waking(where, state, job, log):
    """Log the time that batch work next to a request's core has been waking up until now.

    where: BESIDE_FREE or BESIDE_REQUEST, whether the core was free or had a request. job: the
    request.
    """
    now = state.server.now
    log.waking[state.server.phase, where] += max(min(now, job.batch_from) - job.since, 0)


@once  # pragma: no cover - compiled
def give_up(state, demand, table, log):
    """Log the age of each remaining request as its latency, when a replay stops early.

    It is also logged as the wait of a request that has not begun.
    """
    server = state.server
    for place in range(server.running):
        job = state.jobs[state.order[place]]
        log.latency_ns[job.request] = server.now - demand.arrival_ns[job.request]
        log.rung[job.request] = job.rung
        log.thread_ns[job.request] = server.now - job.begun
        log_energy(server.now, job, table, log)
    for request in range(server.started, server.arrived):
        log.latency_ns[request] = server.now - demand.arrival_ns[request]
        log.wait_ns[request] = log.latency_ns[request]
