"""A core with a clock of its own as a SimPy process: what a user would write otherwise.

Times are milliseconds as floats, cycles are counted in GHz ms (millions of them). An arrival
interrupts the core, which asks the form's own rule at every arrival and completion.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import simpy

from tailc.forms.tail_table import QueuedRequests, TailTable, level_for

_KHZ_PER_GHZ = 1_000_000
_NS_PER_MS = 1_000_000
_CYCLES = 1_000_000


@dataclass(eq=False)
class Job:
    arrival_ms: float
    compute_ms: float  # at 1 GHz
    memory_ms: float
    done: float = 0.0
    latency_ms: float = 0.0


@dataclass
class Core:
    env: simpy.Environment
    table: TailTable
    queue: deque[Job] = field(default_factory=deque)
    process: simpy.Process | None = None

    def arrive(self, job: Job) -> None:
        self.queue.append(job)
        if self.process is None or not self.process.is_alive:
            self.process = self.env.process(self.run())
        else:
            self.process.interrupt()

    def ghz(self) -> float:
        job = self.queue[0]
        queued = QueuedRequests(
            tuple(max(round((self.env.now - j.arrival_ms) * _NS_PER_MS), 0) for j in self.queue),
            int(job.done * job.compute_ms * _CYCLES),
            int(job.done * job.memory_ms * _NS_PER_MS),
        )
        level = self.table.levels[level_for(self.table, queued)]
        return level.frequency_khz / _KHZ_PER_GHZ

    def run(self):
        while self.queue:
            job = self.queue[0]
            whole_ms = job.compute_ms / self.ghz() + job.memory_ms
            since = self.env.now
            try:
                yield self.env.timeout((1 - job.done) * whole_ms)
            except simpy.Interrupt:
                job.done = min(job.done + (self.env.now - since) / whole_ms, 1.0)
                continue
            self.queue.popleft()
            job.latency_ms = self.env.now - job.arrival_ms


def replay_frequencies_simpy(
    arrivals_ms: list[float], compute_ms: list[float], memory_ms: list[float], table: TailTable
) -> list[Job]:
    """Every request on one core that does not sleep; compute is told at 1 GHz."""
    env = simpy.Environment()
    core = Core(env, table)
    jobs = [Job(*parts) for parts in zip(arrivals_ms, compute_ms, memory_ms, strict=True)]

    def source():
        for job in jobs:
            yield env.timeout(job.arrival_ms - env.now)
            core.arrive(job)

    env.process(source())
    env.run()
    return jobs
