"""Scale the ages or the bound of a table until its tail meets the limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic

from numpy.typing import NDArray

from tailc.experiment.tuning_objective import TuningObjective
from tailc.means import mean_and_half
from tailc.percentiles import PPM
from tailc.tuning.tuning_problem import TuningProblem
from tailc.tuning.tuning_sample import Form, TuningSample

# 64ths to try, in this order; the interval above the first that keeps the tail is halved.
_TRIED = (63, 62, 60, 56, 48, 40, 32, 24, 16, 8, 0)
_TRIED_PARTS = 64


@dataclass(frozen=True)
class ScaledTable(Generic[Form]):
    """A table whose climb ages are multiplied by a factor, so that it meets the latency limit.

    part_ppm: the factor [1e-6]; at least 1,000,000 if the table meets its limit unscaled, or if
    there is no limit. None if no factor meets the limit; the table is then not scaled.
    """

    table: Form
    part_ppm: int | None = PPM

    @property
    def was_kept(self) -> bool:
        """Whether the table meets its latency limit without scaling."""
        return self.part_ppm is not None and self.part_ppm >= PPM

    def then(self, after: ScaledTable[Form]) -> ScaledTable[Form]:
        """Combine two successive scalings: the table of `after`, with the product of both factors.

        The factor is None if one of both is.
        """
        if self.part_ppm is None or after.part_ppm is None:
            return ScaledTable(after.table, None)
        return ScaledTable(after.table, self.part_ppm * after.part_ppm // PPM)


def scale_to_limit(
    problem: TuningProblem[Form], table: Form, sample: TuningSample[Form], aim: TuningObjective
) -> ScaledTable[Form]:
    """Scale the ages of a table by the largest factor that meets the limit at every rate.

    The mean tail over the replays of `sample` must be within the limit. Further objectives must be
    met as well, if some factor meets them. The search tries large factors first: ages that are far
    too early can make a tail longer, if requests that share power climb too soon. Between two tried
    factors the tail is assumed to grow with the factor.
    """
    return _scale_down(_ScalableTable(problem, table, sample, aim, _mean))


def scale_to_limit_surely(
    problem: TuningProblem[Form], table: Form, sample: TuningSample[Form], aim: TuningObjective
) -> ScaledTable[Form]:
    """Like `scale_to_limit`, with the upper end of the 95 % interval of the mean.

    So with more replays of the same requests the mean exceeds the limit with a probability of at
    most 1/40 at each rate.
    """
    return _scale_down(_ScalableTable(problem, table, sample, aim, _most))


def relax_to_limit(
    problem: TuningProblem[Form], table: Form, sample: TuningSample[Form], aim: TuningObjective
) -> ScaledTable[Form]:
    """Scale the climb ages of a table so that its latency percentile is just within the limit.

    If the percentile is above the limit, scale down, as `scale_to_limit` does; if it is below,
    scale up, by at most `most_parts` steps of the problem.
    """
    found = scale_to_limit(problem, table, sample, aim)
    if problem.relaxed is None or not found.was_kept:
        return found
    scaled = _ScalableTable(problem, table, sample, aim, _mean)
    if scaled.keeps(problem.most_parts):
        return scaled.as_kept(problem.most_parts)
    return scaled.between(problem.parts, problem.most_parts)


def _scale_down(scaled: _ScalableTable[Form]) -> ScaledTable[Form]:
    problem, aim = scaled.problem, scaled.aim
    if aim.limit_us is None or problem.earlier is None:
        return ScaledTable(scaled.table)
    whole = problem.parts
    if scaled.keeps(whole):
        return ScaledTable(scaled.table)
    tried = [part * whole // _TRIED_PARTS for part in _TRIED]
    low = next((part for part in tried if scaled.keeps(part)), None)
    if low is None and aim.objectives:
        return _scale_down(replace(scaled, aim=replace(aim, objectives=())))
    if low is None:
        return ScaledTable(scaled.table, None)
    return scaled.between(low, min(part for part in (whole, *tried) if part > low))


def _mean(repeats: NDArray) -> float:
    return float(repeats.mean())


def _most(repeats: NDArray) -> float:
    mean, half = mean_and_half(repeats.tolist())
    return mean + (half or 0.0)


@dataclass(eq=False)
class _ScalableTable(Generic[Form]):
    """A table whose ages can be scaled in steps of 1 / `problem.parts`.

    of_repeats: the statistic of the replays at an operating point that must be within the limit.
    missed: the operating point that exceeded the limit last, which is replayed first; None: none
    has exceeded it.
    """

    problem: TuningProblem[Form]
    table: Form
    sample: TuningSample[Form]
    aim: TuningObjective
    of_repeats: Callable[[NDArray], float]
    missed: int | None = None

    def keeps(self, part: int) -> bool:
        table = self.as_kept(part).table
        every = range(len(self.sample.experiments))
        if self.missed is None:
            return self._keeps_at(table, every, self.sample)
        others = [point for point in every if point != self.missed]
        return all(
            self._keeps_at(table, points, self.sample.only(points))
            for points in ([self.missed], others)
            if points
        )

    def _keeps_at(self, table: Form, points: Sequence[int], sample: TuningSample[Form]) -> bool:
        """points: those of `sample`, by their numbers in the whole sample."""
        measured = sample.measure([table])
        assert self.aim.limit_us is not None
        exceeding = self._exceeding(measured.tail_us[0], self.aim.limit_us)
        if exceeding is None and self.aim.objectives and measured.closest is not None:
            exceeding = self._exceeding(measured.closest[0], 1.0)
        if exceeding is not None:
            self.missed = points[exceeding]
        return exceeding is None

    def _exceeding(self, by_point: NDArray, limit: float) -> int | None:
        """The point that exceeds the limit most, if one does; by_point: (points, repeats)."""
        largest, at = max((self.of_repeats(repeats), at) for at, repeats in enumerate(by_point))
        return at if largest > limit else None

    def between(self, low: int, high: int) -> ScaledTable[Form]:
        """Bisect for the most parts that keep the tail; `low` parts do, `high` do not."""
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.keeps(middle) else (low, middle)
        return self.as_kept(low)

    def as_kept(self, part: int) -> ScaledTable[Form]:
        if part == self.problem.parts:
            return ScaledTable(self.table)
        assert self.problem.earlier is not None
        part_ppm = part * PPM // self.problem.parts
        return ScaledTable(self.problem.earlier(self.table, part_ppm), part_ppm)
