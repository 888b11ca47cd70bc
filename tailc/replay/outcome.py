"""One replay: a workload in an order, arrival times and a ladder in, what happened out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tailc.replay import engine
from tailc.replay.lowered import NS_PER_US, PPM, Lowered
from tailc.replay.workload import Workload

_Time = TypeVar("_Time", int, NDArray[np.int64])


@dataclass(frozen=True, eq=False)
class Outcome:
    """What happened to the requests, in order of arrival, and the time integrals.

    arrived: how many arrived; fewer than were sent if the server was overloaded and the replay
    was cut off, and then those still in the system have their age as latency.
    """

    arrival_ns: NDArray[np.int64]
    latency_ns: NDArray[np.int64]
    wait_ns: NDArray[np.int64]
    rung: NDArray[np.int32]
    thread_ns: NDArray[np.float64]
    arrived: int
    measured_from: int
    integrals: NDArray[np.float64]
    capacity_ppm: int

    @property
    def was_cut_off(self) -> bool:
        """Whether the system filled up and the replay stopped early."""
        return self.arrived < len(self.latency_ns)

    @property
    def measured(self) -> slice:
        """The requests after warming up; all of them if the replay was cut off before."""
        return slice(self.measured_from if self.arrived > self.measured_from else 0, self.arrived)

    @property
    def utilization(self) -> float:
        """Threads that ran over the server's capacity, while arrivals were measured."""
        return self._mean(engine.BUSY) / self.capacity_ppm

    @property
    def mean_threads(self) -> float:
        """Threads of requests that had started, whether they got a core or not."""
        return self._mean(engine.THREADS) / PPM

    @property
    def mean_in_system(self) -> float:
        """Requests in the system, waiting ones included."""
        return self._mean(engine.IN_SYSTEM)

    @property
    def mean_in_system_by_half(self) -> tuple[float, float]:
        """The same over the first and over the second half of the measured arrivals."""
        first, second = self.integrals[1], self.integrals[2]
        return _ratio(first, engine.IN_SYSTEM), _ratio(second, engine.IN_SYSTEM)

    def _mean(self, quantity: int) -> float:
        measured = self.integrals[1] + self.integrals[2]
        return _ratio(measured if measured[engine.SPAN] > 0 else self.integrals[0], quantity)


def _ratio(integrals: NDArray[np.float64], quantity: int) -> float:
    span = float(integrals[engine.SPAN])
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
) -> Outcome:
    """Replay the records named by `order`, the first arriving first, on the ladder.

    `arrival_ns` ascends. `most_in_system` is where the replay is given up.
    """
    requests = len(order)
    log = engine.Log(
        np.zeros(requests, np.int64),
        np.zeros(requests, np.int64),
        np.zeros(requests, np.int32),
        np.zeros(requests, np.float64),
        np.zeros((engine.PHASES, 4), np.float64),
    )
    demand = engine.Demand(arrival_ns, load.work_ns[order], load.curve_of[order], load.speed)
    arrived = engine.replay(demand, table, measured_from, most_in_system, log)
    return Outcome(arrival_ns, *log[:4], arrived, measured_from, log.integrals, table.capacity_ppm)
