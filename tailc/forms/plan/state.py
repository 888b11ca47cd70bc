"""The state of a plan that is being carried out, from which the next plan continues.

A state is that of one time, at the boundary of two epochs: jobs that have begun, with their servers
and progress, jobs that were refused or wait for their planned start, and the battery's charge.
`state_after` computes it from a plan; a runtime may write the same file.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from tailc.forms.plan.parts import LATEST_UNIX_S, MOST_SERVERS, PlannedJob, require
from tailc.forms.plan.plan import Plan
from tailc.forms.plan.servers import AssignedServers, Servers, assigned_servers


@dataclass(frozen=True)
class BegunJob:
    """A job that has begun, as the next plan has to know it.

    begun_unix_s: its start in Unix seconds; None: it began with the first plan or before it, and
    its log has the time. servers: numbers of its servers in the last epoch. ran_s: seconds that it
    has run since its start, or since the start of the first plan, by number of servers.
    green_slots: number of server-epochs that it has received on the bus of green power. machines:
    number of virtual machines of a malleable job; None: as many as it requests.
    """

    name: str
    begun_unix_s: int | None
    servers: Servers
    ran_s: tuple[tuple[int, int], ...]
    green_slots: int = 0
    machines: int | None = None

    def __post_init__(self) -> None:
        require(bool(self.name), "`name` of a job must not be empty")
        increasing = list(self.servers) == sorted(set(self.servers)) and bool(self.servers)
        require(increasing, "`servers` of a job must be numbers in ascending order, at least one")
        require(self.servers[0] >= 0, "`servers` of a job must not be negative")
        counts = [count for count, _ in self.ran_s]
        require(counts == sorted(set(counts)), "`ran_s` must be in order of the number of servers")
        require(
            all(count > 0 and seconds > 0 for count, seconds in self.ran_s),
            "`ran_s` must have at least one server and one second in each entry",
        )
        longest_s = max((seconds for _, seconds in self.ran_s), default=0)
        require(longest_s <= LATEST_UNIX_S, f"`seconds` of `ran_s` must be at most {LATEST_UNIX_S}")
        require(self.green_slots >= 0, "`green_slots` of a job must not be negative")
        require(self.machines is None or self.machines > 0, "`machines` must be at least 1")


@dataclass(frozen=True)
class PlanState:
    """The state of jobs and servers at one time while a plan is carried out.

    Attributes:
        at_unix_s: the time.
        decided_unix_s: jobs submitted up to then were decided; those that neither run nor wait have
            ended or were refused.
        servers: number of all servers.
        running: jobs that have begun and not ended.
        waiting: names of jobs of the plan that begin later.
        refused: names of jobs refused since `decided_unix_s`.
        battery_mj: energy in the battery; None: there is none.
    """

    at_unix_s: int
    decided_unix_s: int
    servers: int
    running: tuple[BegunJob, ...]
    waiting: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    battery_mj: int | None = None

    def __post_init__(self) -> None:
        require(self.at_unix_s <= LATEST_UNIX_S, "`at_unix_s` must be before the year 10000")
        require(
            0 <= self.decided_unix_s <= self.at_unix_s,
            "`decided_unix_s` must be 0 to `at_unix_s`",
        )
        require(0 < self.servers <= MOST_SERVERS, f"`servers` must be 1 to {MOST_SERVERS:,}")
        busy = [server for job in self.running for server in job.servers]
        require(len(busy) == len(set(busy)), "two jobs must not have the same server")
        require(max(busy, default=0) < self.servers, "a server of a job is not among `servers`")
        names = [*(job.name for job in self.running), *self.waiting, *self.refused]
        require(len(names) == len(set(names)), "a job must be named once in a state")
        require(all(names), "`waiting` and `refused` must have no empty name")
        require(
            all(0 <= self.first_unix_s(job) <= self.at_unix_s for job in self.running),
            "`begun_unix_s` and `ran_s` of a job must be before `at_unix_s`",
        )
        require(
            self.battery_mj is None or self.battery_mj >= 0, "`battery_mj` must not be negative"
        )

    def first_unix_s(self, job: BegunJob) -> int:
        """Start of a running job in Unix seconds; start of the first plan if the job ran before."""
        if job.begun_unix_s is not None:
            return job.begun_unix_s
        return self.at_unix_s - sum(seconds for _, seconds in job.ran_s)

    @property
    def asleep(self) -> Servers:
        """Numbers of the servers that have no job and are therefore asleep, ascending."""
        busy = {server for job in self.running for server in job.servers}
        return tuple(server for server in range(self.servers) if server not in busy)


@dataclass(frozen=True)
class Events:
    """Differences between a plan and what really happened.

    refused, ended: names of jobs that a look-up refused, and of jobs that ended early. green_slots:
    number of server-epochs that a job has received on green energy in all, as measured. knows_all:
    whether the plan knew all jobs of its horizon, so that those submitted before the new time are
    decided.
    """

    refused: Collection[str] = ()
    ended: Collection[str] = ()
    green_slots: Mapping[str, int] = field(default_factory=dict)
    knows_all: bool = False


@dataclass(frozen=True, eq=False)
class CarriedOutPlan:
    """A plan that is being carried out.

    before: state of jobs and servers before the plan; None: no job had begun. machines: number of
    virtual machines of each malleable job, by name.
    """

    plan: Plan
    before: PlanState | None = None
    machines: Mapping[str, int] = field(default_factory=dict)

    @property
    def servers(self) -> AssignedServers:
        """Numbers of the servers of each planned job in each epoch."""
        return assigned_servers(self.plan, {name: job.servers for name, job in self._old.items()})

    def state_after(self, epochs: int, events: Events | None = None) -> PlanState:
        """State of jobs and servers after some epochs of a plan that is carried out.

        epochs: number of epochs that have passed. events: what happened differently from the plan;
        None: nothing.
        """
        plan, events = self.plan, events or Events()
        schedule = self.servers
        at_unix_s = plan.start_unix_s + epochs * plan.epoch_s
        gone = {*events.refused, *events.ended}
        jobs = [job for job in plan.jobs if job.name not in gone]
        running = (
            self._running(job, schedule, epochs, events)
            for job in jobs
            if _first(job) < epochs and (epochs < _past(job) or _is_cut(plan, job, epochs))
        )
        before = () if self.before is None else self.before.refused
        return PlanState(
            at_unix_s=at_unix_s,
            decided_unix_s=at_unix_s if events.knows_all else plan.start_unix_s,
            servers=plan.servers,
            running=tuple(running),
            waiting=tuple(job.name for job in jobs if _first(job) >= epochs),
            refused=tuple(dict.fromkeys((*before, *events.refused))),
            battery_mj=_held_mj(plan, epochs),
        )

    @property
    def _old(self) -> dict[str, BegunJob]:
        return {} if self.before is None else {job.name: job for job in self.before.running}

    def _running(
        self, job: PlannedJob, schedule: AssignedServers, epochs: int, events: Events
    ) -> BegunJob:
        plan, old = self.plan, self._old.get(job.name)
        ran_s = dict(old.ran_s) if old is not None else {}
        first = _first(job)
        if old is not None:
            begun_unix_s = old.begun_unix_s
        elif self.before is None and first == 0:
            begun_unix_s = None
        else:
            begun_unix_s = plan.start_unix_s + first * plan.epoch_s
        for epoch in range(first, epochs):
            count = len(schedule.by_epoch[epoch][job.name])
            ran_s[count] = ran_s.get(count, 0) + plan.epoch_s
        green = sum(
            span.servers
            for span in job.spans
            for epoch in range(span.first_epoch, min(span.past, epochs))
            if plan.is_green(span.pool, epoch)
        )
        green += 0 if old is None else old.green_slots
        return BegunJob(
            name=job.name,
            begun_unix_s=begun_unix_s,
            servers=schedule.by_epoch[epochs - 1][job.name],
            ran_s=tuple(sorted(ran_s.items())),
            green_slots=events.green_slots.get(job.name, green),
            machines=self.machines.get(job.name, None if old is None else old.machines),
        )


def _first(job: PlannedJob) -> int:
    return job.spans[0].first_epoch


def _past(job: PlannedJob) -> int:
    return max(span.past for span in job.spans)


def _is_cut(plan: Plan, job: PlannedJob, epochs: int) -> bool:
    """Whether the plan ends before the job may have: its log has the job's end."""
    return epochs == len(plan.epochs) == _past(job)


def _held_mj(plan: Plan, epochs: int) -> int | None:
    if plan.battery is None:
        return None
    flows_mj = plan.battery_mj[:epochs]
    stored_mj = sum(plan.battery.stored_mj(flow) if flow > 0 else flow for flow in flows_mj)
    return plan.battery.first_mj + stored_mj
