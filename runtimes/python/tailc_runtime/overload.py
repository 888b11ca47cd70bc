"""Rules by which requests are refused, cut off or degraded under overload."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from tailc_runtime.controller import PPM


def number(value: float) -> float:
    """The value; raises ValueError for NaN."""
    if not value <= inf:
        raise ValueError("numbers of requests, times and amounts must not be NaN")
    return value


class Overload(NamedTuple):
    """Rules for overload: ask at the arrival of each request, before it counts, and at each of its
    ticks.

    A field is None if the ladder does not have its rule: `shed_from` for shed, `cut_off_us` for
    cut-off, `degrade_from` and `degraded_ppm` for degrade. A rule raises ValueError for NaN.
    """

    shed_from: int | None
    cut_off_us: int | None
    degrade_from: int | None
    degraded_ppm: int | None
    counts_waiting: bool

    def refuses(self, in_system: int) -> bool:
        """Whether to refuse a request that arrives with this number of others in the system."""
        return self.shed_from is not None and number(in_system) >= self.shed_from

    def work_ppm(self, in_system: int) -> int:
        """Share of its work [ppm] to do for a request that arrives with this number of others."""
        if self.degrade_from is None or self.degraded_ppm is None:
            return PPM
        if number(in_system) < self.degrade_from:
            return PPM
        return self.degraded_ppm

    def cuts_off(self, waited_us: int, executed_us: int) -> bool:
        """Whether a running request ends now with its partial result."""
        if self.cut_off_us is None:
            return False
        return number(executed_us + (self.counts_waiting and waited_us)) >= self.cut_off_us
