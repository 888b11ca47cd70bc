"""A table with its ages made earlier until its tail is what is to be kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from tailc.percentiles import PPM
from tailc.pipeline.queue.approach import Approach
from tailc.pipeline.queue.trials import Form, Trials
from tailc.replay.queue_aim import QueueAim

# Ages are parts of what they were, so many of which make the whole.
_PARTS = 64
# Of these the latest that keeps the tail comes first; what is between is halved.
_TRIED = (63, 62, 60, 56, 48, 40, 32, 24, 16, 8, 0)


@dataclass(frozen=True)
class Kept(Generic[Form]):
    """A table, and the part of its ages that are left, in millionths.

    part_ppm is the whole where the table keeps its tail as it is, or where nothing is to be kept;
    None where no part does: then the table is as it was.
    """

    table: Form
    part_ppm: int | None

    @property
    def was_kept(self) -> bool:
        """Whether the table kept its tail as it was."""
        return self.part_ppm == PPM

    def then(self, after: Kept[Form]) -> Kept[Form]:
        """What `after` made of this one's table, as a part of what there was at first."""
        if self.part_ppm is None or after.part_ppm is None:
            return Kept(after.table, None)
        return Kept(after.table, self.part_ppm * after.part_ppm // PPM)


def kept(approach: Approach[Form], table: Form, trials: Trials[Form], aim: QueueAim) -> Kept[Form]:
    """The table with the latest ages that keep its tail within the limit at every rate.

    It is looked for from the latest on: ages that are far too early may make a tail longer, where
    requests that share power climb before their time. Between two that are tried a tail is taken
    to be no longer for earlier ages.
    """
    if aim.limit_us is None or approach.earlier is None:
        return Kept(table, PPM)

    def at(part: int) -> Form:
        assert approach.earlier is not None
        return table if part == _PARTS else approach.earlier(table, part * PPM // _PARTS)

    def keeps(part: int) -> bool:
        return bool((trials.tails_us([at(part)]).mean(axis=2) <= aim.limit_us).all())

    if keeps(_PARTS):
        return Kept(table, PPM)
    low = next((part for part in _TRIED if keeps(part)), None)
    if low is None:
        return Kept(table, None)
    high = min(part for part in (_PARTS, *_TRIED) if part > low)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if keeps(middle) else (low, middle)
    return Kept(at(low), low * PPM // _PARTS)
