"""One replay: a workload in an order, arrival times and a ladder in, what happened out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, TailcError
from tailc.replay import engine, state
from tailc.replay.arrivals import LONGEST_NS, LONGEST_YEARS
from tailc.replay.lowered import NS_PER_US, Lowered
from tailc.replay.pools import NEVER_NS, PPM
from tailc.replay.workload import Workload

_Time = TypeVar("_Time", int, NDArray[np.int64])


# The longest and the shortest requests: one in so many.
_EXTREME_PART = 20


@dataclass(frozen=True, eq=False)
class RungTimes:
    """How requests used the rungs: threads of a request over its execution, in the mean.

    threads: of all requests; longest, shortest: of the twentieth with most and with least work,
    and of all that have as much or as little as the last of those. left_on: (rungs,), share of the
    requests that left on each rung.
    """

    threads: float
    longest: float
    shortest: float
    left_on: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What happened to the requests, in order of arrival, and the time integrals.

    is_cut: whether a request left unfinished at the cut-off. thread_ns: threads times time that it
    had them. arrived: how many arrived; fewer than were sent if the server was overloaded and the
    replay was given up, and then those still in the system have their age as latency, and as wait
    if they never ran. integrals: (phases, 2 + 2 pools), over time: 1, requests in the system, and
    by pool the threads and those that run. capacity_ppm: of each pool; NEVER_NS where rungs share
    nothing.
    """

    arrival_ns: NDArray[np.int64]
    latency_ns: NDArray[np.int64]
    wait_ns: NDArray[np.int64]
    rung: NDArray[np.int32]
    is_cut: NDArray[np.bool_]
    thread_ns: NDArray[np.float64]
    arrived: int
    measured_from: int
    integrals: NDArray[np.float64]
    capacity_ppm: tuple[int, ...]
    rungs: int

    @property
    def was_cut_off(self) -> bool:
        """Whether the system filled up and the replay stopped early."""
        return self.arrived < len(self.latency_ns)

    @property
    def measured(self) -> slice:
        """The requests after warming up; all of them if the replay was cut off before."""
        return slice(self.measured_from if self.arrived > self.measured_from else 0, self.arrived)

    @property
    def utilization(self) -> float | None:
        """Of the pool that is used most; None where no pool is limited."""
        limited = [used for used in self.utilization_by_pool if used is not None]
        return max(limited, default=None)

    @property
    def utilization_by_pool(self) -> tuple[float | None, ...]:
        """Threads that ran over the pool's capacity, while arrivals were measured."""
        return tuple(
            self._mean(state.BUSY + state.POOL_COLUMNS * pool) / supply_ppm
            if supply_ppm < NEVER_NS
            else None
            for pool, supply_ppm in enumerate(self.capacity_ppm)
        )

    @property
    def mean_threads(self) -> float:
        """Threads of requests that had started, whether they got a core or not, in all pools."""
        return sum(self.mean_threads_by_pool)

    @property
    def mean_threads_by_pool(self) -> tuple[float, ...]:
        """The same for each pool."""
        pools = range(len(self.capacity_ppm))
        return tuple(self._mean(state.THREADS + state.POOL_COLUMNS * pool) / PPM for pool in pools)

    @property
    def cut_share(self) -> float:
        """Share of the measured requests that left unfinished."""
        return float(self.is_cut[self.measured].mean())

    @property
    def mean_thread_ns(self) -> float:
        """Threads times time that a measured request took, in the mean."""
        return float(self.thread_ns[self.measured].mean())

    def rung_times(self, work_ns: NDArray[np.int64]) -> RungTimes:
        """How the measured requests that ran used the rungs; `work_ns` is of all, as they came."""
        ran_ns = (self.latency_ns - self.wait_ns)[self.measured]
        ran = ran_ns > 0
        work_ns = work_ns[self.measured][ran]
        threads = self.thread_ns[self.measured][ran] / ran_ns[ran]
        if not len(threads):
            return RungTimes(0.0, 0.0, 0.0, np.zeros(self.rungs))
        few = -(-len(work_ns) // _EXTREME_PART)
        parted = np.partition(work_ns, (few - 1, len(work_ns) - few))
        left_on = np.bincount(self.rung[self.measured][ran], minlength=self.rungs)
        return RungTimes(
            float(threads.mean()),
            float(threads[work_ns >= parted[len(work_ns) - few]].mean()),
            float(threads[work_ns <= parted[few - 1]].mean()),
            left_on / len(work_ns),
        )

    @property
    def mean_in_system(self) -> float:
        """Requests in the system, waiting ones included."""
        return self._mean(state.IN_SYSTEM)

    @property
    def mean_in_system_by_half(self) -> tuple[float, float]:
        """The same over the first and over the second half of the measured arrivals."""
        first, second = self.integrals[state.FIRST_HALF], self.integrals[state.SECOND_HALF]
        return _ratio(first, state.IN_SYSTEM), _ratio(second, state.IN_SYSTEM)

    def _mean(self, quantity: int) -> float:
        measured = self.integrals[state.FIRST_HALF] + self.integrals[state.SECOND_HALF]
        if measured[state.SPAN] <= 0:
            measured = self.integrals[state.WARM_UP]
        return _ratio(measured, quantity)


def _ratio(integrals: NDArray[np.float64], quantity: int) -> float:
    span = float(integrals[state.SPAN])
    return float(integrals[quantity]) / span if span > 0 else 0.0


def nearest_us(time_ns: _Time) -> _Time:
    """Whole microseconds; halves go up."""
    return (time_ns + NS_PER_US // 2) // NS_PER_US


def replay(
    load: Workload,
    order: NDArray[np.integer],
    arrival_ns: NDArray[np.int64],
    table: Lowered,
    most_in_system: int,
    measured_from: int = 0,
    ladder_of: NDArray[np.int32] | None = None,
) -> Outcome:
    """Replay the records named by `order`, the first arriving first, on the ladders.

    `arrival_ns` ascends; TailcError where it goes on for over `LONGEST_YEARS`. `most_in_system` is
    where the replay is given up. `ladder_of` says for each record which ladder it climbs; None: the
    first.
    """
    _check_times(arrival_ns)
    log = state.Log.empty(len(order), len(table.capacity_ppm))
    demand = state.Demand(
        arrival_ns,
        load.work_ns[order],
        load.curve_of[order],
        _ladders(order, table, ladder_of),
        load.speed,
    )
    arrived = engine.replay(demand, table, measured_from, most_in_system, log)
    return Outcome(
        arrival_ns=arrival_ns,
        arrived=arrived,
        measured_from=measured_from,
        capacity_ppm=tuple(table.capacity_ppm.tolist()),
        rungs=len(table.threads_ppm),
        **log._asdict(),
    )


def _check_times(arrival_ns: NDArray[np.int64]) -> None:
    """The last time tells, but where so late ones have left 64 bits it is early again."""
    latest_ns = int(arrival_ns.max(initial=0))
    if latest_ns > LONGEST_NS:
        message = f"`{len(arrival_ns)}` requests at these arrivals take over {LONGEST_YEARS} years"
        hint = "replay fewer requests, or a higher rate"
        raise TailcError(Finding(Code.USAGE, message, help=hint))


def _ladders(
    order: NDArray[np.integer], table: Lowered, ladder_of: NDArray[np.int32] | None
) -> NDArray[np.int32]:
    """The ladder of each arrival; nothing where there is only one."""
    if len(table.row_of_load) == 1:
        return np.empty(0, np.int32)
    if ladder_of is None:
        return np.zeros(len(order), np.int32)
    # Compiled code looks no index up twice: this one must be right.
    assert 0 <= int(ladder_of.min()) <= int(ladder_of.max()) < len(table.row_of_load)
    return ladder_of[order]
