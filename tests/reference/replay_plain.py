"""The replay of a ladder on one server, event by event, in exact fractions; slow and obvious.

Every tick of every request is an event here and every decision asks the form's own look-up, so
this shares nothing with the compiled engine but the meaning.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

from tailc.forms.ladder.lookup import Start, lookup
from tailc.forms.ladder.table import Ladder

PPM = 1_000_000


@dataclass
class Request:
    number: int
    arrival_ns: int
    work_ns: int
    speed: list[Fraction]
    left: Fraction = Fraction(0)
    start_ns: int | None = None
    exit_ns: int | None = None
    rung: int = 0
    boosted: bool = False
    is_released: bool = False
    thread_ppm_ns: int = 0


@dataclass
class Server:
    ladder: Ladder
    unit: int
    now: int = 0
    requests: list[Request] = field(default_factory=list)

    @property
    def in_system(self) -> list[Request]:
        return [r for r in self.requests if r.arrival_ns <= self.now and r.exit_ns is None]


def replay_plain(ladder: Ladder, unit: int, requests: list[Request]) -> list[Request]:
    """Run all `requests` (in order of arrival) to their exits; times in whole nanoseconds."""
    arrived: list[Request] = []
    coming = list(requests)
    now = 0
    while coming or any(r.exit_ns is None for r in arrived):
        running = [r for r in arrived if r.start_ns is not None and r.exit_ns is None]
        waiting = [r for r in arrived if r.start_ns is None]
        speeds = {r.number: _progress(ladder, unit, r, running) for r in running}
        times = [coming[0].arrival_ns] if coming else []
        times += [now + ceil(r.left / speeds[r.number]) for r in running if speeds[r.number]]
        times += [_next_tick(ladder, r, now) for r in running]
        times += _starts(ladder, waiting, running, now, arrived)
        then = min(times)
        for r in running:
            r.left -= speeds[r.number] * (then - now)
            r.thread_ppm_ns += ladder.rungs[r.rung].cost_ppm[unit] * (then - now)
        now = then
        _exits(ladder, arrived, now)
        while coming and coming[0].arrival_ns == now:
            arrived.append(coming.pop(0))
        _start_waiters(ladder, arrived, now)
        for r in arrived:
            if r.start_ns is not None and r.exit_ns is None and _is_tick(ladder, r, now):
                _tick(ladder, unit, r, arrived, now)
    return requests


def _load(arrived: list[Request]) -> int:
    return sum(r.exit_ns is None for r in arrived)


def _progress(ladder: Ladder, unit: int, request: Request, running: list[Request]) -> Fraction:
    """Work done per ns: the rung's speed times the share of a core that each thread has."""
    capacity = ladder.cost_units[unit].capacity_ppm
    share = Fraction(1)
    if capacity is not None:
        boosted = sum(ladder.rungs[r.rung].cost_ppm[unit] for r in running if r.boosted)
        others = sum(ladder.rungs[r.rung].cost_ppm[unit] for r in running if not r.boosted)
        supply, wanted = (
            (capacity, boosted) if request.boosted else (max(capacity - boosted, 0), others)
        )
        if wanted > supply:
            share = Fraction(supply, wanted)
    return share * request.speed[request.rung]


def _next_tick(ladder: Ladder, request: Request, now: int) -> int:
    quantum = ladder.quantum_us * 1000
    return request.start_ns + ((now - request.start_ns) // quantum + 1) * quantum


def _is_tick(ladder: Ladder, request: Request, now: int) -> bool:
    executed = now - request.start_ns
    return executed > 0 and executed % (ladder.quantum_us * 1000) == 0


def _starts(
    ladder: Ladder, waiting: list[Request], running: list[Request], now: int, arrived: list[Request]
) -> list[int]:
    """When each waiter whose delay ends would start."""
    row_says = [lookup(ladder, _load(arrived), 0, 0) for _ in waiting]
    return [
        r.arrival_ns + says.wait_us * 1000
        for r, says in zip(waiting, row_says, strict=True)
        if says.start is Start.WAIT and r.arrival_ns + says.wait_us * 1000 > now
    ]


def _exits(ladder: Ladder, arrived: list[Request], now: int) -> None:
    for r in arrived:
        if r.start_ns is not None and r.exit_ns is None and r.left <= 0:
            waiters_hold = lookup(ladder, _load(arrived), 0, 0).start is Start.ON_EXIT
            r.exit_ns = now
            queue = [w for w in arrived if w.start_ns is None and not w.is_released]
            if waiters_hold and queue:
                queue[0].is_released = True


def _start_waiters(ladder: Ladder, arrived: list[Request], now: int) -> None:
    for r in [w for w in arrived if w.start_ns is None]:
        says = lookup(ladder, _load(arrived), 0, 0)
        nothing_runs = not any(o.start_ns is not None and o.exit_ns is None for o in arrived)
        may_start = (
            r.is_released
            or (says.start is Start.ON_EXIT and nothing_runs)
            or (says.start is not Start.ON_EXIT and r.arrival_ns + says.wait_us * 1000 <= now)
        )
        if may_start:
            r.start_ns = now
            r.left = Fraction(r.work_ns)
            waited_us = (now - r.arrival_ns) // 1000
            r.rung = lookup(ladder, _load(arrived), waited_us, 0).rung


def _tick(ladder: Ladder, unit: int, r: Request, arrived: list[Request], now: int) -> None:
    waited_us = (r.start_ns - r.arrival_ns) // 1000
    rung = lookup(ladder, _load(arrived), waited_us, (now - r.start_ns) // 1000).rung
    if rung <= r.rung:
        return
    r.rung = rung
    if ladder.boost is not None and rung == len(ladder.rungs) - 1:
        running = [o for o in arrived if o.boosted and o.exit_ns is None]
        taken = sum(ladder.rungs[o.rung].cost_ppm[unit] for o in running)
        r.boosted = taken + ladder.rungs[rung].cost_ppm[unit] < ladder.boost.below_ppm
