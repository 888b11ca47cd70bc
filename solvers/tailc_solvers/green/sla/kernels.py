"""Shortest ways of a server's worth of work through groups and epochs, and cycles between flows.

The graph has a place (g, t) for each group and each boundary of epochs t = 0..T, and two hubs for
each boundary, one to leave to and one to arrive from. Spending epoch t in group g leads from (g, t)
to (g, t + 1), costs w_gt and has room for free_gt. Any place of a boundary leads to its hub of
departures and can be reached from its hub of arrivals, both for nothing; from the one hub to the
other is a move. Moves at a boundary cost more and more: the first `few` cost `low` each, the next
one `middle`, the others `high`. Flow goes from the departures of boundary 0 to those of boundary T.
As departures and arrivals are [y_g(t-1) - y_gt]+ and [y_gt - y_g(t-1)]+, the servers y [groups, T]
are the whole flow.

A way back along an arc with flow gives its cost back. Shortest ways with such arcs are found by
sweeping forth and back until no distance falls; there are no cycles of negative cost (Ahuja,
Magnanti, Orlin, Network Flows, 1993, section 9.7: successive shortest paths).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.loops import plain_loops

Whole = NDArray[np.int64]

FAR = np.int64(2**62)

LEAVING, ARRIVING = 0, 1
"""The two hubs of a boundary."""

SPENT, UNSPENT, ARRIVED, RETURNED = 0, 1, 2, 3
"""How a place is reached: an epoch on, an epoch back, from arrivals, or back from departures."""

CROSSED = -2
"""A hub is reached from the other one of its boundary, not from a group."""

ON, BACK, LEAVE, STAY_OUT, ARRIVE, STAY_IN, CROSS, UNCROSS = range(8)
"""Steps between two flows: a server more or fewer in an epoch, a departure more, an arrival fewer,
an arrival more, a departure fewer, a move more or fewer."""


class Costs(NamedTuple):
    """What ways cost.

    slot: of an epoch in a group, w; may be negative [groups, T]. few, low, middle, high: of moves
    at a boundary, none at the first and the last [T + 1].
    """

    slot: Whole
    few: Whole
    low: Whole
    middle: Whole
    high: Whole


class Ways(NamedTuple):
    """Work space: distances, and how each place [groups, T + 1] and hub [2, T + 1] is reached."""

    place: Whole
    place_from: Whole
    hub: Whole
    hub_from: Whole


class Difference(NamedTuple):
    """One flow less another, which steps use up.

    spent: servers [groups, T]. arrived, left: of each group [groups, T + 1]. moved: [T + 1].
    """

    spent: Whole
    arrived: Whole
    left: Whole
    moved: Whole


class Walk(NamedTuple):
    """Work space: -1 for each node [(groups + 2) (T + 1)], and the steps taken, one longer."""

    visit: Whole
    node: Whole
    step: Whole
    group: Whole


@plain_loops
def arrivals_less_departures(y, g, t):
    """Of a group at a boundary."""
    now = y[g, t] if t < y.shape[1] else 0
    return now - (y[g, t - 1] if t > 0 else 0)


@plain_loops
def move_cost(costs, t, moved):
    """Cost of the next move at a boundary, and for how many it holds."""
    if moved < costs.few[t]:
        return costs.low[t], costs.few[t] - moved
    if moved == costs.few[t]:
        return costs.middle[t], 1
    return costs.high[t], FAR


@plain_loops
def moves_back(costs, t, moved):
    """For how many moves at a boundary the cost of the last one holds."""
    if moved - 1 < costs.few[t]:
        return moved
    return 1 if moved - 1 == costs.few[t] else moved - 1 - costs.few[t]


@plain_loops
def relax_boundary(costs, y, moved, t, ways):
    """Distances of hubs and places of a boundary, each from the others; whether one fell."""
    place, hub = ways.place, ways.hub
    fell = False
    for g in range(y.shape[0]):
        kind = ARRIVING if arrivals_less_departures(y, g, t) > 0 else LEAVING
        if place[g, t] < hub[kind, t]:
            hub[kind, t] = place[g, t]
            ways.hub_from[kind, t] = g
            fell = True
    if moved[t] > 0 and hub[ARRIVING, t] != FAR:
        there = hub[ARRIVING, t] - move_cost(costs, t, moved[t] - 1)[0]
        if there < hub[LEAVING, t]:
            hub[LEAVING, t] = there
            ways.hub_from[LEAVING, t] = CROSSED
            fell = True
    if hub[LEAVING, t] != FAR:
        there = hub[LEAVING, t] + move_cost(costs, t, moved[t])[0]
        if there < hub[ARRIVING, t]:
            hub[ARRIVING, t] = there
            ways.hub_from[ARRIVING, t] = CROSSED
            fell = True
    for g in range(y.shape[0]):
        returns = arrivals_less_departures(y, g, t) < 0
        there = hub[LEAVING, t] if returns else hub[ARRIVING, t]
        if there < place[g, t]:
            place[g, t] = there
            ways.place_from[g, t] = RETURNED if returns else ARRIVED
            fell = True
    return fell


@plain_loops
def sweep_on(costs, free, y, moved, ways):
    """Relax boundary after boundary; whether a distance fell."""
    n, T = y.shape
    fell = relax_boundary(costs, y, moved, 0, ways)
    for t in range(T):
        for g in range(n):
            if y[g, t] < free[g, t] and ways.place[g, t] != FAR:
                there = ways.place[g, t] + costs.slot[g, t]
                if there < ways.place[g, t + 1]:
                    ways.place[g, t + 1] = there
                    ways.place_from[g, t + 1] = SPENT
                    fell = True
        if relax_boundary(costs, y, moved, t + 1, ways):
            fell = True
    return fell


@plain_loops
def sweep_back(costs, y, moved, ways):
    """Relax boundaries from the last one, against the flow; whether a distance fell."""
    n, T = y.shape
    fell = relax_boundary(costs, y, moved, T, ways)
    for t in range(T - 1, -1, -1):
        for g in range(n):
            if y[g, t] > 0 and ways.place[g, t + 1] != FAR:
                there = ways.place[g, t + 1] - costs.slot[g, t]
                if there < ways.place[g, t]:
                    ways.place[g, t] = there
                    ways.place_from[g, t] = UNSPENT
                    fell = True
        if relax_boundary(costs, y, moved, t, ways):
            fell = True
    return fell


@plain_loops
def shortest_way(costs, free, y, moved, ways):
    """Fill in the distances from the first boundary; whether there is a way to the last."""
    n, T = y.shape
    for t in range(T + 1):
        for kind in range(2):
            ways.hub[kind, t] = FAR
            ways.hub_from[kind, t] = -1
        for g in range(n):
            ways.place[g, t] = FAR
    ways.hub[LEAVING, 0] = 0
    fell = True
    while fell:
        fell = sweep_on(costs, free, y, moved, ways) and sweep_back(costs, y, moved, ways)
    return ways.hub[LEAVING, T] != FAR


@plain_loops
def along_way(costs, free, y, moved, ways, most, push):
    """Servers that the way to the last boundary has room for; with `push` so many are sent."""
    t = y.shape[1]
    kind = LEAVING
    room = most
    while True:
        g = ways.hub_from[kind, t]
        if g == -1:
            return room
        if g == CROSSED:
            if push == 0:
                here = moves_back(costs, t, moved[t])
                room = min(room, move_cost(costs, t, moved[t])[1] if kind == ARRIVING else here)
            kind = 1 - kind
            continue
        if push == 0 and kind == ARRIVING:
            room = min(room, arrivals_less_departures(y, g, t))
        # At place (g, t), until it was reached from a hub.
        while True:
            how = ways.place_from[g, t]
            if how == SPENT:
                t -= 1
                if push == 0:
                    room = min(room, free[g, t] - y[g, t])
                y[g, t] += push
            elif how == UNSPENT:
                if push == 0:
                    room = min(room, y[g, t])
                y[g, t] -= push
                t += 1
            else:
                if push == 0 and how == RETURNED:
                    room = min(room, -arrivals_less_departures(y, g, t))
                kind = LEAVING if how == RETURNED else ARRIVING
                break


@plain_loops
def route(costs, free, width, y, moved, ways):
    """Send `width` servers at the least cost; how many there is room for.

    Args:
        costs: what ways cost.
        free: servers of each group in each epoch [groups, T].
        width: servers to send.
        y: zero; the servers sent [groups, T].
        moved: zero; their arrivals [T + 1].
        ways: work space.
    """
    n, T = y.shape
    sent = 0
    while sent < width and shortest_way(costs, free, y, moved, ways):
        room = along_way(costs, free, y, moved, ways, width - sent, 0)
        along_way(costs, free, y, moved, ways, 0, room)
        sent += room
        for t in range(T + 1):
            moved[t] = 0
            for g in range(n):
                moved[t] += max(arrivals_less_departures(y, g, t), 0)
    return sent


@plain_loops
def step_from(rest, node, n, T):
    """How to go on from a node of the difference of two flows, and in which group.

    A node is g (T + 1) + t for a place; hubs come after, departures first.
    """
    row, t = node // (T + 1), node % (T + 1)
    if row >= n:
        return step_from_hub(rest, row - n, t)
    if t < T and rest.spent[row, t] > 0:
        return ON, row
    if t > 0 and rest.spent[row, t - 1] < 0:
        return BACK, row
    if rest.left[row, t] > 0:
        return LEAVE, row
    return (STAY_OUT if rest.arrived[row, t] < 0 else -1), row


@plain_loops
def step_from_hub(rest, kind, t):
    """How to go on from a hub, and in which group."""
    for g in range(rest.left.shape[0]):
        if kind == LEAVING and rest.left[g, t] < 0:
            return STAY_IN, g
        if kind == ARRIVING and rest.arrived[g, t] > 0:
            return ARRIVE, g
    if kind == LEAVING:
        return (CROSS if rest.moved[t] > 0 else -1), 0
    return (UNCROSS if rest.moved[t] < 0 else -1), 0


@plain_loops
def next_node(step, g, t, n, T):
    """Where a step from boundary t leads."""
    if step == ON:
        return g * (T + 1) + t + 1
    if step == BACK:
        return g * (T + 1) + t - 1
    if step in (ARRIVE, STAY_IN):
        return g * (T + 1) + t
    return (n + (LEAVING if step in (LEAVE, UNCROSS) else ARRIVING)) * (T + 1) + t


@plain_loops
def take_step(rest, step, g, t, units):
    """Use up `units` of a step from boundary t; how many are left of it."""
    sign = 1 if step in (ON, LEAVE, ARRIVE, CROSS) else -1
    if step in (ON, BACK):
        at = t if step == ON else t - 1
        rest.spent[g, at] -= sign * units
        return abs(rest.spent[g, at])
    if step in (LEAVE, STAY_IN):
        rest.left[g, t] -= sign * units
        return abs(rest.left[g, t])
    if step in (ARRIVE, STAY_OUT):
        rest.arrived[g, t] -= sign * units
        return abs(rest.arrived[g, t])
    rest.moved[t] -= sign * units
    return abs(rest.moved[t])


@plain_loops
def next_cycle(rest, walk, top, n, T):
    """Go on from the end of the walk until it meets itself; its ends in the walk, or -1 twice."""
    while top >= 0:
        here = walk.node[top]
        step, g = step_from(rest, here, n, T)
        if step < 0:
            # The cycle before this one has used up the walk.
            walk.visit[here] = -1
            top -= 1
            continue
        walk.step[top] = step
        walk.group[top] = g
        then = next_node(step, g, here % (T + 1), n, T)
        if walk.visit[then] >= 0:
            return walk.visit[then], top
        top += 1
        walk.node[top] = then
        walk.visit[then] = top
    return -1, -1


@plain_loops
def measure_cycle(rest, walk, first, last, is_green, T):
    """Units that a cycle has, and the green slots that one brings."""
    units = FAR
    green = 0
    for at in range(first, last + 1):
        g, t = walk.group[at], walk.node[at] % (T + 1)
        units = min(units, take_step(rest, walk.step[at], g, t, 0))
        if walk.step[at] == ON:
            green += is_green[g, t]
        elif walk.step[at] == BACK:
            green -= is_green[g, t - 1]
    return units, green


@plain_loops
def add_cycle(walk, first, last, units, y):
    """Move so many servers along a cycle."""
    T = y.shape[1]
    for at in range(first, last + 1):
        g, t = walk.group[at], walk.node[at] % (T + 1)
        if walk.step[at] == ON:
            y[g, t] += units
        elif walk.step[at] == BACK:
            y[g, t - 1] -= units


@plain_loops
def exchange(y, is_green, need, rest, walk, spare):
    """Move `y` along cycles towards another flow until `need` more slots are green, or nearly.

    The difference of two flows of one width falls into cycles, each of which may be taken alone and
    in part (Ahuja et al., theorem 3.5). Of each that makes slots green as many units are taken as
    still fit. What `need` is then left is less than any cycle brings that is not used up; the
    smallest of these is written to `spare`.

    Args:
        y: moved [groups, T].
        is_green: as 0 or 1 [groups, T].
        need: green slots more.
        rest: the other flow less `y`; used up.
        walk: work space.
        spare: zero; what one unit of the smallest cycle left adds or takes [groups, T].

    Returns:
        Green slots that one unit of the spare cycle would bring; 0 where there is none.
    """
    n, T = y.shape
    spare_green = 0
    for g in range(n):
        for t in range(T):
            while rest.spent[g, t] != 0:
                begin = g * (T + 1) + (t if rest.spent[g, t] > 0 else t + 1)
                walk.node[0] = begin
                walk.visit[begin] = 0
                first, last = next_cycle(rest, walk, 0, n, T)
                while first >= 0:
                    units, green = measure_cycle(rest, walk, first, last, is_green, T)
                    take = min(units, need // green) if green > 0 else 0
                    need -= take * green
                    add_cycle(walk, first, last, take, y)
                    if green > 0 and take < units and (spare_green == 0 or green < spare_green):
                        spare_green = green
                        spare[:, :] = 0
                        add_cycle(walk, first, last, 1, spare)
                    for at in range(first, last + 1):
                        here = walk.node[at]
                        take_step(rest, walk.step[at], walk.group[at], here % (T + 1), units)
                        if at > first:
                            walk.visit[here] = -1
                    first, last = next_cycle(rest, walk, first, n, T)
    return spare_green
