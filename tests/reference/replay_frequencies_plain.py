"""The replay of a tail table on cores with a clock each, in exact fractions; slow and obvious.

Every decision asks the form's own rule, and the controller is the form's own. It shares nothing
with the compiled engine but the meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor

from tailc.forms.controller import (
    Controller,
    ControlState,
    arrival_rate_mrps,
    first_state,
    output_ppm,
    step,
)
from tailc.forms.tail_table import Queued, TailTable, level_for

PPM = 1_000_000
KHZ_NS_PER_CYCLE = 1_000_000
# What is done of a request is told in so many parts.
PARTS = 2**20


@dataclass
class Request:
    number: int
    arrival_ns: int
    work_ns: int  # at the reference clock
    memory_ns: int
    core: int = 0
    done: Fraction = Fraction(0)  # share of the request
    start_ns: int | None = None
    exit_ns: int | None = None
    level: int = 0
    energy: Fraction = Fraction(0)  # mW ns


@dataclass
class Step:
    time_ns: int
    measured_us: int
    rate_mrps: int
    output_ppm: int


@dataclass
class Server:
    table: TailTable
    reference_khz: int
    controller: Controller | None = None
    choose: Callable[[Request], int] | None = None  # instead of the table
    now: int = 0
    queues: list[list[Request]] = field(default_factory=list)
    arrived: list[Request] = field(default_factory=list)
    latencies_ns: list[int] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    level_ns: list[int] = field(default_factory=list)
    idle_ns: int = 0
    scale_ppm: int = PPM
    state: ControlState | None = None
    arrived_before: int = 0

    def __post_init__(self) -> None:
        self.queues = [[] for _ in range(self.table.cores)]
        self.level_ns = [0] * len(self.table.levels)
        if self.controller is not None:
            self.state = first_state(self.controller)
            self.scale_ppm = output_ppm(self.controller, self.state)

    def cycles(self, request: Request) -> Fraction:
        compute_ns = request.work_ns - request.memory_ns
        return Fraction(compute_ns * self.reference_khz, KHZ_NS_PER_CYCLE)

    def whole_ns(self, request: Request) -> Fraction:
        """Alone at its level."""
        khz = self.table.levels[request.level].frequency_khz
        return self.cycles(request) * KHZ_NS_PER_CYCLE / khz + request.memory_ns

    def exit_at(self, request: Request) -> int:
        working_from = max(self.now, request.start_ns)
        return ceil(working_from + (1 - request.done) * self.whole_ns(request))

    def wait_until(self, later: int) -> None:
        for queue in self.queues:
            if not queue:
                self.idle_ns += later - self.now
                continue
            runs = queue[0]
            worked = max(later - max(self.now, runs.start_ns), 0)
            runs.done = min(runs.done + Fraction(worked) / self.whole_ns(runs), Fraction(1))
            runs.energy += (later - self.now) * self.table.levels[runs.level].power_mw
            self.level_ns[runs.level] += later - self.now
        self.now = later

    def decide(self, queue: list[Request]) -> None:
        runs = queue[0]
        if self.choose is not None:
            runs.level = self.choose(runs)
            return
        parts = floor(runs.done * PARTS)
        queued = Queued(
            tuple(self.now - r.arrival_ns for r in queue),
            floor(self.cycles(runs)) * parts // PARTS,
            runs.memory_ns * parts // PARTS,
        )
        runs.level = level_for(self.table, queued, self.scale_ppm)

    def enter(self, request: Request) -> None:
        queue = self.queues[request.core]
        self.arrived.append(request)
        queue.append(request)
        if len(queue) == 1:
            wakes = self.table.batch is None
            request.start_ns = self.now + (self.table.sleep.wake_ns if wakes else 0)
        self.decide(queue)

    def leave(self, queue: list[Request]) -> None:
        request = queue.pop(0)
        request.exit_ns = self.now
        self.latencies_ns.append(self.now - request.arrival_ns)
        if self.controller is not None:
            self.control(self.controller)
        if queue:
            queue[0].start_ns = self.now
            self.decide(queue)

    def control(self, controller: Controller) -> None:
        if len(self.latencies_ns) % controller.epoch_requests:
            return
        window = sorted(self.latencies_ns[-controller.window_requests :])
        at_ns = window[ceil(Fraction(controller.percentile_ppm, PPM) * len(window)) - 1]
        measured_us = (at_ns + 500) // 1000
        last_ns = self.steps[-1].time_ns if self.steps else 0
        new = len(self.arrived) - self.arrived_before
        rate = arrival_rate_mrps(new, (self.now - last_ns) // 1000)
        self.arrived_before = len(self.arrived)
        assert self.state is not None
        self.state = step(controller, self.state, measured_us, rate)
        self.scale_ppm = output_ppm(controller, self.state)
        self.steps.append(Step(self.now, measured_us, rate, self.scale_ppm))


def replay_frequencies_plain(server: Server, requests: list[Request]) -> Server:
    """Every request, in order of arrival, until the last has left."""
    coming = list(requests)
    while coming or any(server.queues):
        exits = [(server.exit_at(queue[0]), k) for k, queue in enumerate(server.queues) if queue]
        arrival_ns = coming[0].arrival_ns if coming else None
        if exits and (arrival_ns is None or min(exits)[0] <= arrival_ns):
            at_ns, core = min(exits)
            server.wait_until(at_ns)
            server.leave(server.queues[core])
        else:
            server.wait_until(arrival_ns)
            server.enter(coming.pop(0))
    return server
