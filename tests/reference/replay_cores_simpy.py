"""Two types of core as SimPy processes: what a user would write otherwise (algorithm 1 as printed).

Haque et al., MICRO 2017, algorithm 1: every request wakes at its own ticks and looks for itself.
Times are milliseconds as floats; instants that coincide are not ordered with care.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import simpy

from tailc.forms.controller import (
    Controller,
    arrival_rate_mrps,
    first_state,
    output_ppm,
    scaled_age_us,
    step,
)
from tailc.percentiles import percentile_rank

# Work below this many ms is done: rounding of simulated times near 10^7 ms.
EPSILON_MS = 1e-6
SLOW, FAST = 0, 1


@dataclass(eq=False)
class Job:
    arrival_ms: float
    left_ms: float
    start_ms: float = 0.0
    latency_ms: float = 0.0
    energy: float = 0.0
    core: int | None = None


@dataclass
class Server:
    """With a controller `threshold_ms` is scaled by its output, once an epoch."""

    env: simpy.Environment
    cores: tuple[int, int]
    speed: float
    power: float
    threshold_ms: float
    quantum_ms: float
    move_ms: float = 0.0
    controller: Controller | None = None
    jobs: list[Job] = field(default_factory=list)
    latencies_ms: list[float] = field(default_factory=list)
    arrived: int = 0
    arrived_by_step: int = 0
    stepped_ms: float = 0.0

    def __post_init__(self) -> None:
        self.state = None if self.controller is None else first_state(self.controller)
        self.full_ms = self.threshold_ms
        self.scale()

    def held(self, kind: int) -> int:
        return sum(job.core == kind for job in self.jobs)

    def is_free(self, kind: int) -> bool:
        return self.held(kind) < self.cores[kind]

    def rank(self, job: Job) -> int:
        return 1 + self.jobs.index(job)

    def wants_fast(self, job: Job) -> bool:
        is_old = self.env.now - job.arrival_ms >= self.threshold_ms - EPSILON_MS
        return is_old and self.rank(job) <= self.cores[FAST]

    def must_go(self, job: Job) -> bool:
        too_many = len(self.jobs) - self.cores[SLOW]
        return too_many > 0 and self.rank(job) <= min(self.cores[FAST], too_many)

    def start_waiting(self) -> None:
        for job in [job for job in self.jobs if job.core is None]:
            if (self.wants_fast(job) or self.must_go(job)) and self.is_free(FAST):
                job.core = FAST
            elif self.is_free(SLOW):
                job.core = SLOW
            else:
                return
            job.start_ms = self.env.now
            self.env.process(self.serve(job))

    def serve(self, job: Job):
        moving_ms, ticks = 0.0, 1
        while job.left_ms > EPSILON_MS:
            speed = self.speed if job.core == FAST else 1.0
            tick_ms = job.start_ms + ticks * self.quantum_ms
            sleep_ms = min(tick_ms - self.env.now, moving_ms + job.left_ms / speed)
            yield self.env.timeout(max(sleep_ms, 0.0))
            job.energy += sleep_ms * (self.power if job.core == FAST else 1.0)
            job.left_ms -= max(sleep_ms - moving_ms, 0.0) * speed
            moving_ms = max(moving_ms - sleep_ms, 0.0)
            if self.env.now >= tick_ms - EPSILON_MS and job.left_ms > EPSILON_MS:
                ticks += 1
                if self.climbs(job):
                    moving_ms = self.move_ms
        self.jobs.remove(job)
        job.latency_ms = self.env.now - job.arrival_ms
        self.latencies_ms.append(job.latency_ms)
        if self.controller and len(self.latencies_ms) % self.controller.epoch_requests == 0:
            self.step(self.controller)
        self.start_waiting()

    def step(self, controller: Controller) -> None:
        window = sorted(self.latencies_ms[-controller.window_requests :])
        rank = percentile_rank(controller.percentile_ppm, len(window))
        elapsed_us = int((self.env.now - self.stepped_ms) * 1000)
        rate_mrps = arrival_rate_mrps(self.arrived - self.arrived_by_step, elapsed_us)
        measured_us = round(window[rank - 1] * 1000)
        self.state = step(controller, self.state, measured_us, rate_mrps)
        self.stepped_ms, self.arrived_by_step = self.env.now, self.arrived
        self.scale()

    def scale(self) -> None:
        if self.controller is not None:
            by_ppm = output_ppm(self.controller, self.state)
            self.threshold_ms = scaled_age_us(round(self.full_ms * 1000), by_ppm) / 1000

    def climbs(self, job: Job) -> bool:
        if job.core == FAST or not self.is_free(FAST):
            return False
        if not (self.wants_fast(job) or self.must_go(job)):
            return False
        job.core = FAST
        self.start_waiting()
        return True

    def wake(self, job: Job):
        """A waiter looks again at the age at which it wants a fast core."""
        yield self.env.timeout(self.threshold_ms)
        if job.core is None and job in self.jobs:
            self.start_waiting()


def replay_cores_simpy(
    arrival_ms: list[float], work_ms: list[float], **server: object
) -> list[Job]:
    """Run the jobs, in order of arrival, to their exits."""
    env = simpy.Environment()
    here = Server(env, **server)  # type: ignore[arg-type]
    jobs = [Job(at, work) for at, work in zip(arrival_ms, work_ms, strict=True)]

    def arrivals():
        for job in jobs:
            yield env.timeout(job.arrival_ms - env.now)
            here.jobs.append(job)
            here.arrived += 1
            here.start_waiting()
            env.process(here.wake(job))

    env.process(arrivals())
    env.run()
    return jobs
