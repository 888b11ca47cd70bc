"""Find the cheapest free servers of a plan for a job, in whole numbers.

`free` and places are by epoch, then by pool. The cost of exchanging a brown for a green place
increases with each exchange in an epoch, so the cheapest exchanges over all epochs, in order, are
optimal.
"""

from __future__ import annotations

from typing import NamedTuple

from tailc_runtime.raw import RawPlan, RawSpan

PPM = 1_000_000
Servers = list[list[int]]


class Quote(NamedTuple):
    """Payment of a job, value of its places [millionths of a dollar], and the places.

    pays_udollars: minus the penalty for promised slots that are not green. places: None if there is
    no room.
    """

    pays_udollars: int
    worth_udollars: int
    green_slots: int
    places: tuple[RawSpan, ...] | None

    @property
    def is_admitted(self) -> bool:
        """Whether the payment exceeds the value of the places."""
        return self.places is not None and self.pays_udollars > self.worth_udollars


NO_ROOM = Quote(0, 0, 0, None)


class Pricing:
    """The prices of a plan, sorted once."""

    def __init__(self, raw: RawPlan) -> None:
        self._terms = raw.terms
        self._prices = list(zip(*raw.prices, strict=True))
        pools = range(len(raw.pools))
        self._cheapest = [sorted(pools, key=row.__getitem__) for row in self._prices]
        ends = [e.first_green_pool for e in raw.epochs]
        self._first_green = [len(raw.pools) if first is None else first for first in ends]

    def within(self, free: Servers, first_epoch: int, epochs: int, width: int) -> range | None:
        """Number of the job's epochs within the plan; None if an epoch has too few free servers."""
        within = range(first_epoch, min(first_epoch + epochs, len(self._prices)))
        has_room = all(sum(free[epoch]) >= width for epoch in within)
        return within if within and has_room else None

    def filled(self, free: Servers, within: range, width: int) -> Servers:
        """The cheapest servers of each epoch; ties go to the lower pool."""
        return [self._filled(free[epoch], epoch, width) for epoch in within]

    def worth(self, within: range, places: Servers) -> int:
        """Cost of places at the prices of the plan."""
        pairs = zip(within, places, strict=True)
        return sum(
            price * taken
            for epoch, row in pairs
            for price, taken in zip(self._prices[epoch], row, strict=True)
        )

    def quote(
        self, free: Servers, first_epoch: int, epochs: int, width: int, green_ppm: int
    ) -> Quote:
        """The best places of a rigid job, with their price."""
        within = self.within(free, first_epoch, epochs, width)
        if within is None or self._terms is None:
            return NO_ROOM
        slots = len(within) * width
        promised = min(-(-green_ppm * epochs * width // PPM), slots)
        places = self.filled(free, within, width)
        green = self._make_green(free, within, places, promised)
        green_udollars, brown_udollars, penalty_udollars = self._terms
        pays = promised * green_udollars + (slots - promised) * brown_udollars
        pays -= max(0, promised - green) * penalty_udollars
        return Quote(pays, self.worth(within, places), green, spans_of(within, places))

    def _filled(self, room: list[int], epoch: int, width: int) -> list[int]:
        row, left = [0] * len(room), width
        for pool in self._cheapest[epoch]:
            row[pool] = min(left, room[pool])
            left -= row[pool]
        return row

    def _make_green(self, free: Servers, within: range, places: Servers, promised: int) -> int:
        """Exchange places until the promise is met or missing it is cheaper; returns the green
        places."""
        pairs = zip(within, places, strict=True)
        green = sum(sum(row[self._first_green[epoch] :]) for epoch, row in pairs)
        if green >= promised or self._terms is None:
            return green
        exchanges = [
            one
            for epoch, row in zip(within, places, strict=True)
            for one in self._exchanges(free[epoch], row, epoch)
        ]
        for udollars, epoch, brown, ready, servers in sorted(exchanges):
            moved = min(servers, promised - green)
            if moved <= 0 or udollars >= self._terms[2]:
                break
            row = places[epoch - within.start]
            row[brown] -= moved
            row[ready] += moved
            green += moved
        return green

    def _exchanges(
        self, room: list[int], row: list[int], epoch: int
    ) -> list[tuple[int, int, int, int, int]]:
        """Exchanges as (cost of one, epoch, brown pool, green pool, servers), most expensive
        brown place first."""
        price, first = self._prices[epoch], self._first_green[epoch]
        ready = [pool for pool in self._cheapest[epoch] if pool >= first]
        left = {pool: room[pool] - row[pool] for pool in ready}
        found = []
        for brown in sorted(range(first), key=lambda pool: -price[pool]):
            held = row[brown]
            for pool in ready:
                count = min(held, left[pool])
                if count:
                    found.append((price[pool] - price[brown], epoch, brown, pool, count))
                    left[pool] -= count
                    held -= count
        return found


def spans_of(within: range, places: Servers) -> tuple[RawSpan, ...]:
    """The smallest list of spans for these places, in order of epoch, then of pool."""
    found: list[RawSpan] = []
    for pool, row in enumerate(zip(*places, strict=True)):
        begin = 0
        for at in range(1, len(row) + 1):
            if at == len(row) or row[at] != row[begin]:
                if row[begin]:
                    found.append(RawSpan(pool, within.start + begin, at - begin, row[begin]))
                begin = at
    return tuple(sorted(found, key=lambda span: (span.first_epoch, span.pool)))
