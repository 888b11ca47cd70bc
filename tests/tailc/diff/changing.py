"""Ladders drawn at random, and one row of one of them changed."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tailc.diff.rows import ClimbChange, RowChange
from tailc.forms.ladder.table import ON_EXIT, Admission, Climb, Ladder, Row


def with_row(ladder: Ladder, number: int, row: Row) -> Ladder:
    return replace(ladder, rows=(*ladder.rows[:number], row, *ladder.rows[number + 1 :]))


def changed_row(rng: Random, row: Row, rungs: tuple[str, ...]) -> tuple[Row, RowChange]:
    """The row changed in one way, and the change that a comparison must find."""
    ways = ["admission", *(["age", "drop"] if len(row.climbs) > 1 else [])]
    match rng.choice(ways):
        case "age":
            return _other_age(rng, row, rungs)
        case "drop":
            place = rng.randrange(1, len(row.climbs))
            gone = row.climbs[place]
            climbs = (*row.climbs[:place], *row.climbs[place + 1 :])
            change = ClimbChange(rungs[gone.rung], gone.age_us, None)
            return replace(row, climbs=climbs), _found(row, climbs=(change,))
    admission = rng.choice(
        [ON_EXIT, Admission.after_delay(0), Admission.after_delay(rng.randint(1, 10**6))]
    )
    if admission == row.admission:
        admission = Admission.after_delay(admission.delay_us + 1)
    pair = (row.admission, admission)
    return replace(row, admission=admission), _found(row, admission=pair)


def _other_age(rng: Random, row: Row, rungs: tuple[str, ...]) -> tuple[Row, RowChange]:
    """The last climb at another age after the one before."""
    *kept, last = row.climbs
    age_us = last.age_us
    while age_us == last.age_us:
        age_us = kept[-1].age_us + rng.randint(1, 10**6)
    change = ClimbChange(rungs[last.rung], last.age_us, age_us)
    climbs = (*kept, Climb(age_us, last.rung))
    return replace(row, climbs=climbs), _found(row, climbs=(change,))


def _found(row: Row, *, admission=None, climbs=()) -> RowChange:
    return RowChange(row.first_load, row.last_load, admission, None, climbs)
