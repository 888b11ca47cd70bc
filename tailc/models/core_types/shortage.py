"""Find types of cores that are scarce, and the requests that must give up a core; compiled.

A unit is a type of core. It is *short* if all its cores are in use and another request wants one:
the first waiting request, a running request on a lower unit, or the oldest request on a short unit
below, which has to leave that unit. Units are ordered by their lowest rungs. Haque et al., MICRO
2017, sections 1 and 4.3, describe it for any number of types and give the details for two.
"""

from __future__ import annotations

from tailc.models.core_types.arrays import NOWHERE
from tailc.models.integrals import NO_REQUEST
from tailc.models.kernel_decorators import loop, once, part
from tailc.models.pools import NEVER_NS


@once  # pragma: no cover - compiled
def is_any_held_below_free(state, table):
    """Whether all cores of some type are busy while a faster core is free."""
    is_held = False
    for rung in range(len(table.unit_of)):
        if state.free[table.unit_of[rung]] == 0:
            is_held = True
        elif is_held:
            return True
    return False


@loop  # pragma: no cover - compiled
def find_shortages(state, first_row, first_born, table):
    """Find, for each core type, its oldest request and the time from which cores may be scarce.

    A core type is short if all its cores are in use and another request wants one. The results are
    in `state`. first_row, first_born: row and arrival of the first waiting request; NO_REQUEST if
    there is none.
    """
    server = state.server
    state.short_at[:] = NEVER_NS
    state.eldest[:] = NO_REQUEST
    for place in range(server.running):
        job = state.jobs[state.order[place]]
        unit = table.unit_of[job.rung]
        if state.eldest[unit] == NO_REQUEST:
            state.eldest[unit] = place
        _claim(state, job.row, job.born, job.rung, table.lowest[unit], table)
    if first_row != NO_REQUEST:
        _claim(state, first_row, first_born, -1, -1, table)
    for rung in range(len(table.unit_of)):
        if table.lowest[table.unit_of[rung]] == rung:
            _pass_shortage_on(state, table.unit_of[rung], table)


@part  # pragma: no cover - compiled
def _claim(state, row, born, rung, lowest, table):
    """Note from when a request on a rung, of a unit that begins at `lowest`, wants full units."""
    now = state.server.now
    for higher in range(rung + 1, len(table.unit_of)):
        unit = table.unit_of[higher]
        from_ns, until_ns = state.reach_ns[row, higher], state.reach_ns[row, higher + 1]
        if state.free[unit] > 0 or table.lowest[unit] <= lowest:
            continue
        if from_ns < until_ns and born + until_ns > now:
            state.short_at[unit] = min(state.short_at[unit], max(born + from_ns, now))


@once  # pragma: no cover - compiled
def _pass_shortage_on(state, unit, table):
    """Let the oldest request on a short unit want the next unit, which may make that short."""
    if state.short_at[unit] == NEVER_NS or state.eldest[unit] == NO_REQUEST:
        return
    up = table.next_unit[state.jobs[state.order[state.eldest[unit]]].rung]
    if up != NOWHERE and state.free[table.unit_of[up]] == 0:
        above = table.unit_of[up]
        state.short_at[above] = min(state.short_at[above], state.short_at[unit])


@part  # pragma: no cover - compiled
def time_to_make_room(state, place, rung, table):
    """Time at which a running request has to give up its core; never if another request has to.

    place: the request's place in the order of age. rung: the rung of its core.
    """
    unit = table.unit_of[rung]
    return state.short_at[unit] if state.eldest[unit] == place else NEVER_NS
