"""Count an arrival in a compiled replay, and start the phase that begins with it."""

from __future__ import annotations

from tailc.models.integrals import DRAIN, FIRST_HALF, SECOND_HALF
from tailc.models.kernel_decorators import part


@part  # pragma: no cover - compiled
def arrive(server, requests, measured_from):
    """Count one arrival of a replay; if it is the first of a phase, start that phase.

    The phases are: before request `measured_from`, the first and the second half of the measured
    requests, and the time after the last arrival, in which the server drains.
    """
    if server.arrived == measured_from:
        server.phase = FIRST_HALF
    if server.arrived == measured_from + (requests - measured_from) // 2:
        server.phase = SECOND_HALF
    server.arrived += 1
    server.in_system += 1
    if server.arrived == requests:
        server.phase = DRAIN
