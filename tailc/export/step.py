"""What changes when an epoch of a plan begins: jobs that start, change their servers, or end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from tailc.errors import Code, Finding, TailcError
from tailc.forms.plan.plan import Plan
from tailc.forms.plan.servers import AssignedServers, Servers
from tailc.forms.plan.state import CarriedOutPlan, PlanState

_NODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def refused_name(job: str, scheduler: str, names: str) -> TailcError:
    """Make the error (USAGE) for a job whose name a scheduler, such as Slurm, does not accept.

    Names are written into a shell script, so each scheduler accepts only safe ones.
    """
    message = f"job `{job}` cannot be a job of {scheduler}, whose names {names}"
    hint = "rename the job, or export `servers`, which has any name"
    return TailcError(Finding(Code.USAGE, message, help=hint))


@dataclass(frozen=True)
class JobStep:
    """The servers of a job in one epoch of a plan, and in the previous epoch (`before`).

    before: empty if the job starts. machines: virtual machines of a malleable job; None: as many as
    it requests.
    """

    name: str
    before: Servers
    servers: Servers
    machines: int | None


@dataclass(frozen=True)
class PlanStep:
    """What happens at the start of an epoch of a plan, at `unix_s`.

    jobs: running jobs. ended: names of jobs that ran in the epoch before. waiting: names of jobs of
    the plan that start later. refused: names of refused jobs. asleep: servers without a job. woken:
    servers that have a job now and had none before.
    """

    unix_s: int
    jobs: tuple[JobStep, ...]
    ended: tuple[str, ...]
    waiting: tuple[str, ...]
    refused: tuple[str, ...]
    asleep: Servers
    woken: Servers


@dataclass(frozen=True)
class NodeNames:
    """Pattern of the names of servers in a scheduler, such as Slurm.

    `%d` in the pattern is the number of the server, counted from `first`.
    """

    pattern: str = "node%d"
    first: int = 0

    def __post_init__(self) -> None:
        if self.pattern.count("%d") != 1:
            raise ValueError("a name of nodes must have one `%d`, the number of the server")
        if not _NODE.fullmatch(self.name(0)):
            raise ValueError("a name of nodes must have letters, digits, `-`, `_` and `.` only")

    def name(self, server: int) -> str:
        """Name of the server of this number in a scheduler."""
        return self.pattern.replace("%d", str(server + self.first))

    def names(self, servers: Servers) -> str:
        """Names of some servers in a scheduler, separated by commas."""
        return ",".join(map(self.name, servers))


@dataclass(frozen=True, eq=False)
class ExportedPlan:
    """A plan to export, with the state from which it begins and the names of its servers."""

    plan: Plan
    before: PlanState | None = None
    machines: Mapping[str, int] = field(default_factory=dict)
    nodes: NodeNames = field(default_factory=NodeNames)

    @cached_property
    def schedule(self) -> AssignedServers:
        """Assign numbered servers to each job of the plan in each epoch."""
        return CarriedOutPlan(self.plan, self.before, self.machines).servers

    def step(self, epoch: int) -> PlanStep:
        """Collect the changes of jobs and servers at the start of an epoch of the plan."""
        schedule = self.schedule
        old = {} if self.before is None else {one.name: one for one in self.before.running}
        now = schedule.by_epoch[epoch]
        then: Mapping[str, Servers] = {name: one.servers for name, one in old.items()}
        if epoch:
            then = schedule.by_epoch[epoch - 1]
        was_busy = {server for servers in then.values() for server in servers}
        busy = sorted(server for servers in now.values() for server in servers)
        return PlanStep(
            unix_s=self.plan.start_unix_s + epoch * self.plan.epoch_s,
            jobs=tuple(
                JobStep(name, then.get(name, ()), servers, self._machines(name, old))
                for name, servers in now.items()
            ),
            ended=tuple(name for name in then if name not in now),
            waiting=tuple(job.name for job in self.plan.jobs if job.spans[0].first_epoch > epoch),
            refused=() if self.before is None else self.before.refused,
            asleep=schedule.asleep(epoch),
            woken=tuple(server for server in busy if server not in was_busy),
        )

    def _machines(self, name: str, old: Mapping[str, object]) -> int | None:
        if name in self.machines or name not in old or self.before is None:
            return self.machines.get(name)
        return next(one.machines for one in self.before.running if one.name == name)
