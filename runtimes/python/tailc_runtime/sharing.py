"""Rules for requests that share a resource, which rows by load do not contain."""

from __future__ import annotations

from typing import NamedTuple

from tailc_runtime.overload import number


class Sharing(NamedTuple):
    """Rules for a shared resource: ask whenever its use may have decreased, and at each tick of a
    request.

    A field is None if the ladder does not have its rule: `start_unit`, a cost unit, and
    `start_below_ppm` for start-below, and `give_up_us` for give-up. A rule raises ValueError
    for NaN.
    """

    start_unit: int | None
    start_below_ppm: int | None
    give_up_us: int | None
    counts_waiting: bool

    def starts(self, in_use_ppm: int) -> bool:
        """Whether the first waiting request may start while all running ones use this amount of
        the unit."""
        return self.start_below_ppm is None or number(in_use_ppm) < self.start_below_ppm

    def gives_up(self, waited_us: int, executed_us: int) -> bool:
        """Whether a request moves to the first rung for good, without boost."""
        if self.give_up_us is None:
            return False
        return number(executed_us + (self.counts_waiting and waited_us)) >= self.give_up_us
