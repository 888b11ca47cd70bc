"""Reference semantics of a ladder look-up; every runtime must give the same answers."""

from __future__ import annotations

import enum
from bisect import bisect_right
from dataclasses import dataclass

from tailc.forms.ladder.table import AdmissionKind, Ladder, Outside, Row, Rule


class Start(enum.Enum):
    """Answer of a ladder on whether a waiting request may start now."""

    NOW = "now"
    WAIT = "wait"
    ON_EXIT = "on-exit"


@dataclass(frozen=True)
class LookupAnswer:
    """Answer of a ladder: whether a request may start, its remaining wait [us], and its rung."""

    start: Start
    wait_us: int
    rung: int


def lookup(ladder: Ladder, load: int, waited_us: int, executed_us: int) -> LookupAnswer:
    """Look up a request at `load` that has waited `waited_us` and executed `executed_us`.

    A request that has begun ignores `start` and runs on `rung` (or stays higher, under the rule
    never-descend). Ages count from the start of execution, or from arrival under age-from-arrival.
    Outside the guard the nearest row applies (clamp), or every request starts at once on the first
    rung and stays there (first-rung). Raises ValueError for negative arguments.
    """
    if min(load, waited_us, executed_us) < 0:
        raise ValueError("the load and the times waited and executed must not be negative")
    guard = ladder.guard
    if guard.outside is Outside.FIRST_RUNG and not guard.min_load <= load <= guard.max_load:
        return LookupAnswer(Start.NOW, 0, 0)
    row = row_at(ladder, load)
    age_us = executed_us
    if Rule.AGE_FROM_ARRIVAL in ladder.rules:
        age_us += waited_us
    return LookupAnswer(*_admission(row, waited_us), rung_at(row, age_us))


def row_at(ladder: Ladder, load: int) -> Row:
    """The row of a ladder for a load; for loads below all rows the first one."""
    after = bisect_right(ladder.rows, load, key=lambda row: row.first_load)
    return ladder.rows[max(after - 1, 0)]


def rung_at(row: Row, age_us: int) -> int:
    """The rung that a row gives a request of age `age_us`.

    A climb takes effect at exactly its age.
    """
    ages = [climb.age_us for climb in row.climbs]
    return row.climbs[bisect_right(ages, age_us) - 1].rung


def _admission(row: Row, waited_us: int) -> tuple[Start, int]:
    if row.admission.kind is AdmissionKind.ON_EXIT:
        return Start.ON_EXIT, 0
    left_us = max(row.admission.delay_us - waited_us, 0)
    return (Start.WAIT if left_us else Start.NOW), left_us
