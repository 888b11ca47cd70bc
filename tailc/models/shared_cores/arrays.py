"""Convert ladders to flat arrays for the engine of shared cores; rows are indexed by load."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.lookup import row_at
from tailc.forms.ladder.overload import NO_OVERLOAD, Overload
from tailc.forms.ladder.sharing import NO_SHARING, Sharing
from tailc.forms.ladder.table import (
    AT_ONCE,
    AdmissionKind,
    Climb,
    Ladder,
    LoadAxis,
    Outside,
    Row,
    Rule,
)
from tailc.models.outcome import NS_PER_US
from tailc.models.pools import NEVER_NS, PPM, Pools, pools, refuse

# What all ladders of one replay share, with its name in messages.
_SHARED = {
    "rungs": "rungs",
    "cost_units": "cost units",
    "quantum_us": "quanta",
    "rules": "rules",
    "boost": "boosting",
    "power": "power",
    "overload": "rules for overload",
    "sharing": "rules for sharing",
}


class LadderArrays(NamedTuple):
    """Ladders as arrays for the replay of shared cores; `ladder_arrays` makes it.

    Rows of all ladders share one numbering. A pool is a limited resource, such as cores.

    Attributes:
        row_of_load: row of each ladder for 0, 1, 2, ... requests in the system; the last entry is
            for all higher loads (ladders, loads).
        on_exit, delay_ns: admission rule of each row: start at an exit, or after a delay (rows,).
        reach_ns: age at which a row is on rung k or above; NEVER_NS if it never is (rows, rungs +
            1).
        due_after_ns: the same, rounded up to the request's next tick; the first tick is one quantum
            after the start.
        quantum_ns: time between two ticks of a request.
        keeps_row: whether a request keeps the row that it read at its start.
        may_descend: whether a request moves down if its row has a lower rung for its age.
        threads_ppm, pool_of: cost of each rung in its pool [1e-6], and number of the pool (rungs,).
        capacity_ppm: capacity of each pool; NEVER_NS for the pool of rungs that share nothing.
        boost_below_ppm, boost_pool: limit of boosted threads, 0 without boosting, and their pool.
        boosts_at_start: whether a request that starts on the last rung may be boosted.
        cut_off_ns: run time after which a request leaves unfinished; NEVER_NS without one.
        ages_from_arrival: whether ages count from arrival instead of start.
        cut_age_ns: the age at which a rule ends a request.
        shed_from, degrade_from: number in the system from which an arrival is refused, or degraded
            to `work_share` of its work; NEVER_NS without such a rule.
        start_below_ppm, start_pool: the first waiting request starts while less than this of the
            pool is in use; 0: its row decides.
        give_up_ns: the age from which a request stays on the first rung.
    """

    row_of_load: NDArray[np.int32]
    on_exit: NDArray[np.bool_]
    delay_ns: NDArray[np.int64]
    reach_ns: NDArray[np.int64]
    due_after_ns: NDArray[np.int64]
    quantum_ns: int
    keeps_row: bool
    may_descend: bool
    threads_ppm: NDArray[np.int64]
    pool_of: NDArray[np.int32]
    capacity_ppm: NDArray[np.int64]
    boost_below_ppm: int
    boost_pool: int
    boosts_at_start: bool
    cut_off_ns: int
    ages_from_arrival: bool
    cut_age_ns: int
    shed_from: int
    degrade_from: int
    work_share: float
    start_below_ppm: int
    start_pool: int
    give_up_ns: int

    @property
    def relieves(self) -> bool:
        """Whether an overload rule (refuse, degrade or cut off) can reduce the server's work."""
        return min(self.cut_age_ns, self.shed_from, self.degrade_from) < NEVER_NS


def ladder_arrays(
    ladders: Sequence[Ladder],
    rate_mrps: int,
    most_in_system: int,
    *,
    cut_off_us: int | None = None,
    boosts_at_start: bool = False,
) -> LadderArrays:
    """Convert the ladders for loads up to `most_in_system`; read a table by rate at `rate_mrps`.

    With `cut_off_us` a request leaves after running for that time, its work unfinished.
    `boosts_at_start` also boosts requests that start on the last rung.

    Raises TailcError for what the engine does not support: ladders on different rungs, a rung that
    shares several cost units, boosting or starts by a unit without capacity.
    """
    ladder = first_compatible(ladders)
    # Ladders with whole cores are replayed by `tailc.models.core_types`.
    assert Rule.CORE_PER_REQUEST not in ladder.rules
    rows, row_of_load = rows_by_load(ladders, rate_mrps, most_in_system)
    shared = pools(ladder)
    quantum_ns = ladder.quantum_us * NS_PER_US
    reach_ns = np.array([_reach(row, len(ladder.rungs)) for row in rows], dtype=np.int64)
    return LadderArrays(
        row_of_load=row_of_load,
        on_exit=np.array([row.admission.kind is AdmissionKind.ON_EXIT for row in rows]),
        delay_ns=np.array([row.admission.delay_us * NS_PER_US for row in rows], dtype=np.int64),
        reach_ns=reach_ns,
        due_after_ns=_due_after_ns(reach_ns, quantum_ns),
        quantum_ns=quantum_ns,
        keeps_row=Rule.REREAD_ROW not in ladder.rules,
        may_descend=_may_descend(ladder, len(rows)),
        threads_ppm=shared.cost_ppm,
        pool_of=shared.pool_of,
        capacity_ppm=shared.capacity_ppm,
        boost_below_ppm=ladder.boost.below_ppm if ladder.boost else 0,
        boost_pool=shared.boost_pool,
        boosts_at_start=boosts_at_start,
        cut_off_ns=NEVER_NS if cut_off_us is None else cut_off_us * NS_PER_US,
        ages_from_arrival=Rule.AGE_FROM_ARRIVAL in ladder.rules,
        **_losses(ladder.overload or NO_OVERLOAD),
        **_sharing(ladder.sharing or NO_SHARING, shared),
    )


