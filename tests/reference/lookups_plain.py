"""What another ladder would do first at the look-ups of a replay, request by request; slow.

Each request walks the instants of its own life and asks the form's own look-up, so this shares
nothing with the compiled comparison but the meaning.
"""

from __future__ import annotations

from dataclasses import dataclass

from tailc.forms.ladder.lookup import Start, lookup
from tailc.forms.ladder.table import Ladder, Rule

NS_PER_US = 1_000


@dataclass(frozen=True)
class Life:
    """One request as OLD ran it."""

    arrival_ns: int
    start_ns: int
    exit_ns: int


@dataclass(frozen=True)
class First:
    """The first different answer: `start` or `rung`, when, with how many in the system."""

    about: str
    at_ns: int
    load: int
    old: object
    new: object


def first_difference(lives: list[Life], number: int, old: Ladder, new: Ladder) -> First | None:
    """None if NEW would do the same with the request at all of its look-ups."""
    return _of_start(lives, number, new) or _of_rungs(lives, number, old, new)


def last_rung(lives: list[Life], number: int, ladder: Ladder) -> int:
    """The rung on which the request leaves."""
    life, rung = lives[number], 0
    for now in _ticks(life, ladder):
        rung = max(rung, _rung(lives, life, now, ladder))
    return rung


def _of_start(lives: list[Life], number: int, new: Ladder) -> First | None:
    life = lives[number]
    instants = {moment for one in lives for moment in (one.arrival_ns, one.start_ns, one.exit_ns)}
    for now in sorted(instants | _ends_of_delays(lives, life, instants, new)):
        if life.arrival_ns <= now <= life.start_ns:
            starts, may = now == life.start_ns, _may_start(lives, number, now, new)
            if starts != may:
                return First("start", now, _load(lives, now), starts, may)
    return None


def _ends_of_delays(lives: list[Life], life: Life, instants: set[int], new: Ladder) -> set[int]:
    """Moments at which the wait that NEW asks for ends, if nothing happens before."""
    found = set()
    for now in instants:
        if life.arrival_ns <= now < life.start_ns:
            answer = lookup(new, _load(lives, now), 0, 0)
            end = life.arrival_ns + answer.wait_us * NS_PER_US
            following = min(moment for moment in instants if moment > now)
            if answer.start is not Start.ON_EXIT and now < end < following:
                found.add(end)
    return found


def _may_start(lives: list[Life], number: int, now: int, new: Ladder) -> bool:
    life = lives[number]
    answer = lookup(new, _load(lives, now), 0, 0)
    if _is_released(lives, number, now):
        return True
    if answer.start is Start.ON_EXIT:
        earlier_starts = [one for one in lives[:number] if one.start_ns == now]
        runs = [one for one in lives if one.start_ns < now < one.exit_ns]
        waits = [one for one in lives[:number] if one.start_ns > now]
        return not (runs or earlier_starts or waits)
    return now - life.arrival_ns >= answer.wait_us * NS_PER_US


def _is_released(lives: list[Life], number: int, now: int) -> bool:
    """Whether an exit at `now` lets it start: each lets one, the first not let yet."""
    waiters = [place for place, one in enumerate(lives) if one.arrival_ns < now <= one.start_ns]
    leaving = sum(one.exit_ns == now for one in lives)
    return number in waiters[:leaving]


def _load(lives: list[Life], now: int) -> int:
    """Requests in the system once the exits and arrivals of `now` have happened."""
    return sum(one.arrival_ns <= now for one in lives) - sum(one.exit_ns <= now for one in lives)


def _of_rungs(lives: list[Life], number: int, old: Ladder, new: Ladder) -> First | None:
    life = lives[number]
    rung = 0
    for now in _ticks(life, old):
        older = max(rung, _rung(lives, life, now, old))
        newer = max(rung, _rung(lives, life, now, new))
        if older != newer:
            return First("rung", now, _load(lives, now), older, newer)
        rung = older
    return None


def _ticks(life: Life, ladder: Ladder) -> range:
    """The request's start and its own ticks."""
    return range(life.start_ns, life.exit_ns, ladder.quantum_us * NS_PER_US)


def _rung(lives: list[Life], life: Life, now: int, ladder: Ladder) -> int:
    read_at = now if Rule.REREAD_ROW in ladder.rules else life.start_ns
    age_us = (now - life.start_ns) // NS_PER_US
    if Rule.AGE_FROM_ARRIVAL in ladder.rules:
        # in whole nanoseconds, as the engine counts; ages of climbs are whole microseconds
        age_us = (now - life.arrival_ns) // NS_PER_US
    return lookup(ladder, _load(lives, read_at), 0, age_us).rung
