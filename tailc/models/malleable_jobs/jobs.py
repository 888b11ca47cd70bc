"""Malleable jobs: as submitted, and while they run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tailc.models.datacentre.supply import PPM
from tailc.models.datacentre.window import JobWindow, SpeedupCurves


@dataclass(frozen=True)
class MalleableJob:
    """A malleable job: it runs on any number of servers that it is given.

    number: in order of submission. submit_s: time of submission. work_s: run time on one server.
    requested: number of servers that it requests. slowdown_ppm: the longest allowed run time
    relative to that on `requested` servers, F [1e-6]. speedup_ppm: speed-up [1e-6] by number of
    virtual machines, chosen at the start, and by number of servers.
    """

    number: int
    submit_s: int
    work_s: int
    requested: int
    slowdown_ppm: int
    speedup_ppm: Mapping[int, Mapping[int, int]]

    def __post_init__(self) -> None:
        if self.work_s <= 0 or self.slowdown_ppm < PPM:
            raise ValueError("`work_s` must be at least 1, and `slowdown_ppm` at least 1,000,000")
        if self.requested not in self.speedup_ppm.get(self.requested_vms, {}):
            raise ValueError("`speedup_ppm` must include the requested number of servers")
        if min(min(curve.values()) for curve in self.speedup_ppm.values()) <= 0:
            raise ValueError("`speedup_ppm` must be at least 1 everywhere")

    @property
    def requested_vms(self) -> int:
        """Number of virtual machines that the user requests, which is the fewest possible."""
        return min(self.speedup_ppm)

    @property
    def requested_ppm(self) -> int:
        """Speed-up of the job on the servers that it requests, relative to one server [1e-6]."""
        return self.speedup_ppm[self.requested_vms][self.requested]

    @property
    def longest_s(self) -> int:
        """The longest allowed run time of a malleable job, rounded up [s]."""
        return -(-self.work_s * self.slowdown_ppm // self.requested_ppm)


@dataclass(eq=False)
class UnfinishedJob:
    """A job that was submitted and is not done; `servers` is 0 while it waits.

    done: finished part of `total_progress` [ppm s]. ran_s: time since its start [s]. server_s:
    servers times seconds that it has used.
    """

    job: MalleableJob
    vms: int = 0
    servers: int = 0
    started_s: int | None = None
    done: int = 0
    ran_s: int = 0
    server_s: int = 0

    @property
    def total_progress(self) -> int:
        """Progress that completes a malleable job, in speed-up [1e-6] times seconds."""
        return self.job.work_s * PPM

    @property
    def speedup_ppm(self) -> int:
        """Current speed-up of a malleable job relative to one server [1e-6]; 0 while it waits."""
        return self.job.speedup_ppm[self.vms][self.servers] if self.servers else 0

    def left_s(self) -> int:
        """Remaining run time of a job at its current speed, rounded up [s]."""
        return -(-(self.total_progress - self.done) // self.speedup_ppm)


def malleable_jobs_of(
    window: JobWindow, curves: SpeedupCurves, slowdown_ppm: int, servers: int
) -> tuple[MalleableJob, ...]:
    """Read the malleable jobs of a window of days from the log, with their speed-ups.

    In the log each job ran on its requested servers. Raises ValueError if the log does not name the
    application of each job.
    """
    log = window.jobs
    columns = (log.number, log.submit_s, log.run_s, log.width)
    jobs: list[MalleableJob] = []
    alike: dict[tuple[str, int], Mapping[int, Mapping[int, int]]] = {}
    for name, number, submit_s, run_s, width in zip(
        log.application_of_job, *(one.tolist() for one in columns), strict=True
    ):
        if (name, width) not in alike:
            alike[name, width] = curves.speedup_ppm(name, width, servers)
        speedup_ppm = alike[name, width]
        work_s = max(run_s * speedup_ppm[min(speedup_ppm)][width] // PPM, 1)
        job = MalleableJob(number, submit_s, work_s, width, slowdown_ppm, speedup_ppm)
        jobs.append(job)
    return tuple(jobs)
