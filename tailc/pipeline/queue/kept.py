"""A table with its ages, or its bound, scaled until its tail is what is to be kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic

from tailc.percentiles import PPM
from tailc.pipeline.queue.approach import Approach
from tailc.pipeline.queue.trials import Form, Trials
from tailc.replay.queue_aim import QueueAim

# Of these 64ths the latest that keeps the tail comes first; what is between is halved.
_TRIED = (63, 62, 60, 56, 48, 40, 32, 24, 16, 8, 0)
_TRIED_OF = 64


@dataclass(frozen=True)
class Kept(Generic[Form]):
    """A table, and the part of its ages that are left, in millionths.

    part_ppm is the whole or more where the table keeps its tail as it is, or where nothing is to be
    kept; None where no part does: then the table is as it was.
    """

    table: Form
    part_ppm: int | None

    @property
    def was_kept(self) -> bool:
        """Whether the table kept its tail as it was."""
        return self.part_ppm is not None and self.part_ppm >= PPM

    def then(self, after: Kept[Form]) -> Kept[Form]:
        """What `after` made of this one's table, as a part of what there was at first."""
        if self.part_ppm is None or after.part_ppm is None:
            return Kept(after.table, None)
        return Kept(after.table, self.part_ppm * after.part_ppm // PPM)


def kept(approach: Approach[Form], table: Form, trials: Trials[Form], aim: QueueAim) -> Kept[Form]:
    """The table with the latest ages that keep its tail within the limit at every rate.

    Further objectives hold too, where there are ages that keep them.
    It is looked for from the latest on: ages that are far too early may make a tail longer, where
    requests that share power climb before their time. Between two that are tried a tail is taken
    to be no longer for earlier ages.
    """
    if aim.limit_us is None or approach.earlier is None:
        return Kept(table, PPM)
    scaled = _Scaled(approach, table, trials, aim)
    whole = approach.parts
    if scaled.keeps(whole):
        return Kept(table, PPM)
    tried = [part * whole // _TRIED_OF for part in _TRIED]
    low = next((part for part in tried if scaled.keeps(part)), None)
    if low is None and aim.objectives:
        return kept(approach, table, trials, replace(aim, objectives=()))
    if low is None:
        return Kept(table, None)
    return scaled.between(low, min(part for part in (whole, *tried) if part > low))


def eased(approach: Approach[Form], table: Form, trials: Trials[Form], aim: QueueAim) -> Kept[Form]:
    """The same, and where the tail leaves room the latest that keep it, as far as they may go."""
    found = kept(approach, table, trials, aim)
    if approach.eased is None or not found.was_kept:
        return found
    scaled = _Scaled(approach, table, trials, aim)
    if scaled.keeps(approach.most_parts):
        return scaled.as_kept(approach.most_parts)
    return scaled.between(approach.parts, approach.most_parts)


@dataclass(frozen=True, eq=False)
class _Scaled(Generic[Form]):
    """A table at parts of its ages, of which an approach says how many make the whole."""

    approach: Approach[Form]
    table: Form
    trials: Trials[Form]
    aim: QueueAim

    def keeps(self, part: int) -> bool:
        seen = self.trials.seen([self.as_kept(part).table])
        is_within = bool((seen.tail_us.mean(axis=2) <= self.aim.limit_us).all())
        return is_within and (not self.aim.objectives or seen.keeps_objectives(0))

    def between(self, low: int, high: int) -> Kept[Form]:
        """The most parts that keep the tail, where `low` do and `high` do not, by halving."""
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.keeps(middle) else (low, middle)
        return self.as_kept(low)

    def as_kept(self, part: int) -> Kept[Form]:
        if part == self.approach.parts:
            return Kept(self.table, PPM)
        assert self.approach.earlier is not None
        part_ppm = part * PPM // self.approach.parts
        return Kept(self.approach.earlier(self.table, part_ppm), part_ppm)
