"""Find the epochs that two plans have in common, by time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tailc.forms.plan.plan import Plan


@dataclass(frozen=True)
class SharedEpochs:
    """The common epochs of two plans: their number, and the first one in each plan."""

    old: Plan
    new: Plan
    first_old: int
    first_new: int
    epochs: int
    pools: tuple[str, ...]

    def unix_s(self, number: int) -> int:
        """Start of a common epoch [Unix s]."""
        return self.old.start_unix_s + (self.first_old + number) * self.old.epoch_s

    def pairs(self) -> Iterator[tuple[int, int, int]]:
        """Iterate over common epochs: number in OLD, number in NEW, and start [Unix s]."""
        for number in range(self.epochs):
            yield self.first_old + number, self.first_new + number, self.unix_s(number)


def shared_epochs(old: Plan, new: Plan) -> SharedEpochs:
    """Find the common epochs; none if times do not overlap or lengths of epochs differ."""
    pools = tuple(dict.fromkeys(pool.name for pool in (*new.pools, *old.pools)))
    later, rest = divmod(new.start_unix_s - old.start_unix_s, old.epoch_s)
    if rest or old.epoch_s != new.epoch_s:
        return SharedEpochs(old, new, 0, 0, 0, pools)
    first_old, first_new = max(later, 0), max(-later, 0)
    epochs = min(len(old.epochs) - first_old, len(new.epochs) - first_new)
    return SharedEpochs(old, new, first_old, first_new, max(epochs, 0), pools)
