"""Find what a table decides for a request of some age at some load, and by which row."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, TailcError
from tailc.forms.ladder.lookup import row_at, rung_at
from tailc.forms.ladder.table import AT_ONCE, Climb, Ladder, LoadAxis, Outside, Row, Rule


@dataclass(frozen=True)
class Decision:
    """What a ladder decides for a request of an age at a load, and the row that decides.

    age_us: counted as the table counts ages, from the start of execution or from arrival.
    is_outside: whether the load is outside the table's range, so that its guard decides.
    """

    table: Ladder
    load: int
    age_us: int
    row: Row
    is_outside: bool

    @property
    def climb(self) -> Climb:
        """The last climb at or before the age, which decides the request's rung."""
        return max((one for one in self.row.climbs if one.age_us <= self.age_us), key=_age)

    @property
    def upcoming(self) -> Climb | None:
        """The first climb after the request's age; None if there is none."""
        later = [one for one in self.row.climbs if one.age_us > self.age_us]
        return min(later, key=_age, default=None)

    @property
    def rung(self) -> int:
        """The rung of the request since the last tick, at which its age was checked.

        A climb takes effect at the first tick after its age. A request that has given up is on the
        first rung.
        """
        return 0 if self.gave_up else rung_at(self.row, self._tick_us)

    @property
    def gave_up(self) -> bool:
        """Whether a request of this age has given up and stays on the first rung."""
        sharing = self.table.sharing
        return sharing is not None and sharing.gives_up(self._tick_us)

    @property
    def _tick_us(self) -> int:
        """Age of the last tick; the age itself if it counts from arrival (ticks are unknown)."""
        return self.age_us - (0 if self.from_arrival else self.age_us % self.table.quantum_us)

    @property
    def from_arrival(self) -> bool:
        """Whether the table counts ages from arrival, instead of the start of execution."""
        return Rule.AGE_FROM_ARRIVAL in self.table.rules

    def happens_us(self, climb: Climb) -> tuple[int, int]:
        """Earliest and latest age [us] at which a climb happens; ages are checked only at ticks."""
        quantum_us = self.table.quantum_us
        if climb.age_us == 0:
            return 0, 0
        if self.from_arrival:
            return climb.age_us, climb.age_us + quantum_us
        tick_us = -(-climb.age_us // quantum_us) * quantum_us
        return tick_us, tick_us


def table_of(policy: Policy) -> Ladder:
    """The policy's single table by number in the system; TailcError for other policies."""
    if not policy.ladders:
        raise _unfit(policy, "has no table of rungs that requests climb")
    if policy.controller is not None:
        raise _unfit(policy, "has a controller, which scales its ages")
    table, *others = policy.ladders
    if others or table.request_class is not None:
        raise _unfit(policy, "has a table for each class of requests")
    if table.load_axis is not LoadAxis.IN_SYSTEM:
        raise _unfit(policy, "has rows by arrival rate")
    return table


def decision(table: Ladder, load: int, age_us: int) -> Decision:
    """Look up the decision of the table at `load` and `age_us`."""
    guard = table.guard
    is_outside = not guard.min_load <= load <= guard.max_load
    if is_outside and guard.outside is Outside.FIRST_RUNG:
        row = Row(load, load, AT_ONCE, (Climb(0, 0),))
    else:
        row = row_at(table, load)
    return Decision(table, load, age_us, row, is_outside)


def _age(climb: Climb) -> int:
    return climb.age_us


def _unfit(policy: Policy, why: str) -> TailcError:
    message = f"policy `{policy.name}` {why}, but `why` explains cells of fixed tables by load"
    return TailcError(Finding(Code.USAGE, message, help="use `tailc lookup`"))
