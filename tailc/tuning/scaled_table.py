"""A table with its ages, or its bound, scaled until its tail is what is to be kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic

from numpy.typing import NDArray

from tailc.experiment.tuning_objective import TuningObjective
from tailc.means import mean_and_half
from tailc.percentiles import PPM
from tailc.tuning.tuning_problem import TuningProblem
from tailc.tuning.tuning_sample import Form, TuningSample

# Of these 64ths the latest that keeps the tail comes first; what is between is halved.
_TRIED = (63, 62, 60, 56, 48, 40, 32, 24, 16, 8, 0)
_TRIED_OF = 64


@dataclass(frozen=True)
class ScaledTable(Generic[Form]):
    """A table, and the part of its ages that are left, in millionths.

    part_ppm is the whole or more where the table keeps its tail as it is, or where nothing is to be
    kept; None where no part does: then the table is as it was.
    """

    table: Form
    part_ppm: int | None = PPM

    @property
    def was_kept(self) -> bool:
        """Whether the table kept its tail as it was."""
        return self.part_ppm is not None and self.part_ppm >= PPM

    def then(self, after: ScaledTable[Form]) -> ScaledTable[Form]:
        """What `after` made of this one's table, as a part of what there was at first."""
        if self.part_ppm is None or after.part_ppm is None:
            return ScaledTable(after.table, None)
        return ScaledTable(after.table, self.part_ppm * after.part_ppm // PPM)


def scale_to_limit(
    approach: TuningProblem[Form], table: Form, trials: TuningSample[Form], aim: TuningObjective
) -> ScaledTable[Form]:
    """The table with the latest ages that keep its tail within the limit at every rate.

    Further objectives hold too, where there are ages that keep them. All of that is so in the mean
    of the trials' replays.
    It is looked for from the latest on: ages that are far too early may make a tail longer, where
    requests that share power climb before their time. Between two that are tried a tail is taken
    to be no longer for earlier ages.
    """
    return _cut_back(_Scaled(approach, table, trials, aim, _mean))


def scale_to_limit_surely(
    approach: TuningProblem[Form], table: Form, trials: TuningSample[Form], aim: TuningObjective
) -> ScaledTable[Form]:
    """The same, with the upper end of the mean's 95 % interval in the place of the mean.

    So the mean of ever more replays of the same requests keeps it too, but for a chance of one in
    forty at a rate.
    """
    return _cut_back(_Scaled(approach, table, trials, aim, _most))


def relax_to_limit(
    approach: TuningProblem[Form], table: Form, trials: TuningSample[Form], aim: TuningObjective
) -> ScaledTable[Form]:
    """As `kept`, and where the tail leaves room the latest that keep it, as far as they may go."""
    found = scale_to_limit(approach, table, trials, aim)
    if approach.relaxed is None or not found.was_kept:
        return found
    scaled = _Scaled(approach, table, trials, aim, _mean)
    if scaled.keeps(approach.most_parts):
        return scaled.as_kept(approach.most_parts)
    return scaled.between(approach.parts, approach.most_parts)


def _cut_back(scaled: _Scaled[Form]) -> ScaledTable[Form]:
    approach, aim = scaled.approach, scaled.aim
    if aim.limit_us is None or approach.earlier is None:
        return ScaledTable(scaled.table)
    whole = approach.parts
    if scaled.keeps(whole):
        return ScaledTable(scaled.table)
    tried = [part * whole // _TRIED_OF for part in _TRIED]
    low = next((part for part in tried if scaled.keeps(part)), None)
    if low is None and aim.objectives:
        return _cut_back(replace(scaled, aim=replace(aim, objectives=())))
    if low is None:
        return ScaledTable(scaled.table, None)
    return scaled.between(low, min(part for part in (whole, *tried) if part > low))


def _mean(repeats: NDArray) -> float:
    return float(repeats.mean())


def _most(repeats: NDArray) -> float:
    mean, half = mean_and_half(repeats.tolist())
    return mean + (half or 0.0)


@dataclass(frozen=True, eq=False)
class _Scaled(Generic[Form]):
    """A table at parts of its ages, of which an approach says how many make the whole.

    of_repeats: what counts of what the replays of a scene show.
    """

    approach: TuningProblem[Form]
    table: Form
    trials: TuningSample[Form]
    aim: TuningObjective
    of_repeats: Callable[[NDArray], float]

    def keeps(self, part: int) -> bool:
        seen = self.trials.measure([self.as_kept(part).table])
        assert self.aim.limit_us is not None
        if not self._are_within(seen.tail_us[0], self.aim.limit_us):
            return False
        if not self.aim.objectives or seen.closest is None:
            return True
        return self._are_within(seen.closest[0], 1.0)

    def _are_within(self, by_scene: NDArray, limit: float) -> bool:
        """by_scene: (scenes, repeats)."""
        return all(self.of_repeats(repeats) <= limit for repeats in by_scene)

    def between(self, low: int, high: int) -> ScaledTable[Form]:
        """The most parts that keep the tail, where `low` do and `high` do not, by halving."""
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.keeps(middle) else (low, middle)
        return self.as_kept(low)

    def as_kept(self, part: int) -> ScaledTable[Form]:
        if part == self.approach.parts:
            return ScaledTable(self.table)
        assert self.approach.earlier is not None
        part_ppm = part * PPM // self.approach.parts
        return ScaledTable(self.approach.earlier(self.table, part_ppm), part_ppm)
