"""Events of servers, and what their schedules decide."""

from __future__ import annotations

from pathlib import Path
from random import Random

from closed_loop import Arrival, Server
from core_loop import CoreServer
from tailc_runtime.opening import open_any

COLUMNS = ("now_ns", "event", "request", "request_class", "work_ppm", "decisions")
# Requests a second, median work [ms]: each server is in overload for a part of the time.
LOADS = {
    "lucene": (70, 120),
    "arrival": (40, 60),
    "classes": (60, 90),
    "controller": (80, 120),
    "cores": (80, 120),
    "cores-lanes": (60, 80),
    "overload": (90, 150),
    "overload-arrival": (40, 100),
    "settings": (110, 120),
    "sharing": (80, 150),
    "sharing-arrival": (60, 120),
}
# Policies whose rungs are cores.
ON_CORES = ("controller", "cores", "cores-lanes")
WITH_CLASSES = ("classes", "controller")
REQUESTS, REQUESTS_ON_CORES = 150, 60
CAPACITY_PPM = 15_000_000
_SIGMA = 0.9
_NS_PER_S, _NS_PER_MS = 10**9, 10**6


def arrivals_of(name: str) -> list[Arrival]:
    """Arrivals of a Poisson process, with log-normal work; bursts at three times the rate."""
    rate, median_ms = LOADS[name]
    rng, now_ns, arrivals = Random(name), 0, []
    for number in range(REQUESTS_ON_CORES if name in ON_CORES else REQUESTS):
        burst = 3 if number // 25 % 2 else 1
        now_ns += int(rng.expovariate(rate * burst) * _NS_PER_S) + 1
        work_ns = int(rng.lognormvariate(0, _SIGMA) * median_ms * _NS_PER_MS) + 1
        request_class = rng.choice((None, "short")) if name in WITH_CLASSES else None
        arrivals.append((now_ns, request_class, work_ns))
    return arrivals


def rows_of_schedule(name: str, policy: Path) -> list[list[object]]:
    """What a server does with the policy in a file."""
    tables = open_any(policy)
    assert isinstance(tables, dict)
    server = CoreServer if name in ON_CORES else Server
    return [row.cells() for row in server(tables, CAPACITY_PPM, arrivals_of(name)).rows()]
