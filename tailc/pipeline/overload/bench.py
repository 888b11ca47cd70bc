"""Replays of a table with a rule for overload: the tail of those served, and what is lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from statistics import fmean

from tailc.experiment.estimate import Tail, repeated, sample
from tailc.experiment.interval import interval
from tailc.experiment.load import ServerUse, is_overloaded, server_use
from tailc.experiment.loss import Loss, loss_of
from tailc.experiment.options import FEWEST_REPLICATES
from tailc.experiment.overload_objective import OverloadAim
from tailc.experiment.setting import Draw, Draws, Setting, draw, most_in_system
from tailc.forms.ladder.table import Ladder
from tailc.models.arrivals import Poisson
from tailc.models.outcome import Outcome, nearest_us
from tailc.models.subject import Subject
from tailc.models.workload import Workload

_REPEATS = 8
NO_LOSS = Loss(0, 0, 0, 0, 0, 0)


@dataclass(frozen=True)
class RateLoss:
    """What becomes of requests at a rate: the tail of those served, and what is lost.

    high_us: the upper limit of the tail's 95 % interval, None where there is none; meets: whether
    it is within the objective, and the server keeps up.
    """

    rate_mrps: int
    tail_us: int
    high_us: int | None
    meets: bool
    loss: Loss


class Bench:
    """The same requests at the same times for every table; `seed` makes times and order."""

    def __init__(
        self,
        load: Workload,
        aim: OverloadAim,
        capacity_ppm: int | None,
        seed: int,
        workers: Executor,
        *,
        replicates: int = 0,
    ) -> None:
        self._aim = aim
        self._workers = workers
        self._tail = Tail(aim.percentile_ppm)
        most = most_in_system(capacity_ppm)
        settings = (
            Setting(load, Poisson(rate), aim.requests, most, seed)
            for rate in (*aim.rates_mrps, *aim.normal_mrps)
        )
        self._draws = [draw(setting, _REPEATS, replicates, workers) for setting in settings]

    def meets(self, table: Ladder) -> bool:
        """Whether the estimates at all rates of overload are within the objective."""
        few = self._draws[: len(self._aim.rates_mrps)]
        return all(self._found(table, draws).meets for draws in few)

    def lost_ppm(self, table: Ladder) -> float:
        """Work that is lost, in the mean of all rates, the normal ones included."""
        return fmean(self._found(table, draws).loss.work_ppm for draws in self._draws)

    def judged(self, table: Ladder) -> tuple[RateLoss, ...]:
        """At each rate of overload with the interval of the tail, then at the normal ones."""
        count = len(self._aim.rates_mrps)
        overload = [self._limited(table, draws) for draws in self._draws[:count]]
        return (*overload, *(self._found(table, draws) for draws in self._draws[count:]))

    def _found(self, table: Ladder, draws: Draws) -> RateLoss:
        setting, keep = draws.setting, _use_in(draws.setting)
        subject = Subject("table", (table,))
        parts = setting, draws, subject, (self._tail,), self._workers, _no_tick
        found = repeated(*parts, keep)
        tail_us = nearest_us(found.limits_ns[0])
        return self._told(setting, tail_us, None, tail_us, found.kept)

    def _limited(self, table: Ladder, draws: Draws) -> RateLoss:
        setting, keep = draws.setting, _use_in(draws.setting)
        subject = Subject("table", (table,))
        parts = setting, draws, subject, (self._tail,), self._workers, _no_tick
        repeats = repeated(*parts, keep)
        limits = interval(sample(*parts, repeats).tails[0])
        said = limits.estimate_us, limits.high_us, limits.high_us
        return self._told(setting, *said, repeats.kept)

    def _told(
        self,
        setting: Setting,
        tail_us: int,
        high_us: int | None,
        within_us: int | None,
        kept: Sequence[ServerUse],
    ) -> RateLoss:
        keeps_up = not is_overloaded(setting.arrivals, kept)
        meets = keeps_up and within_us is not None and within_us <= self._aim.latency_us
        losses = [one.losses for one in kept if one.losses is not None]
        loss = loss_of(losses) if losses else NO_LOSS
        return RateLoss(setting.arrivals.rate_mrps, tail_us, high_us, meets, loss)


JUDGED_REPLICATES = FEWEST_REPLICATES


def _use_in(setting: Setting) -> Callable[[Draw, Outcome], ServerUse]:
    def keep(one: Draw, outcome: Outcome) -> ServerUse:
        return server_use(setting, one, outcome)

    return keep


def _no_tick() -> None:
    pass
