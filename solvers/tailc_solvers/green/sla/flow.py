"""One job on groups whose buses are known, without a solver: flows and one multiplier.

Of the reduced program for one job (`reduced`) all but the promise of green slots is a flow of V
servers through groups and epochs. With a multiplier l on the promise, 0 <= l <= penalty,

    bound(l) = min over flows y of [ cost(y) - l green(y) ] + l G

is a lower bound on the cost, and greatest where the optimal flows of one l have green(y) on both
sides of G. The secant through two flows is the next l, in fractions, until it is there: then the
flows between them are optimal for l as well, and one is taken that has G green slots, or the next
ones below and above that whole cycles of servers allow. What that leaves is the gap.

The bound is of the whole program: moves cost what the grid charges for them, and nothing as far as
green energy is left over. Where moves overdraw the green bus, servers of green groups
are left out, or no moves made there; the bound stays that of all flows.

Source: the multiplier is Everett's (Operations Research 11, 1963).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tailc_solvers.green.sla.check import Fault, figures_of, load_of
from tailc_solvers.green.sla.kernels import Costs, Difference, Walk, Ways, exchange, route
from tailc_solvers.green.sla.problem import PPM, Groups, Job, Placement, Whole, check_jobs
from tailc_solvers.green.sla.solution import Solution, best_of, no_room, proposed

MOST_PARTS = 1_000
"""Of a micro-dollar that costs are counted in, so that moves cost a whole number of them."""

REPAIRS = 8
"""Times that less is allowed because moves overdraw the green bus."""

ENOUGH_PPM = 1
"""Of the revenue, a gap at which the search for a multiplier ends."""

REPAIRED_PPM = 100
"""Of the revenue, a gap at which no other repair is tried."""


def place_job(groups: Groups, job: Job) -> Solution:
    """The best place of a job on what is free, or turned away where it brings nothing.

    A running job without room has no plan: INFEASIBLE. The time grows with groups times epochs, and
    with how often the room is broken up, at most with the job's width.
    """
    check_jobs([job], groups.groups, groups.epochs)
    found = [_placed(groups, job, int(start)) for start in job.starts]
    if not job.is_running:
        found.insert(0, turned_away(groups, [job]))
    return best_of(found)


def turned_away(groups: Groups, jobs: Sequence[Job]) -> Solution:
    """The plan without any of the jobs."""
    plan = (None,) * len(jobs)
    return proposed(groups, jobs, plan, figures_of(groups, jobs, plan).value)


def _placed(groups: Groups, job: Job, start: int) -> Solution:
    """The best placement from a start, or what is left of it when the green bus carries it."""
    network = _Network(groups, job, start)
    best = network.best(groups.free)
    tried = _tried(network, best.flows, best.value)
    found = list(tried) or [no_room(groups)]
    if any(_is_overdrawn(one) for one in tried):
        for avoid in (_keep_still, _leave_out):
            if not _is_enough(found, job):
                found += _repaired(network, best, avoid)
    return best_of(found)


Avoid = Callable[["_Network", Whole, Placement], tuple["_Network", Whole]]
"""From a placement that overdraws the green bus, a network and what is free, without it."""


def _repaired(network: _Network, best: _Best, avoid: Avoid) -> list[Solution]:
    """Plans of networks in which less and less is allowed, until one overdraws nothing."""
    groups, found = network.groups, []
    free, flows = groups.free, best.flows
    for _ in range(REPAIRS):
        tried = _tried(network, flows, best.value)
        found += tried
        over = [flow for flow, one in zip(flows, tried, strict=True) if _is_overdrawn(one)]
        if not over or _is_enough(found, network.job):
            break
        network, free = avoid(network, free, Placement(network.start, over[0].servers))
        flows = network.best(free).flows
    return found


def _is_enough(found: list[Solution], job: Job) -> bool:
    return best_of(found).gap <= job.revenue * REPAIRED_PPM / PPM


def _tried(network: _Network, flows: list[_Flow], value: float) -> list[Solution]:
    plans = [(Placement(network.start, flow.servers),) for flow in flows]
    return [proposed(network.groups, [network.job], plan, value) for plan in plans]


def _is_overdrawn(solution: Solution) -> bool:
    return Fault.GREEN_OVERDRAWN in solution.faults


def _leave_out(network: _Network, free: Whole, placement: Placement) -> tuple[_Network, Whole]:
    """Without the servers that are too many, in the brownest green groups."""
    groups, less = network.groups, free.copy()
    slots, _ = load_of(groups, [network.job], (placement,))
    over = _overdraft(network, placement)
    for t in np.flatnonzero(over > 0).tolist():
        servers = -(-int(over[t]) // groups.energy.server)
        for g in np.flatnonzero(groups.is_green[:, t] & (slots[:, t] > 0)).tolist():
            fewer = min(servers, int(slots[g, t]))
            less[g, t] = slots[g, t] - fewer
            servers -= fewer
    return network, less


def _keep_still(network: _Network, free: Whole, placement: Placement) -> tuple[_Network, Whole]:
    """With dear moves where they are too many, and further around each time: else they go next."""
    over = np.flatnonzero(_overdraft(network, placement) > 0).tolist()
    around = range(-network.reach, network.reach + 1)
    still = network.still | {t + by for t in over for by in around}
    return replace(network, still=still, reach=network.reach + 1), free


def _overdraft(network: _Network, placement: Placement) -> Whole:
    """Energy that the green bus lacks for the placement [mJ; epochs]."""
    groups = network.groups
    drawn = groups.green_drawn(*load_of(groups, [network.job], (placement,)))
    return drawn - np.maximum(groups.green_left, 0)


class _Flow(NamedTuple):
    """Servers of a flow [groups, epochs of the job], its cost in parts, and its green slots."""

    servers: Whole
    cost: int
    green: int


class _Best(NamedTuple):
    """Flows that need be compared, and the highest value that any placement has; none: no room."""

    flows: list[_Flow]
    value: float


@dataclass(frozen=True, eq=False)
class _Network:
    """The flows of a job from one start; a running job has an epoch before, in which it is placed.

    Costs are in parts of a micro-dollar. In the epochs `still` moves cost more than they can bring;
    `reach` is how far around the next ones there are to be none.
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
    def within(self) -> slice:
        return slice(self.start, self.start + self.job.epochs)

    @property
    def lead(self) -> int:
        """Epochs before the start."""
        return 1 if self.job.is_running else 0

    @cached_property
    def is_green(self) -> Whole:
        """As 0 or 1 [groups, epochs]."""
        return self._led(self.groups.is_green[:, self.within].astype(np.int64), None)

    @cached_property
    def slot_cost(self) -> Whole:
        """Charges [groups, epochs]."""
        charge = self.parts * self.groups.charges.slot[:, None]
        return self._led(np.repeat(charge, self.job.epochs, axis=1), None)

    @cached_property
    def drawn_over(self) -> list[int]:
        """What jobs of before and this one draw without its moves, less green energy [mJ]."""
        groups, energy = self.groups, self.groups.energy
        busy = groups.busy[:, self.within].sum(axis=0) + self.job.width
        drawn = energy.server * busy + energy.move * groups.moves[:, self.within].sum(axis=0)
        return (drawn - energy.green[self.within]).tolist()

    @cached_property
    def move_costs(self) -> tuple[Whole, Whole, Whole, Whole]:
        """Few, low, middle and high of `Costs`; moves are free while green energy is left over."""
        energy, charges = self.groups.energy, self.groups.charges
        too_much = self.job.epochs * (self.job.penalty + int(charges.slot[-1]))
        found = np.zeros((4, self.lead + self.job.epochs + 1), dtype=np.int64)
        prices = energy.brown_cost[self.within].tolist()
        for t, (price, over) in enumerate(zip(prices, self.drawn_over, strict=True)):
            high = self.parts * price * energy.move // energy.server
            few = max(-over, 0) // energy.move if energy.move else 0
            # The first move that the grid pays for in part.
            partly = max(over + (few + 1) * energy.move, 0) if over < 0 else energy.move
            middle = self.parts * price * partly // energy.server
            is_still = self.start + t in self.still
            charge = self.parts * (charges.move + (too_much if is_still else 0))
            found[:, self.lead + t] = (few, charge, charge + middle, charge + high)
        if not self.lead:
            found[:, 0] = 0
        return found[0], found[1], found[2], found[3]

    def best(self, free: Whole) -> _Best:
        """The flows for what is free [groups, epochs of the horizon]."""
        room = self._led(np.minimum(free[:, self.within], self.job.width), self.job.placed)
        promised, dearest = self.job.green_slots, self.parts * self.job.penalty
        high = self._flow(room, dearest if promised else 0, 1)
        if high is None:
            return _Best([], -math.inf)
        if high.green <= promised:
            return self._compared([high], high.cost + dearest * (promised - high.green))
        low = self._flow(room, 0, 1)
        assert low is not None
        if low.green >= promised:
            return self._compared([low], low.cost)
        return self._between(room, low, high)

    def _between(self, room: Whole, low: _Flow, high: _Flow) -> _Best:
        """The flows where the bound is greatest, `low` below the promise and `high` above it."""
        promised, enough = self.job.green_slots, self.parts * self.job.revenue * ENOUGH_PPM // PPM
        least = low.cost
        while True:
            rise, run = high.cost - low.cost, high.green - low.green
            flow = self._flow(room, rise, run)
            assert flow is not None
            # The bound at this multiplier, rounded down.
            least = max(least, (run * flow.cost + rise * (promised - flow.green)) // run)
            if flow.green == promised:
                return self._compared([flow], least)
            is_last = run * (flow.cost - low.cost) == rise * (flow.green - low.green)
            if not is_last:
                low, high = (flow, high) if flow.green < promised else (low, flow)
            flows = [*self._exchanged(low, high), high]
            if is_last or min(self._with_penalty(one) for one in flows) - least <= enough:
                return self._compared(flows, least)

    def _with_penalty(self, flow: _Flow) -> int:
        missing = max(self.job.green_slots - flow.green, 0)
        return flow.cost + self.parts * self.job.penalty * missing

    def _exchanged(self, low: _Flow, high: _Flow) -> list[_Flow]:
        """Flows on the way from `low` to `high`: the last below the promise, the first above."""
        y, spare = low.servers.copy(), np.zeros_like(low.servers)
        need = self.job.green_slots - low.green
        rest = _difference(high.servers, low.servers)
        brings = exchange(y, self.is_green, need, rest, _walk(*y.shape), spare)
        return [self._counted(one) for one in ([y, y + spare] if brings else [y])]

    def _flow(self, room: Whole, rise: int, run: int) -> _Flow | None:
        """The cheapest flow where a green slot is worth rise / run parts; None: no room."""
        n, T = room.shape
        few, *steps = self.move_costs
        costs = Costs(run * self.slot_cost - rise * self.is_green, few, *(run * s for s in steps))
        shapes = ((n, T), (T + 1,), (n, T + 1), (n, T + 1), (2, T + 1), (2, T + 1))
        y, moved, *ways = (np.zeros(shape, dtype=np.int64) for shape in shapes)
        sent = route(costs, room, self.job.width, y, moved, Ways(*ways))
        return self._counted(y) if sent == self.job.width else None

    def _counted(self, y: Whole) -> _Flow:
        few, low, middle, high = self.move_costs
        moved = _arrivals(y).sum(axis=0)
        moves = low * np.minimum(moved, few) + middle * (moved > few)
        moves += high * np.maximum(moved - few - 1, 0)
        cost = int((self.slot_cost * y).sum()) + int(moves.sum())
        return _Flow(y, cost, int((self.is_green * y).sum()))

    def _compared(self, flows: list[_Flow], least: int) -> _Best:
        energy = self.groups.energy
        served = zip(energy.brown_cost[self.within].tolist(), self.drawn_over, strict=True)
        own = sum(self.parts * price * max(over, 0) // energy.server for price, over in served)
        before = self.groups.bill_before
        elsewhere = int(before.sum() - before[self.within].sum())
        value = self.job.revenue - elsewhere - (own + least) / self.parts
        return _Best([one._replace(servers=one.servers[:, self.lead :]) for one in flows], value)

    def _led(self, table: Whole, placed: Whole | None) -> Whole:
        """The table with an epoch before for a running job: `placed`, or zeros."""
        if not self.lead:
            return np.ascontiguousarray(table)
        first = np.zeros(table.shape[0], dtype=np.int64) if placed is None else placed
        return np.column_stack([first, table])


def _arrivals(y: Whole) -> Whole:
    """At each boundary, the start and the end among them [groups, epochs + 1]."""
    return np.maximum(np.diff(y, axis=1, prepend=0, append=0), 0)


def _difference(y: Whole, of: Whole) -> Difference:
    arrived = _arrivals(y) - _arrivals(of)
    left = _arrivals(y[:, ::-1])[:, ::-1] - _arrivals(of[:, ::-1])[:, ::-1]
    return Difference(y - of, arrived, np.ascontiguousarray(left), arrived.sum(axis=0))


def _walk(groups: int, epochs: int) -> Walk:
    nodes = (groups + 2) * (epochs + 1)
    return Walk(
        np.full(nodes, -1, dtype=np.int64),
        *(np.zeros(nodes + 1, dtype=np.int64) for _ in range(3)),
    )
