"""A ladder as flat arrays for the engine: times in nanoseconds, rows indexed by load."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, TailcError
from tailc.forms.ladder.lookup import row_at
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

NS_PER_US = 1_000
PPM = 1_000_000
# Later than any time in a replay, and far enough below 2^63 to be added to one.
NEVER_NS = 1 << 61


class Lowered(NamedTuple):
    """What the engine reads; a NamedTuple because compiled code takes it as it is.

    row_of_load: row for 0, 1, 2, ... in the system, the last entry for all above.
    on_exit, delay_ns: admission of each row.
    reach_ns: (rows, rungs + 1), age at which a row is on rung k or above; NEVER_NS if it never is.
    due_after_ns: the same rounded up to the request's next tick, the first of which is one quantum
    after its start.
    threads_ppm: cost of each rung in the shared unit, of which the server has capacity_ppm.
    boost_below_ppm: 0 without boosting.
    """

    row_of_load: NDArray[np.int32]
    on_exit: NDArray[np.bool_]
    delay_ns: NDArray[np.int64]
    reach_ns: NDArray[np.int64]
    due_after_ns: NDArray[np.int64]
    quantum_ns: int
    threads_ppm: NDArray[np.int64]
    capacity_ppm: int
    boost_below_ppm: int
    ages_from_arrival: bool


def lower(ladder: Ladder, rate_mrps: int, most_in_system: int) -> Lowered:
    """The ladder for loads up to `most_in_system`; a table by rate is read once, at `rate_mrps`.

    Raises TailcError for a ladder that asks for what the engine does not do: descending, keeping
    the first row read, or sharing more than one cost unit.
    """
    _check_rules(ladder)
    unit, capacity_ppm = _shared_unit(ladder)
    rows, row_of_load = _rows_by_load(ladder, rate_mrps, most_in_system)
    quantum_ns = ladder.quantum_us * NS_PER_US
    reach_ns = np.array([_reach(row, len(ladder.rungs)) for row in rows], dtype=np.int64)
    ticks = np.maximum(-(-reach_ns // quantum_ns), 1)
    return Lowered(
        row_of_load=row_of_load,
        on_exit=np.array([row.admission.kind is AdmissionKind.ON_EXIT for row in rows]),
        delay_ns=np.array([row.admission.delay_us * NS_PER_US for row in rows], dtype=np.int64),
        reach_ns=reach_ns,
        due_after_ns=np.where(reach_ns >= NEVER_NS, NEVER_NS, ticks * quantum_ns),
        quantum_ns=quantum_ns,
        threads_ppm=np.array([_cost(rung.cost_ppm, unit) for rung in ladder.rungs], dtype=np.int64),
        capacity_ppm=capacity_ppm,
        boost_below_ppm=ladder.boost.below_ppm if ladder.boost else 0,
        ages_from_arrival=Rule.AGE_FROM_ARRIVAL in ladder.rules,
    )


def _check_rules(ladder: Ladder) -> None:
    if len(ladder.rows) == 1:
        return
    for rule in (Rule.NEVER_DESCEND, Rule.REREAD_ROW):
        if rule not in ladder.rules:
            _refuse(f"a ladder of several rows without the rule `{rule.value}` cannot be replayed")


def _shared_unit(ladder: Ladder) -> tuple[int | None, int]:
    """The cost unit that requests compete for, and the server's supply (huge without one)."""
    limited = [i for i, unit in enumerate(ladder.cost_units) if unit.capacity_ppm is not None]
    if len(limited) > 1:
        names = ", ".join(f"`{ladder.cost_units[i].name}`" for i in limited)
        _refuse(f"a replay shares one cost unit, and this ladder limits several: {names}")
    if ladder.boost is not None and limited != [ladder.boost.unit]:
        _refuse("boosting counts a cost unit that the server has no stated capacity of")
    if not limited:
        return None, NEVER_NS
    capacity_ppm = ladder.cost_units[limited[0]].capacity_ppm
    assert capacity_ppm is not None
    return limited[0], capacity_ppm


def _cost(cost_ppm: tuple[int, ...], unit: int | None) -> int:
    return PPM if unit is None else cost_ppm[unit]


def _rows_by_load(
    ladder: Ladder, rate_mrps: int, most_in_system: int
) -> tuple[list[Row], NDArray[np.int32]]:
    if ladder.load_axis is LoadAxis.RATE:
        return [_row(ladder, rate_mrps)], np.zeros(1, dtype=np.int32)
    last_distinct = max(ladder.rows[-1].first_load, ladder.guard.max_load + 1)
    rows: list[Row] = []
    number: dict[Row, int] = {}
    row_of_load: list[int] = []
    for load in range(min(last_distinct, most_in_system) + 1):
        row = _row(ladder, load)
        if row not in number:
            number[row] = len(rows)
            rows.append(row)
        row_of_load.append(number[row])
    return rows, np.array(row_of_load, dtype=np.int32)


def _row(ladder: Ladder, load: int) -> Row:
    guard = ladder.guard
    if guard.outside is Outside.FIRST_RUNG and not guard.min_load <= load <= guard.max_load:
        return Row(0, None, AT_ONCE, (Climb(0, 0),))
    return row_at(ladder, load)


def _reach(row: Row, rungs: int) -> list[int]:
    ages = [
        min((climb.age_us for climb in row.climbs if climb.rung >= rung), default=None)
        for rung in range(rungs + 1)
    ]
    return [NEVER_NS if age is None else age * NS_PER_US for age in ages]


def _refuse(sentence: str) -> None:
    raise TailcError(Finding(Code.METHOD_UNFIT, sentence))
