"""An arrival in a compiled replay, whatever the server: it counts, and may begin a phase."""

from __future__ import annotations

from tailc.models.compiled import part
from tailc.models.integrals import DRAIN, FIRST_HALF, SECOND_HALF


@part  # pragma: no cover - compiled
def arrive(server, requests, measured_from):
    """One request more; request number `measured_from` begins the first half of what is measured,
    the one half-way to the end the second, and after the last the server drains.
    """
    if server.arrived == measured_from:
        server.phase = FIRST_HALF
    if server.arrived == measured_from + (requests - measured_from) // 2:
        server.phase = SECOND_HALF
    server.arrived += 1
    server.in_system += 1
    if server.arrived == requests:
        server.phase = DRAIN
