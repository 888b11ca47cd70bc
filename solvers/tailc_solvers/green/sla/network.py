"""Flows of one job's servers through groups and epochs, with a multiplier on promised green slots.

Without the promise of green slots, the reduced program for one job (`reduced`) is a flow of V
servers through groups and epochs. With a multiplier l on the promise, 0 <= l <= penalty,

    bound(l) = min over flows y of [ cost(y) - l green(y) ] + l G

is a lower bound on the cost. It is greatest at the l whose optimal flows have green(y) on both
sides of G. The next l is the secant through two flows, as a fraction, until this l is reached: then
the flows between them are optimal for l too, and the result is one with G green slots, or the
nearest ones below and above G that whole cycles of servers allow. The rest is the gap.

Source: the multiplier is Everett's (Operations Research 11, 1963).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tailc_solvers.green.sla.cycles import FlowDifference, Walk, exchange
from tailc_solvers.green.sla.kernels import ArcCosts, Flow, Ways, route
from tailc_solvers.green.sla.problem import PPM, Groups, Job, Whole

MOST_PARTS = 1_000
"""Most parts of a micro-dollar as the unit of cost, so that moves cost an integer."""

ENOUGH_PPM = 10
"""Gap at which the search for a multiplier ends [1e-6 of the revenue]."""

REPAIRED_PPM = 100
"""Gap at which no further repair is tried [1e-6 of the revenue]."""

DEARER, CHEAPER = (5, 4), (4, 5)
"""Factors by which the value of a green slot is raised and lowered in a repair."""


class Worth(NamedTuple):
    """The value of one green server-epoch to a job: `rise` / `run` micro-dollars, as a fraction.

    It is the multiplier of the job's promise of green slots, from 0 to the penalty for a missing
    one.
    """

    rise: int
    run: int = 1

    def scale(self, factor: tuple[int, int], most: Worth) -> Worth:
        """Multiply the value of a green slot by a factor, up to `most`."""
        rise, run = self.rise * factor[0], self.run * factor[1]
        return most if rise * most.run > most.rise * run else Worth(rise, run)


class JobFlow(NamedTuple):
    """Servers of a job in each group and epoch, with the cost and the number of green slots.

    servers: number of servers [groups, epochs of the job].
    """

    servers: Whole
    cost: int
    green: int


class BestFlows(NamedTuple):
    """Flows of a job's servers to choose from, and an upper bound on the value of a placement.

    No flows: there is no room. `worth` is the multiplier with which they were found.
    """

    flows: list[JobFlow]
    value: float
    worth: Worth


@dataclass(frozen=True, eq=False)
class Network:
    """A flow network whose paths are servers of one job over time, for one start epoch.

    Attributes:
        groups: the groups of racks with their free servers and energy.
        job: the job. The current servers of a running job precede the start.
        start: first epoch of the job.
        still: epochs in which no moves are made, because they cost more than they can gain.
        reach: number of epochs around those in which moves are forbidden too.
    """

    groups: Groups
    job: Job
    start: int
    still: frozenset[int] = frozenset()
    reach: int = 0

    @property
    def parts(self) -> int:
        energy = self.groups.energy
        return min(energy.server // math.gcd(energy.server, energy.move), MOST_PARTS)

    @property
    def epoch_slice(self) -> slice:
        return slice(self.start, self.start + self.job.epochs)

    @property
    def lead(self) -> int:
        """Number of epochs in the flow network before the start: 1 for a running job, else 0."""
        return 1 if self.job.is_running else 0

    @cached_property
    def is_green(self) -> Whole:
        """Whether each group of racks is on the green bus, as 0 or 1 [groups, epochs]."""
        return self._with_epoch_before(
            self.groups.is_green[:, self.epoch_slice].astype(np.int64), None
        )

    @cached_property
    def slot_cost(self) -> Whole:
        """Charge for one server of each group in each epoch, in whole parts of a micro-dollar.

        [groups, epochs].
        """
        charge = self.parts * self.groups.charges.slot[:, None]
        return self._with_epoch_before(np.repeat(charge, self.job.epochs, axis=1), None)

    @cached_property
    def drawn_over(self) -> list[int]:
        """Energy above the green energy in each epoch, before moves of this job [mJ].

        It is the energy of existing jobs and of this job without moves, minus the green energy.
        """
        groups, energy = self.groups, self.groups.energy
        busy = groups.busy[:, self.epoch_slice].sum(axis=0) + self.job.width
        drawn = energy.server * busy + energy.move * groups.moves[:, self.epoch_slice].sum(axis=0)
        return (drawn - energy.green[self.epoch_slice]).tolist()

    @cached_property
    def move_costs(self) -> tuple[Whole, Whole, Whole, Whole]:
        """Costs of moves at each boundary of epochs: few, low, middle and high of `ArcCosts`.

        Moves that surplus green energy covers need no grid energy.
        """
        energy, charges = self.groups.energy, self.groups.charges
        too_much = self.job.epochs * (self.job.penalty + int(charges.slot[-1]))
        found = np.zeros((4, self.lead + self.job.epochs + 1), dtype=np.int64)
        prices = energy.brown_cost[self.epoch_slice].tolist()
        for t, (price, over) in enumerate(zip(prices, self.drawn_over, strict=True)):
            high = self.parts * price * energy.move // energy.server
            few = max(-over, 0) // energy.move if energy.move else 0
            # The first move that grid energy pays for in part.
            partly = max(over + (few + 1) * energy.move, 0) if over < 0 else energy.move
            middle = self.parts * price * partly // energy.server
            is_still = self.start + t in self.still
            charge = self.parts * (charges.move + (too_much if is_still else 0))
            found[:, self.lead + t] = (few, charge, charge + middle, charge + high)
        if not self.lead:
            found[:, 0] = 0
        return found[0], found[1], found[2], found[3]

    @property
    def dearest(self) -> Worth:
        """The largest value of a green slot: its penalty, or 0 if none is promised."""
        return Worth(self.parts * self.job.penalty if self.job.green_slots else 0)

    def best(self, free: Whole) -> BestFlows:
        """Find the best flows on free servers [groups, epochs of the horizon]."""
        room, promised = self._room(free), self.job.green_slots
        high = self._flow(room, self.dearest)
        if high is None:
            return BestFlows([], -math.inf, self.dearest)
        if high.green <= promised:
            return self._compare([high], self._least(high, self.dearest), self.dearest)
        low = self._flow(room, Worth(0))
        assert low is not None
        if low.green >= promised:
            return self._compare([low], low.cost, Worth(0))
        flows, least, worth = self._between(room, low, high, low.cost, self._enough(ENOUGH_PPM))
        return self._compare(flows, least, worth)

    def near(self, free: Whole, worth: Worth) -> tuple[list[JobFlow], Worth]:
        """Find good flows of the job, and the value of a green slot at which they are found.

        free: free servers by group and epoch. worth: first value that is tried for a green slot.
        The list is empty if there are too few free servers.
        """
        room, promised = self._room(free), self.job.green_slots
        tried = worth.scale(DEARER, self.dearest)
        flow = self._flow(room, tried)
        if flow is None:
            return [], worth
        enough, least = self._enough(REPAIRED_PPM // 2), self._least(flow, tried)
        if self._with_penalty(flow) - least <= enough or tried == self.dearest:
            return [self._own_flow(flow)], worth
        is_short = flow.green < promised
        for other in [self.dearest] if is_short else [worth.scale(CHEAPER, worth), Worth(0)]:
            further, tried = self._flow(room, other), other
            assert further is not None
            if (further.green < promised) != is_short:
                low, high = (flow, further) if is_short else (further, flow)
                least = max(least, self._least(further, other))
                flows, _, tried = self._between(room, low, high, least, enough)
                return [self._own_flow(one) for one in flows], tried
            flow = further
        return [self._own_flow(flow)], tried

    def _enough(self, ppm: int) -> int:
        """A share of the revenue, in parts."""
        return self.parts * self.job.revenue * ppm // PPM

    def _room(self, free: Whole) -> Whole:
        return self._with_epoch_before(
            np.minimum(free[:, self.epoch_slice], self.job.width), self.job.placed
        )

    def _least(self, flow: JobFlow, worth: Worth) -> int:
        """The bound at the multiplier of a flow, rounded down."""
        rise, run = worth
        return (run * flow.cost + rise * (self.job.green_slots - flow.green)) // run

    def _between(
        self, room: Whole, low: JobFlow, high: JobFlow, least: int, enough: int
    ) -> tuple[list[JobFlow], int, Worth]:
        """Flows, bound and multiplier at which the bound is greatest.

        `low` is below the promise and `high` is not; `least` is a bound, and flows within `enough`
        above a bound suffice.
        """
        promised = self.job.green_slots
        while True:
            worth = Worth(high.cost - low.cost, high.green - low.green)
            flows = [*self._exchange(low, high), high]
            if min(self._with_penalty(one) for one in flows) - least <= enough:
                return flows, least, worth
            flow = self._flow(room, worth)
            assert flow is not None
            least = max(least, self._least(flow, worth))
            if flow.green == promised:
                return [flow], least, worth
            rise, run = worth
            if run * (flow.cost - low.cost) == rise * (flow.green - low.green):
                return flows, least, worth
            low, high = (flow, high) if flow.green < promised else (low, flow)

    def _with_penalty(self, flow: JobFlow) -> int:
        missing = max(self.job.green_slots - flow.green, 0)
        return flow.cost + self.parts * self.job.penalty * missing

    def _exchange(self, low: JobFlow, high: JobFlow) -> list[JobFlow]:
        """Flows on the way from `low` to `high`: the last below the promise, the first above."""
        y, spare = low.servers.copy(), np.zeros_like(low.servers)
        need = self.job.green_slots - low.green
        rest = _difference(high.servers, low.servers)
        brings = exchange(y, self.is_green, need, rest, _walk(*y.shape), spare)
        return [self._count(one) for one in ([y, y + spare] if brings else [y])]

    def _flow(self, room: Whole, worth: Worth) -> JobFlow | None:
        """The cheapest flow with this value of a green slot; None: no room."""
        rise, run = worth
        few, *steps = self.move_costs
        slot = _by_epoch(run * self.slot_cost - rise * self.is_green)
        costs, free = ArcCosts(slot, few, *(run * step for step in steps)), _by_epoch(room)
        flow = Flow.none(slot, free)
        sent = route(costs, free, self.job.width, flow, Ways.room(*slot.shape))
        return self._count(np.ascontiguousarray(flow.y.T)) if sent == self.job.width else None

    def _count(self, y: Whole) -> JobFlow:
        few, low, middle, high = self.move_costs
        moved = _arrivals(y).sum(axis=0)
        moves = low * np.minimum(moved, few) + middle * (moved > few)
        moves += high * np.maximum(moved - few - 1, 0)
        cost = int((self.slot_cost * y).sum()) + int(moves.sum())
        return JobFlow(y, cost, int((self.is_green * y).sum()))

    def _compare(self, flows: list[JobFlow], least: int, worth: Worth) -> BestFlows:
        energy = self.groups.energy
        served = zip(energy.brown_cost[self.epoch_slice].tolist(), self.drawn_over, strict=True)
        own = sum(self.parts * price * max(over, 0) // energy.server for price, over in served)
        before = self.groups.bill_before
        elsewhere = int(before.sum() - before[self.epoch_slice].sum())
        value = self.job.revenue - elsewhere - (own + least) / self.parts
        return BestFlows([self._own_flow(one) for one in flows], value, worth)

    def _own_flow(self, flow: JobFlow) -> JobFlow:
        """The flow without the epoch before."""
        return flow._replace(servers=flow.servers[:, self.lead :])

    def _with_epoch_before(self, table: Whole, placed: Whole | None) -> Whole:
        """The table with an epoch before for a running job: `placed`, or zeros."""
        if not self.lead:
            return np.ascontiguousarray(table)
        first = np.zeros(table.shape[0], dtype=np.int64) if placed is None else placed
        return np.column_stack([first, table])


def _by_epoch(table: Whole) -> Whole:
    """[groups, epochs] as [epochs, groups]."""
    return np.ascontiguousarray(table.T)


def _arrivals(y: Whole) -> Whole:
    """Arrivals at each boundary, including the start and the end [groups, epochs + 1]."""
    return np.maximum(np.diff(y, axis=1, prepend=0, append=0), 0)


def _difference(y: Whole, of: Whole) -> FlowDifference:
    arrived = _arrivals(y) - _arrivals(of)
    left = _arrivals(y[:, ::-1])[:, ::-1] - _arrivals(of[:, ::-1])[:, ::-1]
    return FlowDifference(y - of, arrived, np.ascontiguousarray(left), arrived.sum(axis=0))


def _walk(groups: int, epochs: int) -> Walk:
    nodes = (groups + 2) * (epochs + 1)
    return Walk(
        np.full(nodes, -1, dtype=np.int64),
        *(np.zeros(nodes + 1, dtype=np.int64) for _ in range(3)),
    )
