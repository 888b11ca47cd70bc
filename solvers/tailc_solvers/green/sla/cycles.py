"""Move one flow of servers towards another along the cycles of their difference.

Nodes and arcs are those of `kernels`: a place (g, t) for each group and boundary of epochs, and two
hubs for each boundary. The difference of two flows with the same number of servers is a sum of
cycles (Ahuja, Magnanti, Orlin, Network Flows, 1993, theorem 3.5).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.green.sla.kernels import ARRIVING, FAR, LEAVING
from tailc_solvers.loops import inner_loops, plain_loops

Whole = NDArray[np.int64]

ON, BACK, LEAVE, STAY_OUT, ARRIVE, STAY_IN, CROSS, UNCROSS = range(8)
"""Steps between two flows: a server more or fewer in an epoch, a departure more, an arrival fewer,
an arrival more, a departure fewer, a move more or fewer."""


class FlowDifference(NamedTuple):
    """The difference of two flows of servers between groups of racks, for T epochs.

    Each applied cycle reduces it. spent: difference of servers [groups, T]. arrived, left:
    difference of arrivals in and departures from each group [groups, T + 1]. moved: difference of
    all moves [T + 1].
    """

    spent: Whole
    arrived: Whole
    left: Whole
    moved: Whole


class Walk(NamedTuple):
    """Working memory of a walk through the difference of two flows of servers.

    visit: place in the walk at which each node was visited, or -1. node, step, group: nodes, steps
    and groups of the walk in order.
    """

    visit: Whole
    node: Whole
    step: Whole
    group: Whole


@inner_loops
def step_from(rest, node, n, T):
    """The next step of a walk through the difference of two flows of servers, from a node.

    Also returns its group. A node is g (T + 1) + t for a place (group and boundary of epochs); hubs
    come after, departures first.
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


@inner_loops
def step_from_hub(rest, kind, t):
    """The next step of a walk through the difference of two flows of servers, from a hub.

    Also returns its group.
    """
    for g in range(rest.left.shape[0]):
        if kind == LEAVING and rest.left[g, t] < 0:
            return STAY_IN, g
        if kind == ARRIVING and rest.arrived[g, t] > 0:
            return ARRIVE, g
    if kind == LEAVING:
        return (CROSS if rest.moved[t] > 0 else -1), 0
    return (UNCROSS if rest.moved[t] < 0 else -1), 0


@inner_loops
def next_node(step, g, t, n, T):
    """Number of the node of a flow network that a walk reaches by a step.

    step: the kind of step. g: group. t: boundary of epochs from which the step leads. n, T: number
    of groups and of epochs.
    """
    if step == ON:
        return g * (T + 1) + t + 1
    if step == BACK:
        return g * (T + 1) + t - 1
    if step in (ARRIVE, STAY_IN):
        return g * (T + 1) + t
    return (n + (LEAVING if step in (LEAVE, UNCROSS) else ARRIVING)) * (T + 1) + t


@inner_loops
def take_step(rest, step, g, t, units):
    """Reduce a difference of flows by `units` of a step from boundary t; return what remains."""
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


@inner_loops
def next_cycle(rest, walk, top, n, T):
    """Extend a walk through a difference of flows until it meets itself, which closes a cycle.

    Returns the ends of the cycle in the walk, or -1 twice.
    """
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


@inner_loops
def measure_cycle(rest, walk, first, last, is_green, T):
    """Measure a cycle of a flow network: how many servers it can move, and its green slots.

    Returns the number of servers, and by how many green slots each of them changes the flow.
    """
    units = FAR
    green = 0
    for at in range(first, last + 1):
        g, t = walk.group[at], walk.node[at] % (T + 1)
        units = min(units, take_step(rest, walk.step[at], g, t, np.int64(0)))
        if walk.step[at] == ON:
            green += is_green[g, t]
        elif walk.step[at] == BACK:
            green -= is_green[g, t - 1]
    return units, green


@inner_loops
def add_cycle(walk, first, last, units, y):
    """Move `units` servers along a cycle of a flow network, by changing the flow `y` in place.

    walk, first, last: a walk through the network, and the range of its arcs that form the cycle.
    """
    T = y.shape[1]
    for at in range(first, last + 1):
        g, t = walk.group[at], walk.node[at] % (T + 1)
        if walk.step[at] == ON:
            y[g, t] += units
        elif walk.step[at] == BACK:
            y[g, t - 1] -= units


@plain_loops
def exchange(y, is_green, need, rest, walk, spare):
    """Make about `need` more slots green, by moving a flow along cycles towards another flow.

    Each cycle of the difference of both flows can be applied alone and in part. Each cycle that
    makes slots green is applied with as many units as fit. The rest of `need` is then less than the
    green slots of any remaining cycle; the smallest of these cycles is written to `spare`.

    Args:
        y: the flow: servers by group and epoch; changed in place [groups, T].
        is_green: whether a group is on the green bus, as 0 or 1 [groups, T].
        need: number of additional green slots.
        rest: the other flow minus `y`; changed.
        walk: buffers.
        spare: zero; set to the change by one unit of the smallest remaining cycle [groups, T].

    Returns:
        Green slots of one unit of the spare cycle; 0 if there is none.
    """
    n, T = y.shape
    spare_green = 0
    for g in range(n):
        for t in range(T):
            while rest.spent[g, t] != 0:
                begin = g * (T + 1) + (t if rest.spent[g, t] > 0 else t + 1)
                walk.node[0] = begin
                walk.visit[begin] = 0
                first, last = next_cycle(rest, walk, np.int64(0), n, T)
                while first >= 0:
                    units, green = measure_cycle(rest, walk, first, last, is_green, T)
                    take = min(units, need // green) if green > 0 else 0
                    need -= take * green
                    add_cycle(walk, first, last, take, y)
                    if green > 0 and take < units and (spare_green == 0 or green < spare_green):
                        spare_green = green
                        spare[:, :] = 0
                        add_cycle(walk, first, last, np.int64(1), spare)
                    for at in range(first, last + 1):
                        here = walk.node[at]
                        take_step(rest, walk.step[at], walk.group[at], here % (T + 1), units)
                        if at > first:
                            walk.visit[here] = -1
                    first, last = next_cycle(rest, walk, first, n, T)
    return spare_green
