"""The replay beside queueing theory: over a thousand queues whose means and shares are known.

    python -m bench.closed_forms

Each queue is replayed several times from independent random numbers; the mean over replays and its
Student interval are held against the closed form. Of the 95 % intervals about 95 % must hold it
(two-sided binomial test at 0.1 %, so neither too few nor too many), and of the 99.99 % intervals
all. One in ten thousand misses by chance; so a queue that does is replayed again, ten times as
often, from other random numbers, and that decides. Ends with 1 otherwise.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from scipy import stats

from tailc.forms.ladder.table import (
    AT_ONCE,
    ON_EXIT,
    Climb,
    CostUnit,
    Guard,
    Ladder,
    LoadAxis,
    Row,
    Rung,
)
from tailc.models import streams
from tailc.models.outcome import Outcome
from tailc.models.shared_cores.arrays import LadderArrays, ladder_arrays
from tailc.models.shared_cores.model import SharedCoresEngine
from tailc.models.workload import Workload
from tailc.threads import thread_count
from tests.reference import closed_forms
from tests.reference.closed_forms import Law, law

PPM = 1_000_000
NS_PER_MS = 1_000_000
REPLAYS = 20
REPLAYS_AGAIN = 200
REQUESTS = 20_000
WARM_UP = 4_000
MOST_IN_SYSTEM = 8_000
SEED = 9

LOADS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8)
SERVERS = (1, 2, 3, 5, 8, 15)
MEANS_MS = (0.5, 8.0, 150.0)
# Rarer events are seen too seldom for a Student interval.
LEAST_SHARE = 0.02

ONE, ALL = 0.95, 0.9999
ALARM = 0.001

Statistic = Callable[[Outcome, np.ndarray], float]


@dataclass(frozen=True)
class Queue:
    """A queue, what is measured of it, and what theory says of that."""

    family: str
    servers: int
    load: float
    demand: Law
    shares: bool
    measure: Statistic
    theory: float

    @property
    def ladder(self) -> Ladder:
        """First come, first served, or all at once on the same servers."""
        first = Row(0, None if self.shares else self.servers, AT_ONCE, (Climb(0, 0),))
        rest = Row(self.servers + 1, None, ON_EXIT, (Climb(0, 0),))
        return Ladder(
            LoadAxis.IN_SYSTEM,
            None,
            (CostUnit("threads", self.servers * PPM),),
            (Rung("d1", PPM, (PPM,)),),
            (),
            1000,
            (first,) if self.shares else (first, rest),
            Guard(0, self.servers + 1),
        )


@dataclass(frozen=True)
class Found:
    """The mean over replays of one queue, and whether its intervals hold the theory."""

    queue: Queue
    mean: float
    is_within_one: bool
    is_within_all: bool
    was_repeated: bool = False


def main() -> int:
    queues = list(all_queues())
    with ThreadPoolExecutor(thread_count(None)) as pool:
        found = list(pool.map(check, queues, range(len(queues))))
    report(found)
    failures = unlikely(found)
    for failure in failures:
        print(failure)
    return 1 if failures else 0


def all_queues() -> Iterator[Queue]:
    """Every family at every load, law, number of servers and mean demand."""
    for load, mean in product(LOADS, MEANS_MS):
        for servers in SERVERS:
            yield from mmk(servers, load, mean)
        yield from md1(load, mean)
        for name in closed_forms.LAWS:
            yield from mg1(load, law(name, mean))
            yield from sharing(load, law(name, mean))


def mmk(servers: int, load: float, mean: float) -> Iterator[Queue]:
    demand = law("exponential", mean)
    common = (servers, load, demand, False)
    last = closed_forms.mmk_latency_quantile(servers, load, mean, 0.95)
    yield Queue("M/M/k latency p95", *common, share_beyond(latency_ms, last), 0.05)
    waits = closed_forms.erlang_c(servers, load)
    if waits > LEAST_SHARE:
        yield Queue("M/M/k waits", *common, share_beyond(wait_ms, 0), waits)
        wait = closed_forms.mmk_mean_wait(servers, load, mean)
        yield Queue("M/M/k mean wait", *common, mean_wait, wait)


def md1(load: float, mean: float) -> Iterator[Queue]:
    for demands in (0.5, 1.25, 2, 3.5):
        share = closed_forms.md1_wait_beyond(load, mean, demands * mean)
        if share > LEAST_SHARE:
            beyond = share_beyond(wait_ms, demands * mean)
            yield Queue("M/D/1 wait", 1, load, law("constant", mean), False, beyond, share)


def mg1(load: float, demand: Law) -> Iterator[Queue]:
    common = (1, load, demand, False)
    yield Queue("M/G/1 mean wait", *common, mean_wait, closed_forms.mg1_mean_wait(demand, load))
    yield Queue("M/G/1 utilization", *common, utilization, load)


def sharing(load: float, demand: Law) -> Iterator[Queue]:
    latency = closed_forms.ps_mean_latency(demand.mean, load)
    yield Queue("M/G/1-PS mean latency", 1, load, demand, True, mean_latency, latency)
    stretch = closed_forms.ps_mean_stretch(load)
    yield Queue("M/G/1-PS stretch", 1, load, demand, True, mean_stretch, stretch)
    for servers in (2, 8):
        held = closed_forms.ps_mean_in_system(servers, load)
        yield Queue("M/G/k-PS in system", servers, load, demand, True, mean_in_system, held)


def latency_ms(outcome: Outcome) -> np.ndarray:
    return outcome.latency_ns[outcome.measured] / NS_PER_MS


def wait_ms(outcome: Outcome) -> np.ndarray:
    return outcome.wait_ns[outcome.measured] / NS_PER_MS


def share_beyond(of: Callable[[Outcome], np.ndarray], limit_ms: float) -> Statistic:
    """A share, not a quantile: its mean over replays has no bias."""
    return lambda outcome, _: float((of(outcome) > limit_ms).mean())


def mean_wait(outcome: Outcome, _: np.ndarray) -> float:
    return float(wait_ms(outcome).mean())


def mean_latency(outcome: Outcome, _: np.ndarray) -> float:
    return float(latency_ms(outcome).mean())


def mean_stretch(outcome: Outcome, work_ns: np.ndarray) -> float:
    return float((outcome.latency_ns / work_ns)[outcome.measured].mean())


def mean_in_system(outcome: Outcome, _: np.ndarray) -> float:
    return outcome.mean_in_system


def utilization(outcome: Outcome, _: np.ndarray) -> float:
    assert outcome.utilization is not None
    return outcome.utilization


def check(queue: Queue, number: int) -> Found:
    """Replay a queue; `number` sets its random numbers apart from every other's."""
    found = look(queue, number, range(REPLAYS))
    if found.is_within_all:
        return found
    again = look(queue, number, range(REPLAYS, REPLAYS + REPLAYS_AGAIN))
    return replace(found, mean=again.mean, is_within_all=again.is_within_all, was_repeated=True)


