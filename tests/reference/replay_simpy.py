"""The replay of a ladder on one server as SimPy processes: what a user would write otherwise.

Each request is a process that sleeps until its next tick or its exit, whichever comes first, and
is interrupted when its share of the cores changes. Times are milliseconds as floats. Instants that
coincide are not ordered with care, so this agrees with the engine in distribution, and request by
request where no two events fall together.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import simpy

from tailc.forms.ladder.lookup import Start, lookup
from tailc.forms.ladder.table import Ladder

PPM = 1_000_000
# Work below this many ms is done; it is far above the rounding at simulated times near 10^7 ms.
EPSILON_MS = 1e-6


@dataclass(eq=False)
class Job:
    arrival_ms: float
    left_ms: float
    speed: list[float]
    start_ms: float = 0.0
    latency_ms: float = 0.0
    rung: int = 0
    rate: float = 0.0
    since_ms: float = 0.0
    boosted: bool = False
    process: simpy.Process | None = None
    sleeps: bool = False


@dataclass
class Server:
    env: simpy.Environment
    ladder: Ladder
    in_system: int = 0
    running: list[Job] = field(default_factory=list)
    waiting: list[tuple[Job, simpy.Event]] = field(default_factory=list)

    def threads(self, rung: int) -> float:
        return self.ladder.rungs[rung].cost_ppm[0] / PPM

    def share_out(self) -> None:
        """Book the work done so far and give every job its new rate."""
        cores = (self.ladder.cost_units[0].capacity_ppm or 0) / PPM
        boosted = sum(self.threads(job.rung) for job in self.running if job.boosted)
        others = sum(self.threads(job.rung) for job in self.running) - boosted
        share = min(1.0, (cores - boosted) / others) if others else 1.0
        for job in self.running:
            job.left_ms -= job.rate * (self.env.now - job.since_ms)
            job.since_ms = self.env.now
            rate = job.speed[job.rung] * (1.0 if job.boosted else share)
            if rate != job.rate:
                job.rate = rate
                if job.sleeps and job.process is not self.env.active_process:
                    job.process.interrupt()

    def reread(self) -> None:
        """Let waiters read the row of the current load, and wake up when their delay ends."""
        for job, go in list(self.waiting):
            wait_us = self.admit(job, go)
            if wait_us:
                self.env.process(self.wake(job, go, wait_us / 1000))

    def admit(self, job: Job, go: simpy.Event) -> int:
        """Start the waiter if it may; else the time it has left to wait [us], 0 for an exit."""
        waited_us = round((self.env.now - job.arrival_ms) * 1000)
        says = lookup(self.ladder, self.in_system, waited_us, 0)
        starved = says.start is Start.ON_EXIT and not self.running
        if says.start is Start.NOW or starved:
            self.waiting.remove((job, go))
            self.begin(job)
            go.succeed()
        return says.wait_us

    def wake(self, job: Job, go: simpy.Event, after_ms: float):
        yield self.env.timeout(after_ms)
        if (job, go) in self.waiting:
            self.admit(job, go)

    def begin(self, job: Job) -> None:
        job.start_ms = job.since_ms = self.env.now
        job.rung = lookup(self.ladder, self.in_system, 0, 0).rung
        self.running.append(job)
        self.share_out()

    def leave(self, job: Job) -> None:
        frees = lookup(self.ladder, self.in_system, 0, 0).start is Start.ON_EXIT
        self.running.remove(job)
        self.in_system -= 1
        if frees and self.waiting:
            waiter, go = self.waiting.pop(0)
            self.begin(waiter)
            go.succeed()
        self.share_out()
        self.reread()

    def tick(self, job: Job) -> None:
        executed_us = round((self.env.now - job.start_ms) * 1000)
        rung = lookup(self.ladder, self.in_system, 0, executed_us).rung
        if rung <= job.rung:
            return
        job.rung = rung
        boost = self.ladder.boost
        if boost is not None and rung == len(self.ladder.rungs) - 1:
            taken = sum(self.threads(other.rung) for other in self.running if other.boosted)
            job.boosted = (taken + self.threads(rung)) * PPM < boost.below_ppm
        self.share_out()

    def serve(self, job: Job):
        self.in_system += 1
        go = self.env.event()
        self.waiting.append((job, go))
        self.reread()
        yield go
        job.sleeps = True
        quantum_ms = self.ladder.quantum_us / 1000
        ticks = 1
        while job.left_ms > EPSILON_MS:
            tick_ms = job.start_ms + ticks * quantum_ms
            exit_ms = self.env.now + job.left_ms / job.rate if job.rate else float("inf")
            try:
                yield self.env.timeout(max(min(tick_ms, exit_ms) - self.env.now, 0.0))
            except simpy.Interrupt:
                continue
            job.left_ms -= job.rate * (self.env.now - job.since_ms)
            job.since_ms = self.env.now
            if tick_ms <= exit_ms:
                ticks += 1
                if job.left_ms > EPSILON_MS:
                    self.tick(job)
        job.sleeps = False
        self.leave(job)
        job.latency_ms = self.env.now - job.arrival_ms


def replay_simpy(
    ladder: Ladder, arrival_ms: list[float], work_ms: list[float], speed: list[float]
) -> list[float]:
    """Latencies [ms] of requests that all speed up alike, in order of arrival."""
    env = simpy.Environment()
    server = Server(env, ladder)
    jobs = [Job(a, w, speed) for a, w in zip(arrival_ms, work_ms, strict=True)]

    def arrivals():
        for job in jobs:
            yield env.timeout(job.arrival_ms - env.now)
            job.process = env.process(server.serve(job))

    env.process(arrivals())
    env.run()
    return [job.latency_ms for job in jobs]
