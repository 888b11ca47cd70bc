"""What happened in a replay to the requests, to the machine and over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tailc.models.core_queues.times import ChipTimes, ClockTimes
from tailc.models.observed import Energy, Losses, Resting, RungTimes, Steps
from tailc.models.pools import NEVER_NS, PPM
from tailc.models.shared_cores import state
from tailc.models.shared_cores.arrays import NS_PER_US
from tailc.percentiles import percentile_rank

_Time = TypeVar("_Time", int, NDArray[np.int64])

# The longest and the shortest requests: one in so many.
_EXTREME_PART = 20
# Power of cores with a clock is told in watts.
_MILLI = 1_000


@dataclass(frozen=True, eq=False)
class Outcome:
    """What happened to the requests, in order of arrival, and the time integrals.

    is_cut: whether a request left unfinished at the cut-off. thread_ns: threads times time that it
    had them. arrived: how many arrived; fewer than were sent if the server was overloaded and the
    replay was given up, and then those still in the system have their age as latency, and as wait
    if they never ran. integrals: (phases, 2 + 2 pools), over time: 1, requests in the system, and
    by pool the threads and those that run. capacity_ppm: of each pool; NEVER_NS where rungs share
    nothing. energy: None where rungs are no cores. steps: None where nothing steers. resting: None
    where rungs are not cores of one type. losses: None without a rule for overload; who is refused
    has neither latency nor wait. rung_ns: threads times time on each rung, of all requests; None
    where rungs are whole cores.
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
    energy: Energy | None = None
    steps: Steps | None = None
    clock: ClockTimes | None = None
    resting: Resting | None = None
    losses: Losses | None = None
    rung_ns: NDArray[np.float64] | None = None

    @property
    def was_cut_off(self) -> bool:
        """Whether the system filled up and the replay stopped early."""
        return self.arrived < len(self.latency_ns)

    @property
    def measured(self) -> slice:
        """The requests after warming up; all of them if the replay was cut off before."""
        return slice(self.measured_from if self.arrived > self.measured_from else 0, self.arrived)

    @property
    def served(self) -> NDArray[np.bool_] | slice:
        """Which of the measured requests were not refused."""
        return self.served_in(self.measured)

    def served_in(self, part: slice) -> NDArray[np.bool_] | slice:
        """Which of a part of the requests were not refused."""
        return slice(None) if self.losses is None else ~self.losses.is_refused[part]

    @property
    def latencies_ns(self) -> NDArray[np.int64]:
        """Of the measured requests that were not refused."""
        return self.latency_ns[self.measured][self.served]

    def tail_ns(self, percentile_ppm: int, among: NDArray[np.bool_] | None = None) -> int:
        """The percentile of the measured latencies, an order statistic; of nobody's it is 0.

        among: of which of them; None: of all.
        """
        latency_ns = self.latencies_ns if among is None else self.latencies_ns[among]
        if not len(latency_ns):
            return 0
        place = percentile_rank(percentile_ppm, len(latency_ns)) - 1
        return int(np.partition(latency_ns, place)[place])

    @property
    def utilization(self) -> float | None:
        """Of the pool that is used most; None where no pool is limited.

        Where rungs are whole cores, of all cores: the fast ones may be held all the time on a
        server with room to spare.
        """
        if self.energy is not None:
            return self.mean_threads * PPM / sum(self.capacity_ppm)
        limited = [used for used in self.utilization_by_pool if used is not None]
        return max(limited, default=None)

    @property
    def saturation(self) -> float | None:
        """The utilization, of cores that adapt that at the highest frequency.

        One near 1 tells that there is no more to be had.
        """
        if self.clock is not None and self.clock.adapts:
            return self.level_shares[-1] * (self.utilization or 0.0)
        return self.utilization

    @property
    def level_shares(self) -> tuple[float, ...]:
        """Share of the time of busy cores at each level, while arrivals were measured."""
        assert self.clock is not None
        level_ns = self.clock.level_ns[list(self._measured_phases)].sum(axis=0)
        busy_ns = float(level_ns.sum())
        return tuple(float(at) / busy_ns if busy_ns else 0.0 for at in level_ns)

    @property
    def utilization_by_pool(self) -> tuple[float | None, ...]:
        """Threads that ran over the pool's capacity, while arrivals were measured."""
        return tuple(
            self._mean(state.BUSY + state.POOL_COLUMNS * pool) / supply_ppm
            if 0 < supply_ppm < NEVER_NS
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
    def mean_thread_ns(self) -> float:
        """Threads times time that a measured request took that was not refused, in the mean.

        0 where all were.
        """
        thread_ns = self.thread_ns[self.measured][self.served]
        return float(thread_ns.mean()) if len(thread_ns) else 0.0

    @property
    def mean_energy(self) -> float:
        """What a measured request drew, in the mean, in units of power times nanoseconds."""
        assert self.energy is not None
        return float(self.energy.of_request[self.measured].mean())

    @property
    def mean_power(self) -> float:
        """What requests drew, while arrivals were measured, in units of power."""
        assert self.energy is not None
        return _ratio_of(self.energy.drawn, self._measured_phases, self.integrals)

    @property
    def mean_idle_power(self) -> float:
        """What free cores drew, while arrivals were measured, in units of power.

        Batch work of a chip is among it.
        """
        assert self.energy is not None
        if self.clock is not None and self.clock.chip is not None:
            return self._mean_rest_power(self.clock.chip, self.energy.idle_ppm[0] / PPM)
        free = (
            supply_ppm / PPM - threads
            for supply_ppm, threads in zip(
                self.capacity_ppm, self.mean_threads_by_pool, strict=True
            )
        )
        draws = zip(self.energy.idle_ppm, free, strict=True)
        return sum(idle_ppm / PPM * cores for idle_ppm, cores in draws)

    def _mean_rest_power(self, chip: ChipTimes, asleep: float) -> float:
        resting = sum(self.capacity_ppm) / PPM - self.mean_threads
        by_level = self.batch_shares
        batch = float((by_level * chip.power_mw).sum()) / _MILLI
        return batch + (resting - float(by_level.sum())) * asleep

    @property
    def batch_shares(self) -> NDArray[np.float64]:
        """Share of the measured time that each core of a chip did batch work at each level.

        float64 (cores, levels).
        """
        assert self.clock is not None
        assert self.clock.chip is not None
        return self._share_of_time(self.clock.chip.batch_ns)

    @property
    def limited_shares(self) -> NDArray[np.float64]:
        """Share of the measured time that a chip went how far for its limit, (4,) as `Limited`."""
        assert self.clock is not None
        assert self.clock.chip is not None
        return self._share_of_time(self.clock.chip.limited_ns)

    def _share_of_time(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        phases = list(self._measured_phases)
        return sums[phases].sum(axis=0) / self.integrals[phases, state.SPAN].sum()

    @property
    def mean_idle_energy(self) -> float:
        """The idle power by request: over as long as one arrives every so often, as measured."""
        return self.by_request(self.mean_idle_power)

    def by_request(self, mean: float) -> float:
        """A mean over the time that was measured, as a share of its integral for each request."""
        span = float(self.integrals[list(self._measured_phases), state.SPAN].sum())
        return mean * span / (self.measured.stop - self.measured.start)

    @property
    def mean_waking(self) -> tuple[float, float]:
        """Cores beside which batch work woke up, while arrivals were measured: free, and not."""
        assert self.resting is not None
        free, held = self.resting.waking.T
        parts = self._measured_phases, self.integrals
        return _ratio_of(free, *parts), _ratio_of(held, *parts)

    @property
    def idle_periods_ns(self) -> NDArray[np.int64]:
        """How long cores were free, each time before a measured request came to one."""
        assert self.resting is not None
        idle_ns = self.resting.idle_ns[self.measured]
        return idle_ns[idle_ns > 0]

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
        return _ratio_of(self.integrals[:, quantity], self._measured_phases, self.integrals)

    @property
    def _measured_phases(self) -> tuple[int, ...]:
        measured = (state.FIRST_HALF, state.SECOND_HALF)
        is_any = any(self.integrals[phase, state.SPAN] > 0 for phase in measured)
        return measured if is_any else (state.WARM_UP,)


def _ratio(integrals: NDArray[np.float64], quantity: int) -> float:
    span = float(integrals[state.SPAN])
    return float(integrals[quantity]) / span if span > 0 else 0.0


def _ratio_of(
    sums: NDArray[np.float64], phases: tuple[int, ...], integrals: NDArray[np.float64]
) -> float:
    """An integral over the time of some phases."""
    span = sum(float(integrals[phase, state.SPAN]) for phase in phases)
    return sum(float(sums[phase]) for phase in phases) / span if span > 0 else 0.0


def nearest_us(time_ns: _Time) -> _Time:
    """Whole microseconds; halves go up."""
    return (time_ns + NS_PER_US // 2) // NS_PER_US