def look(queue: Queue, number: int, replays: range) -> Found:
    table = ladder_arrays((queue.ladder,), 1, MOST_IN_SYSTEM)
    values = [one_replay(queue, table, (number, replica)) for replica in replays]
    mean = float(np.mean(values))
    error = float(np.std(values, ddof=1)) / len(values) ** 0.5
    distance = abs(mean - queue.theory)
    one, every = (error * stats.t.ppf((1 + level) / 2, len(values) - 1) for level in (ONE, ALL))
    return Found(queue, mean, bool(distance <= one), bool(distance <= every))


def one_replay(queue: Queue, table: LadderArrays, key: tuple[int, int]) -> float:
    rate_mrps = 1e6 * queue.servers * queue.load / queue.demand.mean
    arrival_ns = np.empty(REQUESTS, np.int64)
    streams.poisson_arrivals(streams.stream(SEED, *key), rate_mrps, arrival_ns)
    work_ms = queue.demand.draw(np.random.default_rng((SEED, *key)), REQUESTS)
    work_ns = np.maximum(np.rint(work_ms * NS_PER_MS), 1).astype(np.int64)
    load = Workload(work_ns, np.ones_like(work_ns), np.zeros(REQUESTS, np.int32), np.ones((1, 1)))
    order = np.arange(REQUESTS)
    engine = SharedCoresEngine(table, None, MOST_IN_SYSTEM)
    outcome = engine.replay(load, order, arrival_ns, WARM_UP)
    assert not outcome.was_cut_off
    return queue.measure(outcome, work_ns)


def unlikely(found: list[Found]) -> list[str]:
    """What a replay that agrees with theory would hardly ever show."""
    within = sum(one.is_within_one for one in found)
    agrees = stats.binomtest(within, len(found), ONE).pvalue
    sentences = [
        f"FAIL: {one.queue.family}, {one.queue.servers} servers, load {one.queue.load}, "
        f"{one.queue.demand.name} demand of {one.queue.demand.mean} ms: got {one.mean:.6g}, "
        f"theory {one.queue.theory:.6g}"
        for one in found
        if not one.is_within_all
    ]
    if agrees < ALARM:
        sentences.append(f"FAIL: {within} of {len(found)} intervals of {ONE:.0%} hold the theory")
    return sentences


def report(found: list[Found]) -> None:
    columns = ("in 95 %", "in 99.99 %", "repeated", "mean error")
    print(f"{'family':24}{'queues':>8}" + "".join(f"{column:>12}" for column in columns))
    families = dict.fromkeys(one.queue.family for one in found)
    for family in (*families, "all"):
        mine = [one for one in found if family in (one.queue.family, "all")]
        error = np.mean([abs(one.mean / one.queue.theory - 1) for one in mine])
        print(
            f"{family:24}{len(mine):8}{np.mean([f.is_within_one for f in mine]):12.1%}"
            f"{np.mean([f.is_within_all for f in mine]):12.2%}"
            f"{sum(f.was_repeated for f in mine):12}{error:12.2%}"
        )


if __name__ == "__main__":
    sys.exit(main())
