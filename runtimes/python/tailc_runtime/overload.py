"""What requests lose by rule where a server has more of them than it can serve in time."""

from __future__ import annotations

from typing import NamedTuple

from tailc_runtime.controller import PPM


class Overload(NamedTuple):
    """Asked once at a request's arrival, before it counts, and at each of its ticks; a part is None
    where the ladder has no rule for it: `shed_from` shed, `cut_off_us` cut-off, and
    `degrade_from` and `degraded_ppm` degrade.
    """

    shed_from: int | None
    cut_off_us: int | None
    degrade_from: int | None
    degraded_ppm: int | None
    counts_waiting: bool

    def refuses(self, in_system: int) -> bool:
        """Whether a request is refused that arrives when so many others are in the system."""
        return self.shed_from is not None and in_system >= self.shed_from

    def work_ppm(self, in_system: int) -> int:
        """How many millionths of its work are to be done of one that arrives then."""
        if self.degrade_from is None or self.degraded_ppm is None or in_system < self.degrade_from:
            return PPM
        return self.degraded_ppm

    def cuts_off(self, waited_us: int, executed_us: int) -> bool:
        """Whether a request that runs leaves now, with what it has."""
        if self.cut_off_us is None:
            return False
        return executed_us + self.counts_waiting * waited_us >= self.cut_off_us
