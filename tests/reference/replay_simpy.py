"""The replay of ladders on one server as SimPy processes: what a user would write otherwise.

Each request is a process that sleeps until its next tick or its exit, whichever comes first, and
is interrupted when its share of the cores changes. Times are milliseconds as floats. Instants that
coincide are not ordered with care, so this agrees with the engine in distribution, and request by
request where no two events fall together. One cost unit is shared, the first.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import simpy

from tailc.forms.ladder.lookup import Start, lookup
from tailc.forms.ladder.table import Ladder, Rule

PPM = 1_000_000
# Work below this many ms is done; it is far above the rounding at simulated times near 10^7 ms.
EPSILON_MS = 1e-6


@dataclass(eq=False)
class Job:
    arrival_ms: float
    left_ms: float
    speed: list[float]
    ladder: int = 0
    start_ms: float = 0.0
    latency_ms: float = 0.0
    thread_ms: float = 0.0
    load_at_start: int = 0
    rung: int = 0
    rate: float = 0.0
    since_ms: float = 0.0
    boosted: bool = False
    is_cut: bool = False
    process: simpy.Process | None = None
    sleeps: bool = False


@dataclass
class Server:
    env: simpy.Environment
    ladders: list[Ladder]
    cut_off_ms: float = float("inf")
    boosts_at_start: bool = False
    in_system: int = 0
    running: list[Job] = field(default_factory=list)
    waiting: list[tuple[Job, simpy.Event]] = field(default_factory=list)
    # Integrals over time, up to `booked_ms`: requests in the system, threads, threads that run.
    booked_ms: float = 0.0
    in_system_ms: float = 0.0
    threads_ms: float = 0.0
    busy_ms: float = 0.0

    @property
    def cores(self) -> float:
        return (self.ladders[0].cost_units[0].capacity_ppm or 0) / PPM

    def threads(self, rung: int) -> float:
        return self.ladders[0].rungs[rung].cost_ppm[0] / PPM

    def row_says(self, job: Job, waited_us: int = 0, executed_us: int = 0, load: int | None = None):
        load = self.in_system if load is None else load
        return lookup(self.ladders[job.ladder], load, waited_us, executed_us)

    def book(self) -> None:
        """Book the time that has passed since the last change of anything."""
        passed_ms = self.env.now - self.booked_ms
        threads = sum(self.threads(job.rung) for job in self.running)
        self.in_system_ms += self.in_system * passed_ms
        self.threads_ms += threads * passed_ms
        self.busy_ms += min(threads, self.cores) * passed_ms
        self.booked_ms = self.env.now

    def book_work(self, job: Job) -> None:
        passed_ms = self.env.now - job.since_ms
        job.left_ms -= job.rate * passed_ms
        job.thread_ms += self.threads(job.rung) * passed_ms
        job.since_ms = self.env.now

    def share_out(self) -> None:
        """Book the work done so far and give every job its new rate."""
        boosted = sum(self.threads(job.rung) for job in self.running if job.boosted)
        others = sum(self.threads(job.rung) for job in self.running) - boosted
        share = min(1.0, (self.cores - boosted) / others) if others else 1.0
        for job in self.running:
            self.book_work(job)
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
        says = self.row_says(job, waited_us)
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
        self.book()
        job.start_ms = job.since_ms = self.env.now
        job.load_at_start = self.in_system
        job.rung = self.row_says(job).rung
        if self.boosts_at_start:
            self.boost(job)
        self.running.append(job)
        self.share_out()

    def leave(self, job: Job) -> None:
        self.book()
        self.running.remove(job)
        self.in_system -= 1
        if self.waiting:
            waiter, go = self.waiting.pop(0)
            self.begin(waiter)
            go.succeed()
        self.share_out()
        self.reread()

    def tick(self, job: Job) -> None:
        executed_us = round((self.env.now - job.start_ms) * 1000)
        rereads = Rule.REREAD_ROW in self.ladders[job.ladder].rules
        load = self.in_system if rereads else job.load_at_start
        rung = self.row_says(job, executed_us=executed_us, load=load).rung
        if rung <= job.rung:
            return
        self.book()
        self.book_work(job)
        job.rung = rung
        self.boost(job)
        self.share_out()

    def boost(self, job: Job) -> None:
        limit = self.ladders[0].boost
        if limit is not None and job.rung == len(self.ladders[0].rungs) - 1:
            taken = sum(self.threads(other.rung) for other in self.running if other.boosted)
            job.boosted = (taken + self.threads(job.rung)) * PPM < limit.below_ppm

    def serve(self, job: Job):
        self.book()
        self.in_system += 1
        go = self.env.event()
        self.waiting.append((job, go))
        self.reread()
        yield go
        job.sleeps = True
        quantum_ms = self.ladders[0].quantum_us / 1000
        cut_ms = job.start_ms + self.cut_off_ms
        ticks = 1
        while job.left_ms > EPSILON_MS:
            tick_ms = job.start_ms + ticks * quantum_ms
            exit_ms = self.env.now + job.left_ms / job.rate if job.rate else float("inf")
            try:
                yield self.env.timeout(max(min(tick_ms, exit_ms, cut_ms) - self.env.now, 0.0))
            except simpy.Interrupt:
                continue
            self.book_work(job)
            if cut_ms <= min(tick_ms, exit_ms):
                job.is_cut = True
                break
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
    jobs = [Job(a, w, speed) for a, w in zip(arrival_ms, work_ms, strict=True)]
    run_simpy([ladder], jobs)
    return [job.latency_ms for job in jobs]


def run_simpy(
    ladders: list[Ladder],
    jobs: list[Job],
    *,
    cut_off_ms: float = float("inf"),
    boosts_at_start: bool = False,
) -> Server:
    """Run the jobs, in order of arrival, to their exits."""
    env = simpy.Environment()
    server = Server(env, ladders, cut_off_ms, boosts_at_start)

    def arrivals():
        for job in jobs:
            yield env.timeout(job.arrival_ms - env.now)
            job.process = env.process(server.serve(job))

    env.process(arrivals())
    env.run()
    return server
