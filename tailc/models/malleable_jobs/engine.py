"""Replay of malleable jobs on a cluster of one bus (Haque, 2016, appendix B).

Jobs arrive, end and are given other numbers of servers at any moment, and the supply changes from
epoch to epoch. At each such event a planner says how many servers every job has from now on. A job
that has begun runs until it is done. Times are whole seconds, in which a job that is done
within one ends with it, and progress is counted in speed-up [ppm] times time [s]: all is exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tailc.forms.plan.ledger import Entry
from tailc.models.datacentre.planner import Forecasts
from tailc.models.datacentre.site import PPM, Supply
from tailc.models.datacentre.storage import Books, Storage

# INVARIANT: a planner that asks to be woken at once would stop time.
LEAST_WAKE_S = 1


@dataclass(frozen=True)
class Cluster:
    """Servers alike. busy_mw, asleep_mw: of one with a job and without. change_mj: energy of giving
    a job one server more or less. epoch_s: how long the supply stays as it is. storage: a battery
    beside them; None: there is none.
    """

    servers: int
    busy_mw: int
    asleep_mw: int
    change_mj: int
    epoch_s: int
    storage: Storage | None = None

    def __post_init__(self) -> None:
        if min(self.servers, self.busy_mw, self.epoch_s) <= 0:
            raise ValueError("a cluster has servers that draw power, and epochs that last")
        if not 0 <= self.asleep_mw <= self.busy_mw or self.change_mj < 0:
            raise ValueError(
                "a sleeping server draws less than a busy one, and changes cost energy"
            )


@dataclass(frozen=True)
class MalleableJob:
    """A job that runs on as many servers as it is given.

    work_s: how long it runs on one server. requested: servers that it asks for. speedup_ppm: of so
    many virtual machines, chosen when it starts, the speed-up on so many servers, in millionths.
    slowdown_ppm: so many times as long as on `requested` servers may it take, F.
    """

    number: int
    submit_s: int
    work_s: int
    requested: int
    slowdown_ppm: int
    speedup_ppm: Mapping[int, Mapping[int, int]]

    def __post_init__(self) -> None:
        if self.work_s <= 0 or self.slowdown_ppm < PPM:
            raise ValueError("a job has work to do, and a slowdown is a factor of 1 or more")
        if self.requested not in self.speedup_ppm.get(self.asked_vms, {}):
            raise ValueError("a job needs its speed-up on the servers that it asks for")
        if min(min(curve.values()) for curve in self.speedup_ppm.values()) <= 0:
            raise ValueError("a speed-up is positive")

    @property
    def asked_vms(self) -> int:
        """The virtual machines that a user starts: the fewest."""
        return min(self.speedup_ppm)

    @property
    def asked_ppm(self) -> int:
        """The speed-up on the servers that it asks for."""
        return self.speedup_ppm[self.asked_vms][self.requested]

    @property
    def longest_s(self) -> int:
        """How long it may run, rounded up."""
        return -(-self.work_s * self.slowdown_ppm // self.asked_ppm)


@dataclass(eq=False)
class Active:
    """A job that was submitted and is not done. servers 0, started_s None: it waits.

    done: progress [ppm s] of `needed`. ran_s: since its start; server_s: servers times time.
    """

    job: MalleableJob
    vms: int = 0
    servers: int = 0
    started_s: int | None = None
    done: int = 0
    ran_s: int = 0
    server_s: int = 0

    @property
    def needed(self) -> int:
        """Progress of the whole job [ppm s]."""
        return self.job.work_s * PPM

    @property
    def speedup_ppm(self) -> int:
        """The speed-up that it has now."""
        return self.job.speedup_ppm[self.vms][self.servers] if self.servers else 0

    def left_s(self) -> int:
        """Until it is done at its present speed, rounded up."""
        return -(-(self.needed - self.done) // self.speedup_ppm)


@dataclass(frozen=True, eq=False)
class ClusterView:
    """What a planner knows at a moment. ahead: the supply expected, from the present epoch on."""

    cluster: Cluster
    now_s: int
    ahead: Supply
    active: tuple[Active, ...]

    @property
    def green_servers(self) -> int:
        """How many busy servers the green power of this epoch carries."""
        return self.green_servers_at(0)

    def green_servers_at(self, epochs: int) -> int:
        """The same of the epoch that comes so many later, as it is expected."""
        cluster = self.cluster
        spare_mw = int(self.ahead.green_mw[epochs]) - cluster.servers * cluster.asleep_mw
        each_mw = cluster.busy_mw - cluster.asleep_mw
        return cluster.servers if not each_mw else min(max(spare_mw // each_mw, 0), cluster.servers)


@dataclass(frozen=True)
class Allocation:
    """Servers by job's number, and virtual machines of those that start; others wait.

    wake_s: ask again so much later, if nothing happens before.
    """

    servers: Mapping[int, int]
    vms: Mapping[int, int] = field(default_factory=dict)
    wake_s: int | None = None


class Allocator(Protocol):
    """Says at each event how many servers every job has."""

    def allocate(self, view: ClusterView) -> Allocation:
        """For all active jobs; one that runs keeps a server at least."""
        ...


@dataclass(frozen=True)
class Done:
    """What became of a job; times since the replay's start. vms: virtual machines that it had."""

    number: int
    submit_s: int
    started_s: int
    ended_s: int
    server_s: int
    longest_s: int
    vms: int

    @property
    def ran_s(self) -> int:
        """From its first server to its end."""
        return self.ended_s - self.started_s

    @property
    def is_late(self) -> bool:
        """Whether it ran for longer than promised."""
        return self.ran_s > self.longest_s


