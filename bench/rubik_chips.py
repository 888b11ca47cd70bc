"""Requests beside mixes of batch work on chips of six cores that share a limit of power.

A mix is six kinds of batch work, one a core. All that a chip does is replayed: who runs at which
clock within the limit, and how much batch work is done meanwhile.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bench import clocks_study
from bench.clocks_study import FIXED, NS_PER_US, p95_ns
from bench.rubik_batch import (
    BATCH,
    KHZ,
    MW_PER_W,
    NOMINAL,
    REQUEST_IPC,
    Draw,
    Floats,
    Pair,
    Shared,
    Work,
    within_demand,
)
from bench.rubik_workloads import CORES, NOMINAL_KHZ, REST_W, SLEEP_W, UNCORE_W
from bench.study import Figure
from tailc.models.arrivals import Poisson
from tailc.models.core_queues.baselines.hw_t import hw_t
from tailc.models.core_queues.baselines.hw_tpw import hw_tpw
from tailc.models.core_queues.chip import BatchCore, Chip, ProgramCounters
from tailc.models.core_queues.clocks import Clocks, FixedLevel
from tailc.models.core_queues.model import CoreQueues
from tailc.models.core_queues.outcome import CoreQueuesOutcome

Mix = tuple[Work, ...]
MIXES, SEED = 20, 2015
TDP_W = 65.0
# Two 32 KB and one 256 KB of a core's own (table 3.2), 64 bytes at a time, 20 cycles from the last
# level; a core has four such misses at once, say.
LINES, CYCLES, AT_ONCE = 5_120, 20, 4
REFILL_US = LINES * CYCLES / (NOMINAL_KHZ / 1_000) / AT_ONCE
REPETITIONS, MEASURED = 3, 40_000
# Until the feedback has settled, as `tailc verify` waits.
SETTLING_EPOCHS = 100
PPM = 1_000_000
# Of the time with requests: where a core has no time left, its queue has no end.
FULL = 0.99


def mixes() -> list[Mix]:
    """Twenty of six different kinds each, as published of SPEC CPU2006."""
    rng = np.random.default_rng(SEED)
    return [
        tuple(BATCH[at] for at in rng.choice(len(BATCH), size=CORES, replace=False))
        for _ in range(MIXES)
    ]


@dataclass(frozen=True, eq=False)
class ChipRun:
    """One repetition.

    requests_w: drawn by all requests; asleep_w: by cores that do nothing. at_level: (cores,
    levels), share of the time with batch work. limited: share of the time by `Limited`.
    """

    p95_us: float
    requests_w: float
    asleep_w: float
    at_level: Floats
    limited: Floats


@dataclass(frozen=True)
class Setting:
    """What may differ from one chip to another of the same service and mix."""

    limit_w: float = TDP_W
    refill_us: float = REFILL_US


PUBLISHED_CHIP = Setting()


class Chips:
    """A service on chips, at a load and under the bound of another, with any mix."""

    def __init__(self, one: Shared) -> None:
        self.shared, self.study = one, one.study
        clocks = self.study.own.clocks
        assert clocks is not None
        self._table = replace(clocks.table, cores=CORES)
        self._found = functools.cache(self._runs)

    def runs(self, scheme: str, mix: Mix, setting: Setting) -> list[ChipRun]:
        # At one clock that is within the limit no mix makes a difference.
        return self._found(scheme, mixes()[0] if scheme == FIXED else mix, setting)

    def tail(self, scheme: str, mix: Mix, setting: Setting = PUBLISHED_CHIP) -> Figure:
        """Of the bound."""
        p95_us = [run.p95_us for run in self.runs(scheme, mix, setting)]
        return Figure.build([each / self.study.bound_us for each in p95_us])

    def draws(self, scheme: str, mix: Mix, demand: float) -> list[Draw]:
        """Of each core, its part of the server included, with so much batch work to do."""
        others_w = UNCORE_W + REST_W + self._others_w(scheme, mix)
        cores = zip(*self._by_core(scheme, mix), strict=True)
        return [within_demand(others_w / CORES, *core, demand) for core in cores]

    def work_per_joule(self, scheme: str, mix: Mix) -> float:
        """Units of batch work by joule of the chip."""
        _, done, batch_w = self._by_core(scheme, mix)
        return sum(done) / (UNCORE_W + self._others_w(scheme, mix) + sum(batch_w))

    def _others_w(self, scheme: str, mix: Mix) -> float:
        """Of cores that do no batch work."""
        runs = self.runs(scheme, mix, PUBLISHED_CHIP)
        return float(np.mean([run.requests_w + run.asleep_w for run in runs]))

    def _by_core(self, scheme: str, mix: Mix) -> tuple[list[float], list[float], list[float]]:
        """Share of the time with batch work, units of it, and what it draws."""
        runs = self.runs(scheme, mix, PUBLISHED_CHIP)
        at_level = np.mean([run.at_level for run in runs], axis=0)
        pairs = list(zip(at_level, mix, strict=True))
        done = [float(at @ batch.units) for at, batch in pairs]
        return at_level.sum(axis=1).tolist(), done, [float(at @ b.power_w) for at, b in pairs]

    def limited(self, scheme: str, mix: Mix) -> Floats:
        return np.mean([run.limited for run in self.runs(scheme, mix, PUBLISHED_CHIP)], axis=0)

    def _runs(self, scheme: str, mix: Mix, setting: Setting) -> list[ChipRun]:
        subject = self._subject(scheme, mix, setting)
        rate_rps = CORES * self.study.service.rate_rps(self.shared.load)
        settling = MEASURED // 20
        if subject.steering is not None:
            settling = SETTLING_EPOCHS * subject.steering.epoch_requests
        return self.study.each(
            _run,
            subject,
            Poisson(round(1_000 * rate_rps)),
            settling,
            MEASURED,
            REPETITIONS,
        )

    def _subject(self, scheme: str, mix: Mix, setting: Setting) -> CoreQueues:
        pairs = [Pair(0, NOMINAL)] * CORES
        if scheme in _PAIRS:
            pairs = [_PAIRS[scheme](self.shared, batch) for batch in mix]
        clocks = Clocks(self._table, NOMINAL_KHZ, chip=self._chip(mix, pairs, setting))
        match scheme:
            case clocks_study.FIXED:
                return CoreQueues(scheme, replace(clocks, rule=FixedLevel(NOMINAL)))
            case "HW-T":
                return hw_t(clocks)
            case "HW-TPW":
                return hw_tpw(clocks)
            case _:
                return CoreQueues(scheme, clocks, self.study.own.steering)

    def _chip(self, mix: Mix, pairs: Sequence[Pair], setting: Setting) -> Chip:
        refill_ns = round(setting.refill_us * NS_PER_US)
        cores = tuple(
            BatchCore(
                ProgramCounters(round(batch.memory * PPM), round(batch.ipc * 1_000)),
                tuple(np.rint(batch.power_w * MW_PER_W).astype(int).tolist()),
                pair.batch,
                pair.requests,
                refill_ns,
            )
            for batch, pair in zip(mix, pairs, strict=True)
        )
        requests = ProgramCounters(
            round(self.shared.memory * PPM), round(REQUEST_IPC[self.shared.name] * 1_000)
        )
        limit_mw = round(setting.limit_w * MW_PER_W)
        return Chip(requests, cores, round(UNCORE_W * MW_PER_W), limit_mw)


_PAIRS = {
    "RubikSC": Shared.sc_pair,
    "RubikDC": Shared.dc_pair,
}


def _run(outcome: CoreQueuesOutcome) -> ChipRun:
    if outcome.was_cut_off or (outcome.utilization or 0.0) > FULL:
        return ChipRun(np.inf, np.inf, 0.0, np.zeros((CORES, len(KHZ))), np.zeros(4))
    assert outcome.chip is not None
    at_level = outcome.shares_of_time(outcome.chip.batch_ns)
    asleep = CORES * (1 - (outcome.utilization or 0.0)) - at_level.sum()
    return ChipRun(
        p95_ns(outcome.latency_ns[outcome.measured]) / NS_PER_US,
        outcome.mean_power,
        float(asleep) * SLEEP_W,
        at_level,
        outcome.shares_of_time(outcome.chip.limited_ns),
    )
