"""The epochs that two plans both have, at the same moments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tailc.forms.plan.plan import Plan


@dataclass(frozen=True)
class Overlap:
    """So many epochs, in the one plan from first_old on and in the other from first_new."""

    old: Plan
    new: Plan
    first_old: int
    first_new: int
    epochs: int
    pools: tuple[str, ...]

    def unix_s(self, number: int) -> int:
        """When one of the shared epochs begins."""
        return self.old.start_unix_s + (self.first_old + number) * self.old.epoch_s

    def pairs(self) -> Iterator[tuple[int, int, int]]:
        """The number of each in the one plan and in the other, and when it begins."""
        for number in range(self.epochs):
            yield self.first_old + number, self.first_new + number, self.unix_s(number)


def overlap_of(old: Plan, new: Plan) -> Overlap:
    """No epochs where the plans have other moments, or epochs of another length."""
    pools = tuple(dict.fromkeys(pool.name for pool in (*new.pools, *old.pools)))
    later, rest = divmod(new.start_unix_s - old.start_unix_s, old.epoch_s)
    if rest or old.epoch_s != new.epoch_s:
        return Overlap(old, new, 0, 0, 0, pools)
    first_old, first_new = max(later, 0), max(-later, 0)
    epochs = min(len(old.epochs) - first_old, len(new.epochs) - first_new)
    return Overlap(old, new, first_old, first_new, max(epochs, 0), pools)
