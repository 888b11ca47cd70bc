"""How requests share what they draw on by rule, where rows by requests in the system do not say."""

from __future__ import annotations

from typing import NamedTuple


class Sharing(NamedTuple):
    """Asked whenever what is in use may have become less, and at each tick of a request; a part is
    None where the ladder has no rule for it: `start_unit`, a cost unit, and `start_below_ppm`
    start-below, and `give_up_us` give-up.
    """

    start_unit: int | None
    start_below_ppm: int | None
    give_up_us: int | None
    counts_waiting: bool

    def starts(self, in_use_ppm: int) -> bool:
        """Whether the request that came first of those that wait may start while all that run take
        so much of that unit.
        """
        return self.start_below_ppm is None or in_use_ppm < self.start_below_ppm

    def gives_up(self, waited_us: int, executed_us: int) -> bool:
        """Whether a request is on the first rung from now on, and boosted no longer."""
        if self.give_up_us is None:
            return False
        return executed_us + self.counts_waiting * waited_us >= self.give_up_us