@dataclass(frozen=True, eq=False)
class ClusterOutcome:
    """A replay: the jobs done by number, how many were not, and the books of each interval.

    ends_s: when each interval ends, and the next begins. history: (from when [s], servers by job)
    after each event.
    """

    done: tuple[Done, ...]
    unfinished: int
    entries: tuple[Entry, ...]
    ends_s: tuple[int, ...]
    history: tuple[tuple[int, Mapping[int, int]], ...]


def replay_malleable(
    cluster: Cluster,
    supply: Supply,
    forecasts: Forecasts,
    jobs: Sequence[MalleableJob],
    allocator: Allocator,
) -> ClusterOutcome:
    """What becomes of the jobs, which are in order of submission; ends with the supply.

    Raises ValueError where an allocator breaks a rule: more servers than there are, a number that a
    job has no speed-up on, or none for one that has begun.
    """
    state = _State(cluster, supply, list(reversed(jobs)))
    end_s = supply.epochs * cluster.epoch_s
    while state.now_s < end_s:
        epoch = state.now_s // cluster.epoch_s
        _admit(state)
        wake_s = _allocate(state, forecasts.ahead(epoch, supply.epochs - epoch), allocator)
        until_s = min(_next_event(state, wake_s), (epoch + 1) * cluster.epoch_s)
        _run(state, epoch, until_s)
    done = tuple(sorted(state.done, key=lambda one: one.number))
    books = tuple(state.books.entries), tuple(state.ends_s)
    return ClusterOutcome(done, len(state.active), *books, tuple(state.history))


@dataclass(eq=False)
class _State:
    cluster: Cluster
    supply: Supply
    waiting: list[MalleableJob]
    now_s: int = 0
    active: list[Active] = field(default_factory=list)
    done: list[Done] = field(default_factory=list)
    books: Books = field(init=False)
    ends_s: list[int] = field(default_factory=list)
    history: list[tuple[int, Mapping[int, int]]] = field(default_factory=list)
    changed: int = 0

    def __post_init__(self) -> None:
        self.books = Books(self.cluster.storage)


def _admit(state: _State) -> None:
    while state.waiting and state.waiting[-1].submit_s <= state.now_s:
        state.active.append(Active(state.waiting.pop()))


def _allocate(state: _State, ahead: Supply, allocator: Allocator) -> int | None:
    """Give every job its servers; when to ask again."""
    view = ClusterView(state.cluster, state.now_s, ahead, tuple(state.active))
    asked = allocator.allocate(view)
    _check(state, asked)
    for one in state.active:
        servers = asked.servers.get(one.job.number, 0)
        if servers and one.started_s is None:
            one.started_s, one.vms = state.now_s, asked.vms.get(one.job.number, one.job.asked_vms)
        elif one.servers != servers:
            state.changed += abs(servers - one.servers)
        one.servers = servers
    given = {one.job.number: one.servers for one in state.active if one.servers}
    if not state.history or state.history[-1][1] != given:
        state.history.append((state.now_s, given))
    return None if asked.wake_s is None else state.now_s + max(asked.wake_s, LEAST_WAKE_S)


def _check(state: _State, asked: Allocation) -> None:
    if sum(asked.servers.values()) > state.cluster.servers:
        raise ValueError("an allocator gave more servers than there are")
    for one in state.active:
        servers = asked.servers.get(one.job.number, 0)
        if not servers and one.started_s is not None:
            raise ValueError("a job that has begun runs until it is done")
        fresh = asked.vms.get(one.job.number, one.job.asked_vms)
        vms = fresh if one.started_s is None else one.vms
        if servers and servers not in one.job.speedup_ppm.get(vms, {}):
            raise ValueError("a job has no speed-up on the servers that it was given")


def _next_event(state: _State, wake_s: int | None) -> int:
    """When the next job arrives or is done, or the allocator wants to be asked."""
    ends = [state.now_s + one.left_s() for one in state.active if one.servers]
    if state.waiting:
        ends.append(state.waiting[-1].submit_s)
    if wake_s is not None:
        ends.append(wake_s)
    return min(ends, default=state.supply.epochs * state.cluster.epoch_s)


def _run(state: _State, epoch: int, until_s: int) -> None:
    """Let time pass, and write what it took into the books."""
    cluster, length_s = state.cluster, until_s - state.now_s
    busy = sum(one.servers for one in state.active)
    power_mw = busy * cluster.busy_mw + (cluster.servers - busy) * cluster.asleep_mw
    green_mw = int(state.supply.green_mw[epoch])
    state.books.add(
        power_mw * length_s + state.changed * cluster.change_mj,
        green_mw * length_s,
        int(state.supply.brown_udollars_per_kwh[epoch]),
        int(state.supply.brown_mg_per_kwh[epoch]),
        length_s,
    )
    state.ends_s.append(until_s)
    state.changed = 0
    state.now_s = until_s
    for one in state.active:
        one.done += one.speedup_ppm * length_s
        one.server_s += one.servers * length_s
        one.ran_s += length_s if one.servers else 0
    _end(state)


def _end(state: _State) -> None:
    for one in [one for one in state.active if one.done >= one.needed]:
        assert one.started_s is not None
        state.active.remove(one)
        job = one.job
        state.done.append(
            Done(
                job.number,
                job.submit_s,
                one.started_s,
                state.now_s,
                one.server_s,
                job.longest_s,
                one.vms,
            )
        )