def _sharing(sharing: Sharing, shared: Pools) -> dict[str, int]:
    """When requests may start, and when they give up."""
    limited = sharing.start_unit in shared.cost_unit
    if sharing.start_unit is not None and not limited:
        refuse("the rule for starts counts a cost unit without a limit, or that no rung uses")
    return {
        "start_below_ppm": sharing.start_below_ppm or 0,
        "start_pool": shared.cost_unit.index(sharing.start_unit) if limited else 0,
        "give_up_ns": NEVER_NS if sharing.give_up_us is None else sharing.give_up_us * NS_PER_US,
    }


def _losses(overload: Overload) -> dict[str, Any]:
    """The load or age at which each rule for overload begins to apply."""
    return {
        "cut_age_ns": NEVER_NS if overload.cut_off_us is None else overload.cut_off_us * NS_PER_US,
        "shed_from": NEVER_NS if overload.shed_from is None else overload.shed_from,
        "degrade_from": NEVER_NS if overload.degrade_from is None else overload.degrade_from,
        "work_share": 1.0 if overload.work_ppm is None else overload.work_ppm / PPM,
    }


def first_compatible(ladders: Sequence[Ladder]) -> Ladder:
    """Check that the ladders of all classes can share one server, and return the first ladder.

    Raises TailcError if they cannot, for example if their rungs differ.
    """
    first = ladders[0]
    for name, what in _SHARED.items():
        if any(getattr(ladder, name) != getattr(first, name) for ladder in ladders):
            refuse(f"ladders with different {what} cannot be replayed on one server")
    return first


def _may_descend(ladder: Ladder, rows: int) -> bool:
    """Whether a request may move to a lower rung: only if there are other rows to read."""
    rereads, descends = Rule.REREAD_ROW in ladder.rules, Rule.NEVER_DESCEND not in ladder.rules
    return rows > 1 and rereads and descends


def rows_by_load(
    ladders: Sequence[Ladder], rate_mrps: int, most_in_system: int
) -> tuple[list[Row], NDArray[np.int32]]:
    """List the rows of all ladders, and the number of each ladder's row at each load."""
    loads = max(_distinct_loads(ladder, most_in_system) for ladder in ladders)
    number: dict[Row, int] = {}
    row_of_load = np.empty((len(ladders), loads), np.int32)
    for i, ladder in enumerate(ladders):
        if ladder.load_axis is LoadAxis.RATE:
            row_of_load[i] = number.setdefault(_row(ladder, rate_mrps), len(number))
            continue
        for first_load in _firsts(ladder, loads):
            row = _row(ladder, first_load)
            row_of_load[i, first_load:] = number.setdefault(row, len(number))
    return list(number), row_of_load


def _firsts(ladder: Ladder, loads: int) -> list[int]:
    """Loads below `loads` from which another row is read."""
    guard = ladder.guard
    firsts = {0, guard.min_load, guard.max_load + 1, *(row.first_load for row in ladder.rows)}
    return sorted(first_load for first_load in firsts if first_load < loads)


def _distinct_loads(ladder: Ladder, most_in_system: int) -> int:
    """Number in the system from which all higher loads read the same row."""
    if ladder.load_axis is LoadAxis.RATE:
        return 1
    last_distinct = max(ladder.rows[-1].first_load, ladder.guard.max_load + 1)
    return min(last_distinct, most_in_system) + 1


def _row(ladder: Ladder, load: int) -> Row:
    guard = ladder.guard
    if guard.outside is Outside.FIRST_RUNG and not guard.min_load <= load <= guard.max_load:
        return Row(0, None, AT_ONCE, (Climb(0, 0),))
    return row_at(ladder, load)


def _reach(row: Row, rungs: int) -> list[int]:
    reach_ns = [NEVER_NS] * (rungs + 1)
    for climb in reversed(row.climbs):  # ages and rungs ascend
        reach_ns[: climb.rung + 1] = [climb.age_us * NS_PER_US] * (climb.rung + 1)
    return reach_ns


def _due_after_ns(reach_ns: NDArray[np.int64], quantum_ns: int) -> NDArray[np.int64]:
    ticks = np.maximum(-(-reach_ns // quantum_ns), 1)
    return np.where(reach_ns >= NEVER_NS, NEVER_NS, ticks * quantum_ns)
