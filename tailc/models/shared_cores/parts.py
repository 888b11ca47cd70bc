"""Threads, speed and work in the serial beginning, middle and serial end of a request; compiled.

Without serial parts `has_parts` is a constant of the loop, and the whole request is its middle.
"""

from __future__ import annotations

from tailc.models.kernel_decorators import part
from tailc.models.pools import PPM

START, MIDDLE, END = range(3)


@part  # pragma: no cover - compiled
def threads_of(job, state, table):
    """Threads that a job uses [1e-6]: those of its rung, but at most one in a serial part."""
    threads = table.threads_ppm[job.rung]
    return min(threads, PPM) if _is_serial(job, state) else threads


@part  # pragma: no cover - compiled
def speed_of(job, rung, state, demand):
    """Work that a part of a request does on a rung in a nanosecond, with a core for each thread."""
    if _is_serial(job, state):
        return 1.0
    request = job.request
    speed = demand.speed[demand.curve[request], rung]
    if not state.has_parts:
        return speed
    # It takes what the whole request takes at its speed, less the serial parts.
    serial = demand.serial.start_ns[request] + demand.serial.end_ns[request]
    return _work_of(MIDDLE, request, demand) / max(demand.work_ns[request] / speed - serial, 1.0)


@part  # pragma: no cover - compiled
def begin(job, number, state, demand):
    """Begin the first part of a request with work, from part `number` on; return its work or 0."""
    if not state.has_parts:
        return float(demand.work_ns[job.request])
    while number <= END:
        work = _work_of(number, job.request, demand)
        if work > 0:
            state.part[job.request] = number
            return float(work)
        number += 1
    return 0.0


@part  # pragma: no cover - compiled
def work_after(job, state, demand):
    """Work of the parts (serial or parallel) of a request that have not begun [ns at speed 1]."""
    work = 0
    if state.has_parts:
        for number in range(state.part[job.request] + 1, END + 1):
            work += _work_of(number, job.request, demand)
    return work


@part  # pragma: no cover - compiled
def _is_serial(job, state):
    return state.has_parts and state.part[job.request] != MIDDLE


@part  # pragma: no cover - compiled
def _work_of(number, request, demand):
    start, end = demand.serial.start_ns[request], demand.serial.end_ns[request]
    if number == START:
        return start
    return end if number == END else demand.work_ns[request] - start - end
