"""Drawn servers: requests that each core serves one after another, as the agent sees them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from random import Random

TICK_US = 1_000


@dataclass(frozen=True)
class Request:
    """Times in microseconds."""

    arrived_us: int
    started_us: int
    ended_us: int

    @property
    def waited_us(self) -> int:
        return self.started_us - self.arrived_us


Server = list[list[Request]]


def drawn_server(seed: int, cores: int, requests: int, mean_us: int) -> Server:
    """A core gets a request about as often as it can serve one."""
    rng = Random(seed)
    server: Server = []
    for _ in range(cores):
        own: list[Request] = []
        arrived_us = free_us = 0
        for _ in range(requests):
            arrived_us += 1 + int(rng.expovariate(1 / (1.3 * mean_us)))
            started_us = max(arrived_us, free_us)
            free_us = started_us + 1 + int(rng.expovariate(1 / mean_us))
            own.append(Request(arrived_us, started_us, free_us))
        server.append(own)
    return server


def ticks_of(server: Server) -> range:
    last_us = max(request.ended_us for own in server for request in own)
    return range(TICK_US, last_us + 2 * TICK_US, TICK_US)


def running_at(own: list[Request], now_us: int) -> Request | None:
    return next((one for one in own if one.started_us <= now_us < one.ended_us), None)


def waiting_at(own: list[Request], now_us: int) -> list[Request]:
    return [one for one in own if one.arrived_us <= now_us < one.started_us]


def in_system(server: Server, now_us: int) -> int:
    return sum(one.arrived_us <= now_us < one.ended_us for own in server for one in own)


def cycles_of(request: Request, now_us: int) -> int:
    return (now_us - request.started_us) * 700


def memory_ns_of(request: Request, now_us: int) -> int:
    return (now_us - request.started_us) * 300


COLUMNS = (
    *("time_us", "core", "started_us", "arrived_us", "waiting", "queue_us"),
    *("cycles", "memory_ns", "arrivals", "thread"),
)


def write_inputs(path: Path, server: Server) -> Path:
    """What the agent sees of the server at each tick."""
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(COLUMNS)
        for now_us in ticks_of(server):
            for core, own in enumerate(server):
                rows.writerow([now_us, core, *_cells(own, now_us), 100 + core])
    return path


def _cells(own: list[Request], now_us: int) -> list[object]:
    running, waiting = running_at(own, now_us), waiting_at(own, now_us)
    queue = " ".join(str(one.arrived_us) for one in waiting)
    arrivals = sum(one.arrived_us <= now_us for one in own)
    if running is None:
        return ["", "", len(waiting), queue, "", "", arrivals]
    return [
        *(running.started_us, running.arrived_us, len(waiting), queue),
        *(cycles_of(running, now_us), memory_ns_of(running, now_us), arrivals),
    ]


def without_repetitions(values: list[int]) -> list[int]:
    return [value for at, value in enumerate(values) if at == 0 or values[at - 1] != value]
