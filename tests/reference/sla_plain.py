"""Plans of jobs on green and brown racks by enumeration: slow, and as the paper prints it."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil


def compositions(total, room):
    """Every way to put `total` servers into places with so much room."""
    if not room:
        if total == 0:
            yield ()
        return
    for first in range(min(total, room[0]) + 1):
        for rest in compositions(total - first, room[1:]):
            yield (first, *rest)


def places(job, free):
    """Every (start, servers by epoch and group) of a job; None first unless it runs."""
    if not job.must_run:
        yield None
    for start in job.starts.tolist():
        epochs = range(start, start + job.epochs)
        ways = [list(compositions(job.width, [row[t] for row in free])) for t in epochs]
        for servers in product(*ways):
            yield start, servers


def arrivals(job, servers):
    """Of each epoch and group."""
    before = servers[0] if job.placed is None else tuple(job.placed.tolist())
    for now in servers:
        yield tuple(max(b - a, 0) for a, b in zip(before, now, strict=True))
        before = now


def value(groups, jobs, plan, first_green):
    """Value of a plan whose groups from `first_green[t]` on are green, or None if it may not be.

    Constraints A.9 to A.11 and one green partition; jobs of before count.
    """
    energy, n = groups.energy, groups.groups
    total, charged = 0, 0
    slots = [[int(groups.busy[g, t]) for t in range(groups.epochs)] for g in range(n)]
    moves = [[int(groups.moves[g, t]) for t in range(groups.epochs)] for g in range(n)]
    for job, one in zip(jobs, plan, strict=True):
        if one is None:
            continue
        start, servers = one
        green = 0
        for k, (now, arrive) in enumerate(zip(servers, arrivals(job, servers), strict=True)):
            for g in range(n):
                slots[g][start + k] += now[g]
                moves[g][start + k] += arrive[g]
                green += now[g] if g >= first_green[start + k] else 0
                charged += now[g] * int(groups.charges.slot[g]) + arrive[g] * groups.charges.move
        total += job.revenue - job.penalty * max(0, job.green_slots - green)
    for t in range(groups.epochs):
        drawn = [energy.server * slots[g][t] + energy.move * moves[g][t] for g in range(n)]
        if any(slots[g][t] > groups.servers[g] for g in range(n)):
            return None
        if sum(drawn[first_green[t] :]) > energy.green[t]:
            return None
        brown = max(sum(drawn) - int(energy.green[t]), 0)
        total -= ceil(Fraction(brown * int(energy.brown_cost[t]), energy.server))
    return total - charged


def best(groups, jobs):
    """The highest value with the groups' buses, and a plan that has it."""
    first = [int((~groups.is_green[:, t]).sum()) for t in range(groups.epochs)]
    return _best(groups, jobs, lambda plan: value(groups, jobs, plan, first))


def best_with_any_buses(groups, jobs):
    """The same where in each epoch as many groups are green as the plan and the energy allow."""

    def freely(plan):
        first = [_first_green(groups, jobs, plan, t) for t in range(groups.epochs)]
        return value(groups, jobs, plan, first)

    return _best(groups, jobs, freely)


def _first_green(groups, jobs, plan, t):
    for first in range(groups.groups):
        drawn = 0
        for job, one in zip(jobs, plan, strict=True):
            if one is None or not 0 <= t - one[0] < job.epochs:
                continue
            now, arrive = one[1][t - one[0]], list(arrivals(job, one[1]))[t - one[0]]
            drawn += sum(groups.energy.server * s for s in now[first:])
            drawn += sum(groups.energy.move * a for a in arrive[first:])
        if drawn <= groups.energy.green[t]:
            return first
    return groups.groups


def _best(groups, jobs, value_of):
    free = groups.free.tolist()
    found = ((value_of(plan), plan) for plan in product(*(list(places(j, free)) for j in jobs)))
    return max((one for one in found if one[0] is not None), key=lambda one: one[0], default=None)
