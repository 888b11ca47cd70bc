"""Compute which share of requests, and of their resources, falls into one row of a table.

A replay gives the arrival, start and exit of each request. They determine the number in the system
at any time, the row that applies, and the ticks at which each request climbs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.table import Ladder, Rule
from tailc.models.core_types.arrays import core_table
from tailc.models.outcome import Outcome
from tailc.models.pools import NEVER_NS
from tailc.models.shared_cores.arrays import ladder_arrays
from tailc.percentiles import PPM

Times = NDArray[np.int64]

# Number of stretches of requests between two events that are processed together.
_MOST_STRETCHES = 1_000_000


@dataclass(frozen=True)
class OccupancyShares:
    """How much one table cell (row and age) matters: shares in millionths of the measured requests.

    requests_ppm: share of requests in the system at some time while the row applies. held_time_ppm:
    share of the resource use while the row applies. turning_ppm: share of requests that reach the
    age while they run and the row applies. older_held_time_ppm: share of the resource use by
    requests of that age or older while the row applies.
    """

    requests_ppm: int
    held_time_ppm: int
    turning_ppm: int
    older_held_time_ppm: int


@dataclass(frozen=True, eq=False)
class RowTimeline:
    """Which row of a ladder applies over time: `row[k]` from `since_ns[k]` to `since_ns[k + 1]`."""

    since_ns: Times
    row: NDArray[np.int64]

    def step_at(self, time_ns: Times) -> NDArray[np.int64]:
        """Index k of the interval of each time, after all events of that instant."""
        return np.searchsorted(self.since_ns, time_ns, side="right") - 1


def total_occupancy(counts: Sequence[ReplayCounts]) -> OccupancyShares:
    """Add up the counts of all replications, and convert them to shares."""
    requests = sum(one.requests for one in counts)
    held_ns = sum(one.held_ns for one in counts)
    return OccupancyShares(
        round(sum(one.passing for one in counts) / requests * PPM),
        round(sum(one.row_held_ns for one in counts) / held_ns * PPM),
        round(sum(one.turning for one in counts) / requests * PPM),
        round(sum(one.older_held_ns for one in counts) / held_ns * PPM),
    )


@dataclass(frozen=True)
class ReplayCounts:
    """Counts of requests and of resource use for a cell, in one replication.

    passing: requests in the system while the row applies. turning: requests that reach the cell's
    age while they run and the row applies. held_ns: all use of the resource [ns]; row_held_ns:
    while the row applies; older_held_ns: of that, by requests of the age or older.
    """

    requests: int
    passing: int
    turning: int
    held_ns: float
    row_held_ns: float
    older_held_ns: float


@dataclass(frozen=True, eq=False)
class HeldResources:
    """The resources that a running request holds by its age, as arrays of the shared-core engine.

    row_of_load: row of the table by number in the system. held_ppm: amount of the resource by rung.
    reach_ns: age [ns] at which each rung is reached, by row and rung.
    """

    row_of_load: NDArray[np.int32]
    keeps_row: bool
    ages_from_arrival: bool
    quantum_ns: int
    held_ppm: NDArray[np.int64]
    reach_ns: NDArray[np.int64]


def held_resources(table: Ladder, rate_mrps: int, most_in_system: int) -> HeldResources:
    """Compute the resources that a running request holds under a table, by its age.

    most_in_system: number in the system up to which rows are looked up.
    """
    if Rule.CORE_PER_REQUEST not in table.rules:
        arrays = ladder_arrays((table,), rate_mrps, most_in_system)
        parts = arrays.row_of_load, arrays.keeps_row, arrays.ages_from_arrival, arrays.quantum_ns
        return HeldResources(*parts, arrays.threads_ppm, arrays.reach_ns)
    cores = core_table((table,), rate_mrps, most_in_system)
    parts = cores.row_of_load, cores.keeps_row, cores.ages_from_arrival, cores.quantum_ns
    rows = len(cores.reach_us)
    return HeldResources(*parts, np.array([PPM], np.int64), np.zeros((rows, 1), np.int64))


def replay_counts(
    outcome: Outcome, table: HeldResources, loads: tuple[int, int | None], age_ns: int
) -> ReplayCounts:
    """Count requests and held resources of one replication for the row that spans `loads`."""
    return _Replay(outcome, table, loads).counts(age_ns)


class _Replay:
    def __init__(
        self, outcome: Outcome, table: HeldResources, loads: tuple[int, int | None]
    ) -> None:
        self._table, self._outcome = table, outcome
        self._arrival_ns = outcome.arrival_ns
        self._start_ns = outcome.arrival_ns + outcome.wait_ns
        self._exit_ns = outcome.arrival_ns + outcome.latency_ns
        since_ns, in_system = _in_system(self._arrival_ns, self._exit_ns)
        last = in_system.max() if loads[1] is None else loads[1]
        self._in_row = (in_system >= loads[0]) & (in_system <= last)
        rows = table.row_of_load[0]
        self._steps = RowTimeline(
            since_ns, rows[np.minimum(in_system, len(rows) - 1)].astype(np.int64)
        )

    def counts(self, age_ns: int) -> ReplayCounts:
        turn_ns = age_ns + (self._arrival_ns if self._table.ages_from_arrival else self._start_ns)
        measured = np.arange(len(turn_ns))[self._outcome.measured]
        passing, turning = self._passes()[measured].sum(), self._turns(turn_ns)[measured].sum()
        held_ns = self._held_ns(measured, turn_ns) / PPM
        return ReplayCounts(len(measured), int(passing), int(turning), *held_ns.tolist())

    def _passes(self) -> NDArray[np.bool_]:
        """Whether the row applies at some time from arrival to exit."""
        since_ns = self._steps.since_ns
        held_ns = np.append(0, np.cumsum(np.diff(since_ns) * self._in_row[:-1]))

        def held_until_ns(time_ns: Times) -> Times:
            step = self._steps.step_at(time_ns)
            return held_ns[step] + (time_ns - since_ns[step]) * self._in_row[step]

        return held_until_ns(self._exit_ns) > held_until_ns(self._arrival_ns)

    def _turns(self, turn_ns: Times) -> NDArray[np.bool_]:
        runs = (turn_ns >= self._start_ns) & (turn_ns < self._exit_ns)
        return runs & self._in_row[self._steps.step_at(turn_ns)]

    def _held_ns(self, requests: NDArray[np.int64], turn_ns: Times) -> NDArray[np.float64]:
        """Resource use times time of some requests.

        Total, in the row, and there from the age on.
        """
        # Without requests that were refused or cut off at their start.
        requests = requests[self._exit_ns[requests] > self._start_ns[requests]]
        total = np.zeros(3)
        if not len(requests):
            return total
        first, count = self._stretches(requests)
        parts = -(-int(count.sum()) // _MOST_STRETCHES)
        for part in np.array_split(np.arange(len(requests)), parts):
            total += self._held_parts(requests[part], first[part], count[part], turn_ns)
        return total

    def _stretches(self, requests: NDArray[np.int64]) -> tuple[Times, Times]:
        """The step in which each request starts, and the number of steps that it runs over."""
        first = self._steps.step_at(self._start_ns[requests])
        last = np.searchsorted(self._steps.since_ns, self._exit_ns[requests], side="left") - 1
        return first, last - first + 1

    def _held_parts(
        self, requests: NDArray[np.int64], first: Times, count: Times, turn_ns: Times
    ) -> NDArray[np.float64]:
        begins = np.cumsum(count) - count
        who = np.repeat(requests, count)
        step = np.repeat(first - begins, count) + np.arange(len(who))
        since_ns, start_ns = self._steps.since_ns, self._start_ns[who]
        low_ns = np.maximum(since_ns[step], start_ns)
        high_ns = np.minimum(since_ns[step + 1], self._exit_ns[who])
        row = self._steps.row[np.repeat(first, count) if self._table.keeps_row else step]
        older_ns = np.clip(turn_ns[who], low_ns, high_ns)
        held_ppm, below = self._table.held_ppm.tolist(), 0
        whole, older = np.zeros(len(who)), np.zeros(len(who))
        for rung, cost in enumerate(held_ppm):
            due_ns = self._due(rung, who, row, low_ns)
            climbed = np.where(due_ns < high_ns, due_ns, NEVER_NS)
            at_ns = np.repeat(np.minimum.reduceat(climbed, begins), count)
            whole += (cost - below) * np.maximum(high_ns - np.maximum(low_ns, at_ns), 0)
            older += (cost - below) * np.maximum(high_ns - np.maximum(older_ns, at_ns), 0)
            below = cost
        here = self._in_row[step]
        return np.array([whole.sum(), whole[here].sum(), older[here].sum()])

    def _due(self, rung: int, who: Times, row: Times, now_ns: Times) -> Times:
        """The tick at which each request reaches a rung, if its present row stays."""
        quantum_ns, start_ns = self._table.quantum_ns, self._start_ns[who]
        head_ns = self._outcome.wait_ns[who] if self._table.ages_from_arrival else 0
        reach_ns = self._table.reach_ns[row, rung]
        left_ns = np.maximum(reach_ns - head_ns, now_ns - start_ns)
        ticks = np.maximum(-(-left_ns // quantum_ns), 1)
        due_ns = np.where(
            (now_ns == start_ns) & (reach_ns <= head_ns), start_ns, start_ns + ticks * quantum_ns
        )
        return np.where(reach_ns >= NEVER_NS, NEVER_NS, due_ns)


def _in_system(arrival_ns: Times, exit_ns: Times) -> tuple[Times, NDArray[np.int64]]:
    """Times of all events, and the number in the system after each; exits come first."""
    times_ns = np.concatenate([exit_ns, arrival_ns])
    change = np.repeat([-1, 1], len(arrival_ns))
    order = np.argsort(times_ns, kind="stable")
    return times_ns[order], np.cumsum(change[order])
