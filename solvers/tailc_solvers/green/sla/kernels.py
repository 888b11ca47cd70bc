"""Send a job's servers through groups and epochs at least cost, by successive shortest paths.

The graph has a place (t, g) for each boundary of epochs t = 0..T and each group, and two hubs for
each boundary, one to leave to and one to arrive from. Spending epoch t in group g leads from (t, g)
to (t + 1, g), costs w_tg and has room for free_tg. Any place of a boundary leads to its hub of
departures and can be reached from its hub of arrivals, both at no cost; an arc from one hub to the
other is a move. Moves at a boundary cost more and more: the first `few` cost `low` each, the next
one `middle`, the others `high`. Flow goes from the departures of boundary 0 to those of boundary T.
As departures and arrivals are [y_g(t-1) - y_gt]+ and [y_gt - y_g(t-1)]+, the servers y [T, groups]
are the whole flow.

An arc with flow has a residual arc back, which returns its cost. Shortest paths with such arcs are
found by sweeping forward and back over the boundaries where a distance decreased, until none does;
there are no cycles of negative cost (Ahuja, Magnanti, Orlin, Network Flows, 1993, section 9.7:
successive shortest paths). Groups come last in every array, so that a boundary is one run of
memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.loops import inlined_loops, inner_loops, plain_loops

Whole = NDArray[np.int64]

FAR = np.int64(2**60)
"""More than twice what any way costs; ways through places not reached yet cost about this."""

LEAVING, ARRIVING = 0, 1
"""The two hubs of a boundary."""

SPENT, UNSPENT, ARRIVED, RETURNED = 0, 1, 2, 3
"""How a place is reached: an epoch on, an epoch back, from arrivals, or back from departures."""

CROSSED = -2
"""A hub is reached from the other one of its boundary, not from a group."""


class ArcCosts(NamedTuple):
    """Arc costs in the flow network of a job: a server for an epoch, and moves between epochs.

    slot: cost of a server of a group for an epoch; may be negative [T, groups]. low, middle, high:
    cost of each of the first `few` moves at a boundary of epochs (green energy covers them), of the
    next one, and of each further one [T + 1]. few: that number of moves [T + 1]. All are 0 at the
    first and the last boundary.
    """

    slot: Whole
    few: Whole
    low: Whole
    middle: Whole
    high: Whole


class Flow(NamedTuple):
    """A flow of a job's servers through groups and epochs, with quantities derived from it.

    y: servers [T, groups]. net: VMs that arrive in a group at a boundary of epochs, less those that
    leave it [T + 1, groups]. moved: arrivals in all groups [T + 1]. on, back: cost of one more
    server, and of one fewer; FAR if impossible [T, groups].
    """

    y: Whole
    net: Whole
    moved: Whole
    on: Whole
    back: Whole

    @classmethod
    def none(cls, slot: Whole, free: Whole) -> Flow:
        """Make an empty flow with these costs of slots and numbers of free servers [T, groups]."""
        (T, n), nothing = slot.shape, np.zeros(slot.shape, dtype=np.int64)
        net, moved = (np.zeros(shape, dtype=np.int64) for shape in ((T + 1, n), (T + 1,)))
        return cls(nothing, net, moved, np.where(free > 0, slot, FAR), np.full_like(slot, FAR))


class Ways(NamedTuple):
    """Working memory of the search for shortest paths through a flow network.

    Attributes:
        place, hub: distance of each place [T + 1, groups] and of each hub [T + 1, 2].
        place_from, hub_from: the arc by which each place and hub is reached.
        ahead, behind: boundaries of epochs after which, and before which, paths must be updated [T
            + 1].
    """

    place: Whole
    place_from: Whole
    hub: Whole
    hub_from: Whole
    ahead: Whole
    behind: Whole

    @classmethod
    def room(cls, epochs: int, groups: int) -> Ways:
        """Allocate working memory for a search of paths in a network of this size."""
        places, hubs = (epochs + 1, groups), (epochs + 1, 2)
        shapes = (places, places, hubs, hubs, (epochs + 1,), (epochs + 1,))
        return cls(*(np.zeros(shape, dtype=np.int64) for shape in shapes))


@inner_loops
def move_cost(costs, t, moved):
    """Cost of one more move of servers at a boundary of epochs, and how many moves have that cost.

    moved: number of servers that move there already.
    """
    if moved < costs.few[t]:
        return costs.low[t], costs.few[t] - moved
    if moved == costs.few[t]:
        return costs.middle[t], 1
    return costs.high[t], FAR


@inner_loops
def moves_back(costs, t, moved):
    """Number of moves at an epoch boundary that have the same marginal cost as the last one.

    moved: number of servers that move there. It is the number of moves that can be undone before
    the marginal cost changes.
    """
    if moved - 1 < costs.few[t]:
        return moved
    return 1 if moved - 1 == costs.few[t] else moved - 1 - costs.few[t]


@inlined_loops
def nearest(place, net):
    """Least distances at a boundary of epochs from its places to each of its two hubs.

    place: distances of the places. net: arrivals less departures of each place in the flow.
    """
    leaving, arriving = FAR, FAR
    for g in range(place.shape[0]):
        leaving = min(leaving, FAR if net[g] > 0 else place[g])
        arriving = min(arriving, place[g] if net[g] > 0 else FAR)
    return leaving, arriving


@inlined_loops
def relax_hub(place, net, kind, least, hub, hub_from):
    """Reduce the distance to a hub to `least`, and record the first place at that distance.

    A hub joins the places (groups of racks) at the boundary of two epochs.
    """
    if least >= hub[kind]:
        return
    hub[kind] = least
    for g in range(place.shape[0]):
        if place[g] == least and (net[g] > 0) == (kind == ARRIVING):
            hub_from[kind] = g
            return


@inlined_loops
def cross(costs, t, moved, hub, hub_from):
    """Update the distances of the two hubs at epoch boundary `t`: each may lead to the other.

    moved: servers that move at this boundary in the current flow. hub, hub_from: distances, and the
    arcs by which hubs are reached.
    """
    if moved > 0:
        there = hub[ARRIVING] - move_cost(costs, t, moved - 1)[0]
        if there < hub[LEAVING]:
            hub[LEAVING] = there
            hub_from[LEAVING] = CROSSED
    there = hub[LEAVING] + move_cost(costs, t, moved)[0]
    if there < hub[ARRIVING]:
        hub[ARRIVING] = there
        hub_from[ARRIVING] = CROSSED


@inlined_loops
def relax_places(place, place_from, net, leaving, arriving):
    """Update the distances of the places at a boundary of epochs that are reached from its hubs.

    leaving, arriving: distances of the two hubs.
    """
    n = place.shape[0]
    less = 0
    for g in range(n):
        less += (leaving if net[g] < 0 else arriving) < place[g]
    if less == 0:
        return
    for g in range(n):
        there = leaving if net[g] < 0 else arriving
        how = RETURNED if net[g] < 0 else ARRIVED
        place_from[g] = how if there < place[g] else place_from[g]
        place[g] = min(there, place[g])


@inlined_loops
def relax_boundary(costs, flow, t, ways):
    """Update the distances of hubs and places at the boundary of two epochs by each other."""
    place, net, hub, hub_from = ways.place[t], flow.net[t], ways.hub[t], ways.hub_from[t]
    leaving, arriving = nearest(place, net)
    relax_hub(place, net, LEAVING, leaving, hub, hub_from)
    relax_hub(place, net, ARRIVING, arriving, hub, hub_from)
    cross(costs, t, flow.moved[t], hub, hub_from)
    relax_places(place, ways.place_from[t], net, hub[LEAVING], hub[ARRIVING])
    ways.ahead[t] = ways.behind[t] = 1


@inlined_loops
def relax_epoch(cost, how, place, there, there_from):
    """Shorten paths through one epoch in a search for shortest paths.

    Return whether any is shorter.

    place: distances of the places at one end of the epoch [groups]. cost: costs of the arcs to the
    other end. there: distances at the other end; reduced where the path through this epoch is
    shorter. there_from: set to `how` where that is the case.
    """
    n = place.shape[0]
    less = 0
    for g in range(n):
        less += place[g] + cost[g] < there[g]
    if less == 0:
        return False
    for g in range(n):
        way = place[g] + cost[g]
        there_from[g] = how if way < there[g] else there_from[g]
        there[g] = min(way, there[g])
    return True


@inner_loops
def shortest_way(costs, flow, ways):
    """Compute the shortest paths through a flow network from its first epoch boundary.

    Writes distances and arcs to `ways`; returns whether the last boundary is reachable.
    """
    T = flow.y.shape[0]
    place, came = ways.place, ways.place_from
    place[:] = FAR
    ways.hub[:] = FAR
    ways.hub_from[:] = -1
    ways.hub[0, LEAVING] = 0
    relax_boundary(costs, flow, 0, ways)
    fell = True
    while fell:
        fell = False
        for t in range(T):
            if ways.ahead[t] == 1:
                ways.ahead[t] = 0
                if relax_epoch(flow.on[t], SPENT, place[t], place[t + 1], came[t + 1]):
                    relax_boundary(costs, flow, t + 1, ways)
        for t in range(T, 0, -1):
            if ways.behind[t] == 1:
                ways.behind[t] = 0
                if relax_epoch(flow.back[t - 1], UNSPENT, place[t], place[t - 1], came[t - 1]):
                    relax_boundary(costs, flow, t - 1, ways)
                    fell = True
    return ways.hub[T, LEAVING] < FAR // 2


@plain_loops
def change(costs, free, flow, t, g, more):
    """Change the servers of a group in an epoch of a flow, and update the costs of its arcs.

    t, g: epoch and group. more: change of the number of servers.
    """
    y, net, moved, on, back = flow
    y[t, g] += more
    on[t, g] = costs.slot[t, g] if y[t, g] < free[t, g] else FAR
    back[t, g] = -costs.slot[t, g] if y[t, g] > 0 else FAR
    for at, by in ((t, more), (t + 1, -more)):
        moved[at] -= max(net[at, g], 0)
        net[at, g] += by
        moved[at] += max(net[at, g], 0)


@inner_loops
def along_way(costs, free, flow, ways, most, push):
    """Capacity of the shortest path of a flow network, from its first to its last boundary.

    most: limit of the capacity. push: if above 0, that many servers are sent along the path
    instead.
    """
    y, t = flow.y, flow.y.shape[0]
    kind = LEAVING
    room = most
    while True:
        g = ways.hub_from[t, kind]
        if g == -1:
            return room
        if g == CROSSED:
            if push == 0:
                here = moves_back(costs, t, flow.moved[t])
                on = move_cost(costs, t, flow.moved[t])[1]
                room = min(room, on if kind == ARRIVING else here)
            kind = 1 - kind
            continue
        if push == 0 and kind == ARRIVING:
            room = min(room, flow.net[t, g])
        # At place (t, g), until it was reached from a hub.
        while True:
            how = ways.place_from[t, g]
            if how == SPENT:
                t -= 1
                if push == 0:
                    room = min(room, free[t, g] - y[t, g])
                else:
                    change(costs, free, flow, t, g, push)
            elif how == UNSPENT:
                if push == 0:
                    room = min(room, y[t, g])
                else:
                    change(costs, free, flow, t, g, -push)
                t += 1
            else:
                if push == 0 and how == RETURNED:
                    room = min(room, -flow.net[t, g])
                kind = LEAVING if how == RETURNED else ARRIVING
                break


@plain_loops
def route(costs, free, width, flow, ways):
    """Send `width` servers through the network at least cost; return how many fit.

    Args:
        costs: costs of arcs.
        free: servers of each group in each epoch [T, groups].
        width: servers to send.
        flow: initially empty; set to the flow.
        ways: buffers.
    """
    sent = 0
    while sent < width and shortest_way(costs, flow, ways):
        room = along_way(costs, free, flow, ways, width - sent, np.int64(0))
        along_way(costs, free, flow, ways, 0, room)
        sent += room
    return sent
