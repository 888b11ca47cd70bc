"""Replay malleable jobs on a cluster with one power bus (Haque, 2016, appendix B).

Jobs arrive, end and get other numbers of servers at any time, and the supply changes from epoch to
epoch. At each such event an allocator decides how many servers every job has from then on. A job
that has begun runs until it is done. Times are whole seconds; a job that finishes within a second
ends with it. Progress is counted in speed-up [ppm] times time [s], so everything is exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tailc.models.datacentre.forecasts import SupplyForecasts
from tailc.models.datacentre.storage import Books
from tailc.models.datacentre.supply import Supply
from tailc.models.malleable_jobs.allocator import Allocation, Allocator, ClusterView
from tailc.models.malleable_jobs.cluster import Cluster
from tailc.models.malleable_jobs.jobs import MalleableJob, UnfinishedJob
from tailc.models.malleable_jobs.outcome import ClusterOutcome, FinishedJob

# INVARIANT: an allocator that asks to be woken at once would stop time.
LEAST_WAKE_S = 1


def replay_malleable(
    cluster: Cluster,
    supply: Supply,
    forecasts: SupplyForecasts,
    jobs: Sequence[MalleableJob],
    allocator: Allocator,
) -> ClusterOutcome:
    """Replay the jobs, which are in order of submission, until the end of the supply.

    Raises ValueError if the allocator breaks a rule: more servers than there are, a number for
    which the job has no speed-up, or none for a job that has begun.
    """
    state = _ClusterState(cluster, supply, list(reversed(jobs)))
    end_s = supply.epochs * cluster.epoch_s
    while state.now_s < end_s:
        epoch = state.now_s // cluster.epoch_s
        _admit(state)
        wake_s = _allocate(state, forecasts.ahead(epoch, supply.epochs - epoch), allocator)
        until_s = min(_next_event(state, wake_s), (epoch + 1) * cluster.epoch_s)
        _advance(state, epoch, until_s)
    done = tuple(sorted(state.done, key=lambda one: one.number))
    books = tuple(state.books.entries), tuple(state.ends_s)
    return ClusterOutcome(len(jobs), done, len(state.active), *books, tuple(state.history))


@dataclass(eq=False)
class _ClusterState:
    cluster: Cluster
    supply: Supply
    waiting: list[MalleableJob]
    now_s: int = 0
    active: list[UnfinishedJob] = field(default_factory=list)
    done: list[FinishedJob] = field(default_factory=list)
    books: Books = field(init=False)
    ends_s: list[int] = field(default_factory=list)
    history: list[tuple[int, Mapping[int, int]]] = field(default_factory=list)
    changed: int = 0

    def __post_init__(self) -> None:
        self.books = Books(self.cluster.storage, self.cluster.grid_mw)


def _admit(state: _ClusterState) -> None:
    while state.waiting and state.waiting[-1].submit_s <= state.now_s:
        state.active.append(UnfinishedJob(state.waiting.pop()))


def _allocate(state: _ClusterState, ahead: Supply, allocator: Allocator) -> int | None:
    """Give every job its servers; return when to ask the allocator again."""
    view = ClusterView(state.cluster, state.now_s, ahead, tuple(state.active))
    allocation = allocator.allocate(view)
    _check(state, allocation)
    for one in state.active:
        servers = allocation.servers.get(one.job.number, 0)
        if servers and one.started_s is None:
            one.started_s, one.vms = (
                state.now_s,
                allocation.vms.get(one.job.number, one.job.requested_vms),
            )
        elif one.servers != servers:
            state.changed += abs(servers - one.servers)
        one.servers = servers
    given = {one.job.number: one.servers for one in state.active if one.servers}
    if not state.history or state.history[-1][1] != given:
        state.history.append((state.now_s, given))
    return None if allocation.wake_s is None else state.now_s + max(allocation.wake_s, LEAST_WAKE_S)


def _check(state: _ClusterState, allocation: Allocation) -> None:
    if sum(allocation.servers.values()) > state.cluster.servers:
        raise ValueError("an allocator used more servers than the cluster has")
    for one in state.active:
        servers = allocation.servers.get(one.job.number, 0)
        if not servers and one.started_s is not None:
            raise ValueError("a job that has begun must run until its end")
        fresh = allocation.vms.get(one.job.number, one.job.requested_vms)
        vms = fresh if one.started_s is None else one.vms
        if servers and servers not in one.job.speedup_ppm.get(vms, {}):
            raise ValueError("the speed-up of a job on its servers is unknown")


def _next_event(state: _ClusterState, wake_s: int | None) -> int:
    """The next arrival, end of a job, or wake-up time of the allocator."""
    ends = [state.now_s + one.left_s() for one in state.active if one.servers]
    if state.waiting:
        ends.append(state.waiting[-1].submit_s)
    if wake_s is not None:
        ends.append(wake_s)
    return min(ends, default=state.supply.epochs * state.cluster.epoch_s)


def _advance(state: _ClusterState, epoch: int, until_s: int) -> None:
    """Advance the time, and add the energy to the ledger."""
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


def _end(state: _ClusterState) -> None:
    for one in [one for one in state.active if one.done >= one.total_progress]:
        assert one.started_s is not None
        state.active.remove(one)
        job = one.job
        state.done.append(
            FinishedJob(
                job.number,
                job.submit_s,
                one.started_s,
                state.now_s,
                one.server_s,
                job.longest_s,
                one.vms,
            )
        )
