"""The replay of a tail table on cores with a clock each, in exact fractions; slow and obvious.

Every decision asks the form's own rule, and the controller is the form's own; a chip is kept within
its limit by the compiler's own steps. It shares nothing with the compiled engine but the meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor

from tailc_solvers.colocation.limit import BusyCore, within_limit

from tailc.forms.controller import (
    Controller,
    ControlState,
    arrival_rate_mrps,
    first_state,
    output_ppm,
    step,
)
from tailc.forms.tail_table import QueuedRequests, TailTable, level_for
from tailc.models.core_queues.chip import Chip

PPM = 1_000_000
KHZ_NS_PER_CYCLE = 1_000_000
# What is done of a request is told in so many parts.
PARTS = 2**20
NOTHING = -1


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
    asked: int = 0  # where a chip may grant less
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
    chip: Chip | None = None
    hardware: Callable[[int], list[int]] | None = None  # levels by which cores have requests
    every_ns: int = 0
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
    decided: int = 0
    last_levels: list[int] = field(default_factory=list)
    batch_level: list[int] = field(default_factory=list)
    batch_ns: list[list[int]] = field(default_factory=list)
    limited: str = "unchanged"
    limited_ns: dict[str, int] = field(default_factory=dict)
    clock: list[int] = field(default_factory=list)  # of each core, NOTHING where it sleeps
    halted_until: list[int] = field(default_factory=list)
    idle_halted_ns: int = 0
    idle_changes_nj: int = 0

    def __post_init__(self) -> None:
        self.last_levels = [0] * self.table.cores
        self.batch_level = [NOTHING] * self.table.cores
        self.batch_ns = [[0] * len(self.table.levels) for _ in range(self.table.cores)]
        self.clock = [self.resting_level()] * self.table.cores
        self.halted_until = [0] * self.table.cores
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

    def resting_level(self) -> int:
        """Of a core without requests, where it shares nothing."""
        if self.chip is not None or self.table.batch is None:
            return NOTHING
        khz = [level.frequency_khz for level in self.table.levels]
        return khz.index(self.table.batch.frequency_khz)

    def follow_levels(self) -> None:
        """Cores whose level has changed halt, unless they slept or go to sleep."""
        for core, queue in enumerate(self.queues):
            level = self.batch_level[core] if self.chip is not None else self.resting_level()
            if queue:
                level = queue[0].level
            before, self.clock[core] = self.clock[core], level
            if level == before or self.table.transition is None:
                continue
            if NOTHING in (level, before):
                self.halted_until[core] = self.now
                continue
            self.halted_until[core] = self.now + self.table.transition.halt_ns
            if queue:
                queue[0].energy += self.table.transition.energy_nj * 1_000
            else:
                self.idle_changes_nj += self.table.transition.energy_nj

    def works_from(self, request: Request) -> int:
        """The running request, from now on."""
        return max(self.now, request.start_ns, self.halted_until[request.core])

    def exit_at(self, request: Request) -> int:
        working_from = self.works_from(request)
        return ceil(working_from + (1 - request.done) * self.whole_ns(request))

    def wait_until(self, later: int) -> None:
        self.limited_ns[self.limited] = self.limited_ns.get(self.limited, 0) + later - self.now
        for core, queue in enumerate(self.queues):
            if not queue:
                self.idle_halted_ns += max(min(later, self.halted_until[core]) - self.now, 0)
                if self.batch_level[core] == NOTHING:
                    self.idle_ns += later - self.now
                else:
                    self.batch_ns[core][self.batch_level[core]] += later - self.now
                continue
            runs = queue[0]
            worked = max(later - self.works_from(runs), 0)
            runs.done = min(runs.done + Fraction(worked) / self.whole_ns(runs), Fraction(1))
            runs.energy += (later - self.now) * self.table.levels[runs.level].power_mw
            self.level_ns[runs.level] += later - self.now
        self.now = later

    def decide(self, queue: list[Request]) -> None:
        runs = queue[0]
        if self.choose is not None:
            runs.asked = runs.level = self.choose(runs)
            return
        parts = floor(runs.done * PARTS)
        queued = QueuedRequests(
            tuple(self.now - r.arrival_ns for r in queue),
            floor(self.cycles(runs)) * parts // PARTS,
            runs.memory_ns * parts // PARTS,
        )
        level = level_for(self.table, queued, self.scale_ppm)
        batch = self.chip.batch[runs.core] if self.chip is not None else None
        runs.asked = max(level, batch.least_level if batch is not None else 0)
        if self.chip is None:
            runs.level = runs.asked

    def enter(self, request: Request) -> None:
        queue = self.queues[request.core]
        self.arrived.append(request)
        queue.append(request)
        if len(queue) == 1:
            request.start_ns = self.now + self.takes_ns(request.core)
        self.decide(queue)

    def takes_ns(self, core: int) -> int:
        batch = self.chip.batch[core] if self.chip is not None else None
        if batch is not None:
            return batch.taking_over_ns
        sleeps = self.chip is not None or self.table.batch is None
        return self.table.sleep.wake_ns if sleeps else 0

    def settle(self) -> None:
        """All levels of a chip, after an event."""
        if self.chip is None:
            return
        granted = self.granted(self.chip) if self.hardware is None else self.last_levels
        for core, (queue, level) in enumerate(zip(self.queues, granted, strict=True)):
            if queue:
                queue[0].level = level
            else:
                self.batch_level[core] = NOTHING if self.chip.batch[core] is None else level

    def granted(self, chip: Chip) -> list[int]:
        request_mw = tuple(float(level.power_mw) for level in self.table.levels)
        cores = []
        for queue, batch in zip(self.queues, chip.batch, strict=True):
            if queue:
                cores.append(BusyCore(False, queue[0].asked, request_mw))
            elif batch is None:
                cores.append(BusyCore(True, None, request_mw))
            else:
                power_mw = tuple(map(float, batch.power_mw))
                cores.append(BusyCore(True, batch.level, power_mw, batch.counters.memory_ppm))
        limit_mw = float("inf") if chip.limit_mw is None else chip.limit_mw
        found = within_limit(
            cores, limit_mw, idle_core_w=self.table.sleep.power_mw, shared_w=chip.shared_mw
        )
        assert found.power_w <= limit_mw
        self.limited = str(found.status)
        return [NOTHING if core.level is None else core.level for core in found.cores]

    def tick(self) -> None:
        """Hardware sets all levels; a core with nothing to do keeps its last."""
        assert self.hardware is not None
        state = sum(bool(queue) << core for core, queue in enumerate(self.queues))
        levels = self.hardware(state)
        self.last_levels = [
            before if level == NOTHING else level
            for before, level in zip(self.last_levels, levels, strict=True)
        ]
        self.decided += 1

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
    server.settle()
    server.follow_levels()
    while coming or any(server.queues):
        exits = [(server.exit_at(queue[0]), k) for k, queue in enumerate(server.queues) if queue]
        arrival_ns = coming[0].arrival_ns if coming else None
        event_ns = min([at for at, _ in exits] + ([] if arrival_ns is None else [arrival_ns]))
        tick_ns = server.decided * server.every_ns
        if server.hardware is not None and tick_ns < event_ns:
            server.wait_until(tick_ns)
            server.tick()
        elif exits and min(exits)[0] == event_ns:
            server.wait_until(event_ns)
            server.leave(server.queues[min(exits)[1]])
        else:
            server.wait_until(event_ns)
            server.enter(coming.pop(0))
        server.settle()
        server.follow_levels()
    return server
