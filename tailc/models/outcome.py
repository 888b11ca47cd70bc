"""Result of a replay: requests, machine, and integrals over time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tailc.models import integrals as over
from tailc.models.observations import ControlSteps, RequestEnergy, RungTimes
from tailc.models.pools import NEVER_NS, PPM
from tailc.percentiles import percentile_rank

_Time = TypeVar("_Time", int, NDArray[np.int64])

NS_PER_US = 1_000
# The longest and the shortest requests: one in this many.
_EXTREME_PART = 20


@dataclass(frozen=True, eq=False)
class Outcome(ABC):
    """Result of one replay: values of its requests in order of arrival, and integrals over time.

    Attributes:
        latency_ns, wait_ns, rung: latency, time until the start, and last rung of each request.
        is_cut: whether a request was cut off before it ended.
        is_refused: whether it was refused, and so has neither latency nor wait; empty if none can
            be refused.
        thread_ns: sum of threads times time of each request.
        arrived: number of arrivals; less than the length of the arrays if the server was overloaded
            and the replay stopped. Then requests still in the system have their age as latency, and
            as wait if they never ran.
        measured_from: number of the first measured request, after the warm-up.
        integrals: integrals over time of 1, the requests in the system, and by pool the threads and
            the running threads (phases, 2 + 2 pools). A pool is a limited resource.
        capacity_ppm: capacity of each pool; NEVER_NS if rungs share nothing.
        rungs: number of rungs.
    """

    arrival_ns: NDArray[np.int64]
    latency_ns: NDArray[np.int64]
    wait_ns: NDArray[np.int64]
    rung: NDArray[np.int32]
    is_cut: NDArray[np.bool_]
    is_refused: NDArray[np.bool_]
    thread_ns: NDArray[np.float64]
    arrived: int
    measured_from: int
    integrals: NDArray[np.float64]
    capacity_ppm: tuple[int, ...]
    rungs: int

    @property
    @abstractmethod
    def request_energy(self) -> NDArray[np.float64]:
        """Energy of each request, in units of power times nanoseconds; empty if unknown."""

    @property
    @abstractmethod
    def utilization(self) -> float | None:
        """Utilization of the server while arrivals were measured; None if nothing is limited."""

    @property
    @abstractmethod
    def saturation(self) -> float | None:
        """Used share of the server's capacity (1: nothing is free); None if it is unknown."""

    @property
    def was_cut_off(self) -> bool:
        """Whether the system filled up and the replay stopped early."""
        return self.arrived < len(self.latency_ns)

    @property
    def measured(self) -> slice:
        """Range of the requests after the warm-up; all requests if the replay stopped before."""
        return slice(self.measured_from if self.arrived > self.measured_from else 0, self.arrived)

    @property
    def served(self) -> NDArray[np.bool_] | slice:
        """Mask of the measured requests that were served, and not refused.

        A slice if no request can be refused.
        """
        return self.served_in(self.measured)

    def served_in(self, part: slice) -> NDArray[np.bool_] | slice:
        """Mask of the requests in a range that were served, and not refused.

        part: range of requests in order of arrival. A slice if no request can be refused.
        """
        return ~self.is_refused[part] if len(self.is_refused) else slice(None)

    @property
    def latencies_ns(self) -> NDArray[np.int64]:
        """Latencies of the measured requests that were not refused [ns]."""
        return self.latency_ns[self.measured][self.served]

    def tail_ns(self, percentile_ppm: int, among: NDArray[np.bool_] | None = None) -> int:
        """The percentile of the measured latencies [ns], an order statistic; 0 without requests.

        among: which of the measured requests; None: all.
        """
        latency_ns = self.latencies_ns if among is None else self.latencies_ns[among]
        if not len(latency_ns):
            return 0
        place = percentile_rank(percentile_ppm, len(latency_ns)) - 1
        return int(np.partition(latency_ns, place)[place])

    @property
    def utilization_by_pool(self) -> tuple[float | None, ...]:
        """Utilization of each pool (limited resource): running threads / capacity.

        It is a mean over the time in which arrivals were measured; None for an unlimited pool.
        """
        return tuple(
            self._mean(over.BUSY + over.POOL_COLUMNS * pool) / supply_ppm
            if 0 < supply_ppm < NEVER_NS
            else None
            for pool, supply_ppm in enumerate(self.capacity_ppm)
        )

    @property
    def mean_threads(self) -> float:
        """Mean threads of started requests in all pools, whether or not they had a core."""
        return sum(self.mean_threads_by_pool)

    @property
    def mean_threads_by_pool(self) -> tuple[float, ...]:
        """Mean number of threads of started requests in each pool (limited resource)."""
        pools = range(len(self.capacity_ppm))
        return tuple(self._mean(over.THREADS + over.POOL_COLUMNS * pool) / PPM for pool in pools)

    @property
    def mean_thread_ns(self) -> float:
        """Mean threads times time of a measured request that was not refused [ns].

        0 if all were refused.
        """
        thread_ns = self.thread_ns[self.measured][self.served]
        return float(thread_ns.mean()) if len(thread_ns) else 0.0

    def by_request(self, mean: float) -> float:
        """Convert a mean over the measured time to an amount per measured request.

        The amount is the integral over time divided by the number of requests.
        """
        span = float(self.integrals[list(self._measured_phases), over.SPAN].sum())
        return mean * span / (self.measured.stop - self.measured.start)

    def rung_times(self, work_ns: NDArray[np.int64]) -> RungTimes:
        """Compute threads and last rungs of the measured requests.

        `work_ns`: work of all requests.
        """
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
        """Mean number of requests in the system, including waiting ones."""
        return self._mean(over.IN_SYSTEM)

    @property
    def mean_in_system_by_half(self) -> tuple[float, float]:
        """Mean number in the system over the first and over the second half of the measurement."""
        first, second = self.integrals[over.FIRST_HALF], self.integrals[over.SECOND_HALF]
        return _ratio(first, over.IN_SYSTEM), _ratio(second, over.IN_SYSTEM)

    def _mean(self, quantity: int) -> float:
        return _ratio_of(self.integrals[:, quantity], self._measured_phases, self.integrals)

    @property
    def _measured_phases(self) -> tuple[int, ...]:
        measured = (over.FIRST_HALF, over.SECOND_HALF)
        is_any = any(self.integrals[phase, over.SPAN] > 0 for phase in measured)
        return measured if is_any else (over.WARM_UP,)

    def mean_over_time(self, sums: NDArray[np.float64]) -> float:
        """Mean of a quantity over the measured time, from its integrals by phase, (phases,)."""
        return _ratio_of(sums, self._measured_phases, self.integrals)

    def shares_of_time(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Means over the measured time, from integrals over time by phase.

        sums: (phases, ...); the result has the shape (...).
        """
        span = self.sums_over_time(self.integrals)[over.SPAN]
        return self.sums_over_time(sums) / span

    def sums_over_time(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Integrals over the measured time, as the sum of those of the measured phases.

        sums: (phases, ...); the result has the shape (...).
        """
        return sums[list(self._measured_phases)].sum(axis=0)


@dataclass(frozen=True, eq=False)
class PoweredOutcome(Outcome):
    """Result of one replay in which each running request has its own core, with energy.

    steps: steps of the feedback controller; empty without a controller.
    """

    energy: RequestEnergy
    steps: ControlSteps

    @property
    @abstractmethod
    def mean_idle_power(self) -> float:
        """Mean power of free cores while arrivals were measured, in units of power."""

    @property
    def request_energy(self) -> NDArray[np.float64]:
        """Energy that each request uses on its cores, in units of power times nanoseconds."""
        return self.energy.of_request

    @property
    def utilization(self) -> float:
        """Utilization of all cores together: fast cores may be busy although others are idle."""
        return self.mean_threads * PPM / sum(self.capacity_ppm)

    @property
    def mean_energy(self) -> float:
        """Mean energy of a measured request, in units of power times nanoseconds."""
        return float(self.energy.of_request[self.measured].mean())

    @property
    def mean_power(self) -> float:
        """Mean power of requests while arrivals were measured, in units of power."""
        return self.mean_over_time(self.energy.drawn)

    @property
    def mean_idle_energy(self) -> float:
        """Energy of idle cores per request: idle power times mean time between arrivals.

        In units of power times nanoseconds.
        """
        return self.by_request(self.mean_idle_power)

    @property
    def outputs_ppm(self) -> NDArray[np.int64]:
        """The controller's output after each step [1e-6], from the first measured arrival on."""
        from_ns = self.arrival_ns[self.measured.start]
        return self.steps.output_ppm[self.steps.time_ns >= from_ns]


def free_cores_power(outcome: PoweredOutcome) -> float:
    """Mean power of free cores, as the sum over pools of free cores times their idle power.

    In units of power.
    """
    by_pool = zip(
        outcome.energy.idle_ppm, outcome.capacity_ppm, outcome.mean_threads_by_pool, strict=True
    )
    return sum(idle / PPM * (supply / PPM - threads) for idle, supply, threads in by_pool)


def _ratio(integrals: NDArray[np.float64], quantity: int) -> float:
    span = float(integrals[over.SPAN])
    return float(integrals[quantity]) / span if span > 0 else 0.0


def _ratio_of(
    sums: NDArray[np.float64], phases: tuple[int, ...], integrals: NDArray[np.float64]
) -> float:
    """An integral over the time of some phases."""
    span = sum(float(integrals[phase, over.SPAN]) for phase in phases)
    return sum(float(sums[phase]) for phase in phases) / span if span > 0 else 0.0


def nearest_us(time_ns: _Time) -> _Time:
    """Round a time in nanoseconds to whole microseconds; halves go up."""
    return (time_ns + NS_PER_US // 2) // NS_PER_US
