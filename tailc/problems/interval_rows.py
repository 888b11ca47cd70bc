"""Build the rows of a table, by number of requests in the system, from the solved loads."""

from __future__ import annotations

from tailc.forms.ladder.table import ON_EXIT, Admission, Climb, Row
from tailc.problems.schedule import LadderSolution, Schedule, SolvedRow


def interval_rows(
    solution: LadderSolution, *, waits_for_exit: bool, from_arrival: bool
) -> list[Row]:
    """Make the rows of a ladder, one per load, from the solved schedules.

    Ages count from the start, or with `from_arrival` from arrival. With `waits_for_exit`, a request
    waits for another to exit if its load has no schedule, or has the longest possible wait, and at
    every higher load. It then starts on the first rung, with the climbs of the previous row at
    later ages (Haque et al., ASPLOS 2015, section 4.1 and table 2). Otherwise every load must have
    a schedule.
    """
    rows: list[Row] = []
    climbs: tuple[Climb, ...] = (Climb(0, 0),)
    for solved in solution.rows:
        assert solved.schedule is not None or waits_for_exit
        if solved.schedule is not None:
            climbs = _climbs_of(solved.schedule, from_arrival)
        if solved.schedule is None or (waits_for_exit and _waits_longest(solved, solution)):
            rows.append(_at_exit(solved.load, climbs))
        else:
            admission = Admission.after_delay(solved.schedule.wait_us)
            rows.append(Row(solved.load, solved.load, admission, climbs))
    if waits_for_exit:
        rows.append(_at_exit(solution.rows[-1].load + 1, climbs))
    return rows


def _at_exit(load: int, climbs: tuple[Climb, ...]) -> Row:
    return Row(load, load, ON_EXIT, (Climb(0, 0), *climbs[1:]))


def _climbs_of(schedule: Schedule, from_arrival: bool) -> tuple[Climb, ...]:
    """The schedule's climbs; counted from arrival, all but the first are later by the wait."""
    first, *later = schedule.climbs()
    shift_us = schedule.wait_us if from_arrival else 0
    return (first, *(Climb(climb.age_us + shift_us, climb.rung) for climb in later))


def _waits_longest(solved: SolvedRow, solution: LadderSolution) -> bool:
    longest_us = solution.longest_wait_us
    assert solved.schedule is not None
    return longest_us is not None and solved.schedule.wait_us >= longest_us
