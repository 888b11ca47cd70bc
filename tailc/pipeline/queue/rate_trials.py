"""Up to which rate tables keep a percentile: the same requests, arriving alike at any rate."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.setting import Level, Setting, draw
from tailc.experiment.tuning_objective import QueueAim
from tailc.models import streams
from tailc.models.outcome import nearest_us
from tailc.models.run import replay
from tailc.models.streams import Purpose
from tailc.models.subject import table_of
from tailc.models.workload import Workload
from tailc.pipeline.queue.approach import Approach
from tailc.pipeline.queue.trials import Form, most_in_system

# The range is first gone through from below at so many rates: what is kept at a high rate may be
# missed at a lower one, where a table has other rows.
_RATES = 10
# Then it is halved until the rest is so small a part of the rate.
_PARTS = 500


@dataclass(frozen=True, eq=False)
class KeptRates:
    """Of some tables, by replay: the rate up to which the percentile is kept [thousandths of 1/s].

    rates_mrps: int64 (tables, repeats); 0 where it is missed at the lowest rate of the range, and
    the highest one where it is kept at all of them. requests: so many were simulated for that.
    """

    rates_mrps: NDArray[np.int64]
    requests: int


class RateTrials(Generic[Form]):
    """Replays over a range of rates, the two of `aim`; `limit_us` is the latency to keep.

    Each of `repeats` replays has `requests` requests. Its random numbers are the same at all rates
    and for all tables: the gaps between arrivals only shrink.
    """

    def __init__(
        self,
        load: Workload,
        aim: QueueAim,
        limit_us: int,
        approach: Approach[Form],
        *,
        requests: int,
        repeats: int,
        seed: int,
        workers: Executor,
    ) -> None:
        self._aim, self._limit_us = aim, limit_us
        self._workers, self._subject_of = workers, approach.subject_of
        most = most_in_system(approach.cores)
        self._setting = Setting(load, aim.arrivals[-1], requests, most, seed)
        repeated = draw(self._setting, repeats, 0, workers).repeats
        self._orders = [one.order for one in repeated]
        lowest_mrps, highest_mrps = aim.rates_mrps
        between = np.geomspace(lowest_mrps, highest_mrps, _RATES)
        self._ascending = sorted({lowest_mrps, *np.rint(between).astype(int)[1:-1], highest_mrps})

    def kept(self, tables: Sequence[Form]) -> KeptRates:
        """The rates that each table keeps the percentile up to."""
        asked = [(table, number) for table in tables for number in range(len(self._orders))]
        found = list(self._workers.map(self._kept, asked))
        rates_mrps = np.array([rate_mrps for rate_mrps, _ in found], np.int64)
        replays = sum(replays for _, replays in found)
        shape = len(tables), len(self._orders)
        return KeptRates(rates_mrps.reshape(shape), replays * self._setting.requests)

    def keeps_most(self, table: Form, rate_mrps: int) -> bool:
        """Whether half of the replays at the rate keep the percentile."""
        numbers = range(len(self._orders))
        kept = self._workers.map(lambda number: self._keeps(table, number, rate_mrps), numbers)
        return 2 * sum(kept) >= len(self._orders)

    def kept_us(self, table: Form) -> int | None:
        """The least latency that all replays keep at the lowest rate; None: one keeps none."""
        rate_mrps = self._aim.rates_mrps[0]
        numbers = range(len(self._orders))
        found = self._workers.map(lambda number: self._tail_us(table, number, rate_mrps), numbers)
        tails_us = [tail_us for tail_us in found if tail_us is not None]
        return max(tails_us) if len(tails_us) == len(numbers) else None

    def _kept(self, asked: tuple[Form, int]) -> tuple[int, int]:
        """The rate, and how many replays it took."""
        table, number = asked
        below = replays = 0
        above = self._ascending[0]
        for above in self._ascending:
            replays += 1
            if not self._keeps(table, number, above):
                break
            below = above
        while below and above - below > max(below // _PARTS, 1):
            middle = (below + above) // 2
            replays += 1
            below, above = (
                (middle, above) if self._keeps(table, number, middle) else (below, middle)
            )
        return below, replays

    def _keeps(self, table: Form, number: int, rate_mrps: int) -> bool:
        tail_us = self._tail_us(table, number, rate_mrps)
        return tail_us is not None and tail_us <= self._limit_us

    def _tail_us(self, table: Form, number: int, rate_mrps: int) -> int | None:
        """None where requests pile up."""
        setting = self._setting
        state = streams.stream(setting.seed, Level.REPEAT, number, Purpose.ARRIVALS)
        arrivals = self._aim.arrivals_at(rate_mrps)
        arrival_ns = arrivals.arrival_ns(state, setting.requests)
        outcome = replay(
            setting.load,
            self._orders[number],
            arrival_ns,
            table_of(self._subject_of(table), rate_mrps, setting.most_in_system),
            setting.most_in_system,
            arrivals.warm_up(setting.requests),
        )
        if outcome.was_cut_off:
            return None
        return nearest_us(outcome.tail_ns(self._aim.percentile_ppm))
