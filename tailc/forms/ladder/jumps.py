"""Find rows of a ladder that favour a request more than the row for a lower load."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from tailc.forms.ladder.table import ON_EXIT, Row


def jumps(rows: Sequence[Row]) -> tuple[int, ...]:
    """First loads of the rows of a ladder that favour a request more than the row before.

    Such a row gives a higher rung at some age, or a shorter wait. Rows whose requests wait for an
    exit are not compared.
    """
    timed = [row for row in rows if row.admission != ON_EXIT]
    return tuple(
        after.first_load
        for before, after in itertools.pairwise(timed)
        if after.admission.delay_us < before.admission.delay_us or _climbs_earlier(after, before)
    )


def _climbs_earlier(row: Row, other: Row) -> bool:
    return any(
        all(theirs.age_us > ours.age_us for theirs in other.climbs if theirs.rung >= ours.rung)
        for ours in row.climbs
    )
