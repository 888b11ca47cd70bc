"""Rungs that are cores: who holds which, and the rung on which a request may run.

Haque et al., MICRO 2017, algorithm 1, for any number of types of core; docs/artifact-format.md
("Rungs that are cores") defines the rules. Requests start in order of arrival.
"""

from __future__ import annotations

from collections.abc import Sequence

from tailc_runtime.table import PolicyTable

NOWHERE = -1


class CorePlaces:
    """The cores of a policy, by type. `wants` are the rungs that requests want, oldest first."""

    def __init__(self, table: PolicyTable) -> None:
        self.unit_of, self.counts = table.core_unit, table.core_count
        units, rungs = self.unit_of, range(len(self.unit_of))
        others = [[r for r in rungs if units[r] not in units[: k + 1]] for k in rungs]
        # The lowest rung of the next type, by rung.
        self._next = [min(found, default=NOWHERE) for found in others]
        self._above = [self._cores({*units[k:]}) for k in rungs]
        self._below = [self._cores({*units[: k + 1]}) for k in rungs]
        self._beyond = [self._cores({units[r] for r in found}) for found in others]
        # Types in the order of their lowest rungs.
        self._types = list(dict.fromkeys(units))
        self._lowest = {unit: units.index(unit) for unit in self._types}
        # By type, its free cores; the one that became free last is taken first.
        self._free = {unit: [*range(self.counts[unit])][::-1] for unit in self._types}
        # By type and core: time below the last rung since a request started there without waiting.
        self._spent_ns = {unit: [0] * self.counts[unit] for unit in self._types}

    def is_same(self, table: PolicyTable) -> bool:
        """Whether another table has the same cores on the same rungs."""
        return (self.unit_of, self.counts) == (table.core_unit, table.core_count)

    def start(self, rung: int, has_waited: bool) -> int:
        """The time spent below the last rung on the core that a request takes next; it is 0 from
        now on if the request has not waited."""
        unit = self.unit_of[rung]
        core = self._free[unit][-1]
        if not has_waited:
            self._spent_ns[unit][core] = 0
        return self._spent_ns[unit][core]

    def next_spent_ns(self) -> int:
        """The same for a request that has waited, on the lowest type; 0 if no core is free."""
        unit = self.unit_of[0]
        return self._spent_ns[unit][self._free[unit][-1]] if self._free[unit] else 0

    def take(self, rung: int) -> int:
        """Take a free core of the rung's type; returns its number among those of its type."""
        return self._free[self.unit_of[rung]].pop()

    def give_back(self, rung: int, core: int, held_ns: int) -> None:
        """Return a core that a request held on the rung for `held_ns`."""
        unit = self.unit_of[rung]
        self._free[unit].append(core)
        if rung < len(self.unit_of) - 1:
            self._spent_ns[unit][core] += held_ns

    def is_free(self, rung: int) -> bool:
        """Whether a core of the rung's type is free."""
        return bool(self._free[self.unit_of[rung]])

    def rung_to_start(
        self, wanted: int, wants: Sequence[int], in_system: int, makes_room: bool
    ) -> int:
        """The rung on which the first waiting request starts; NOWHERE if it waits.

        wants: of all running requests.
        """
        driven, rung = NOWHERE, wanted
        while makes_room and self._is_too_many(len(wants), rung, in_system):
            rung = self._next[rung]
            driven = rung if self.is_free(rung) else driven
        if driven != NOWHERE:
            return driven
        for rung in range(wanted, -1, -1):
            is_lowest_type = self.unit_of[rung] == self.unit_of[0]
            if (is_lowest_type and self.is_free(rung)) or self._is_open(rung, wants):
                return rung
        return NOWHERE

    def rung_to_move(
        self,
        place: int,
        rungs: Sequence[int],
        wants: Sequence[int],
        first_wants: int,
        in_system: int,
        makes_room: bool,
    ) -> int:
        """The rung to which a running request moves at its tick; NOWHERE if it stays.

        place: in `rungs` and `wants`, which are those of all running requests, the oldest first.
        first_wants: the rung that the first waiting request wants; NOWHERE if none waits.
        """
        own, older = rungs[place], wants[:place]
        for rung in range(wants[place], own, -1):
            if self.unit_of[rung] == self.unit_of[own] or self._is_open(rung, older):
                return rung
        up = self._next[own]
        if not makes_room or up == NOWHERE:
            return NOWHERE
        if self._is_too_many(place, own, in_system) and self.is_free(up):
            return up
        if self._is_open(up, older) and self._is_asked(place, rungs, wants, first_wants):
            return up
        return NOWHERE

    def _cores(self, units: set[int]) -> int:
        return sum(self.counts[unit] for unit in units)

    def _is_open(self, rung: int, older: Sequence[int]) -> bool:
        """Whether the rung has a free core, and a turn for a request after these older ones."""
        return self.is_free(rung) and sum(want >= rung for want in older) < self._above[rung]

    def _is_too_many(self, older: int, rung: int, in_system: int) -> bool:
        return older < min(in_system - self._below[rung], self._beyond[rung])

    def _is_asked(
        self, place: int, rungs: Sequence[int], wants: Sequence[int], first_wants: int
    ) -> bool:
        """Whether the request is the oldest on a type that is short."""
        short: dict[int, bool] = {}
        for unit in self._types:
            short[unit] = not self.is_free(self._lowest[unit]) and (
                (first_wants != NOWHERE and self.unit_of[first_wants] == unit)
                or any(self._claims(unit, *pair) for pair in zip(rungs, wants, strict=True))
                or any(self._passes_on(unit, other, short[other], rungs) for other in short)
            )
        own = self.unit_of[rungs[place]]
        return short[own] and self._oldest_on(own, rungs) == place

    def _claims(self, unit: int, rung: int, wants: int) -> bool:
        """Whether a running request wants a type that begins above its own."""
        begins_above = self._lowest[self.unit_of[rung]] < self._lowest[unit]
        return rung < wants and begins_above and self.unit_of[wants] == unit

    def _passes_on(self, unit: int, other: int, is_short: bool, rungs: Sequence[int]) -> bool:
        """Whether the oldest request on a lower type that is short has this as its next type."""
        if not is_short:
            return False
        oldest = self._oldest_on(other, rungs)
        return oldest != NOWHERE and self._next[rungs[oldest]] == self._lowest[unit]

    def _oldest_on(self, unit: int, rungs: Sequence[int]) -> int:
        places = (place for place, rung in enumerate(rungs) if self.unit_of[rung] == unit)
        return next(places, NOWHERE)
