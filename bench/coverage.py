"""How often a verdict's interval holds the truth, and how often it passes a policy that misses.

    python -m bench.coverage --trials 1000 --processes 16
    python -m bench.coverage --trials 100 --settings light-busy-poisson-1000 heavy-idle

A trial draws held-out requests from a known law, and judges a policy on them as `tailc verify`
does. The truth is the percentile of a replay of millions of requests of the same law. A false pass
is one where the target is the truth less 2 %.

Light demand is gamma (shape 1.625), heavy is lognormal (sigma 1.5), both with a mean of 234 ms.
The server has 15 cores and the published Lucene-like table with boosting (Haque et al., ASPLOS
2015): busy is 40 requests/s, 75 % utilization or so, idle is 2. Recorded arrivals come from a
Poisson process that changes between two rates; each belongs to the request that it brought. With
`--stay` the rates change more seldom.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.timing import ROOT
from tailc.experiment.experiment import Experiment
from tailc.experiment.interval import Interval, interval
from tailc.experiment.options import VerifyOptions
from tailc.experiment.scenario import Scenario, most_in_system
from tailc.experiment.tail_sample import Tail, TailSample
from tailc.forms.ladder.table import (
    Admission,
    AdmissionKind,
    Boost,
    Climb,
    CostUnit,
    Guard,
    Ladder,
    LoadAxis,
    Row,
    Rule,
    Rung,
)
from tailc.models.arrivals import Arrivals, Poisson, RecordedArrivals
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import Workload

# So few tell that it runs, and little more; the documented table has 1,000.
TRIALS = 20
PPM = 1_000_000
NS_PER_S = 1_000_000_000
CORES = 15
SPEED = np.array([[1.0, 1.9, 2.65, 3.2]])
MEAN_S = 1.625 * 0.144
SHAPE = 1.625
SIGMA = 1.5
PERCENTILES_PPM = (500_000, 950_000, 990_000)
MISSED_BY = 1.02
TRUTH_REQUESTS = 4_000_000
# How far the two rates of recorded arrivals lie from their mean, and the mean time in each, in
# mean gaps: the number of arrivals in a long time then varies 1.9 times as much as without.
SWING = 0.3
STAY_GAPS = 10
# The mean rate of arrivals, by how busy the server is.
RATE_MRPS = {"idle": 2_000, "busy": 40_000}


@dataclass(frozen=True)
class Case:
    """One line of the table."""

    demand: str
    server: str
    arrivals: str
    held_out: int
    stay_gaps: float = STAY_GAPS

    @property
    def name(self) -> str:
        return f"{self.demand}-{self.server}-{self.arrivals}-{self.held_out}"


CASES = tuple(
    Case(*parts)
    for parts in product(
        ("light", "heavy"), ("idle", "busy"), ("poisson", "recorded"), (1_000, 4_000)
    )
)


class Inline(Executor):
    """Runs what is submitted at once, in this thread: trials share the cores, replays do not."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--first", type=int, default=0, help="number of the first trial")
    parser.add_argument("--settings", nargs="*", default=[""], help="parts of names")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--stay", type=float, default=STAY_GAPS, help="gaps between changes")
    asked = parser.parse_args()
    named = [case for case in CASES if any(part in case.name for part in asked.settings)]
    cases = [replace(case, stay_gaps=asked.stay) for case in named]
    print(f"{asked.trials} trials; intervals that hold the truth, false passes, no upper limit")
    print(f"{'setting':26}{'p50':>20}{'p95':>23}{'p99':>23}{'seconds':>9}")
    with ProcessPoolExecutor(asked.processes) as processes:
        for case in cases:
            print(line(case, asked.first, asked.trials, processes), flush=True)


def line(case: Case, first: int, trials: int, processes: Executor) -> str:
    begun = time.perf_counter()
    truths_us = processes.submit(truth_us, case).result()
    found = list(processes.map(trial, [case] * trials, range(first, first + trials)))
    cells = []
    for number, truth in enumerate(truths_us):
        held = sum(holds(one[number], truth) for one in found) / trials
        passed = sum(passes(one[number], truth / MISSED_BY) for one in found) / trials
        unknown = sum(one[number].high_us is None for one in found) / trials
        cells.append(f"{held:7.1%}{passed:6.1%}{unknown:6.0%}")
    seconds = time.perf_counter() - begun
    return f"{case.name:26}" + "    ".join(cells) + f"{seconds:9.0f}"


def holds(found: Interval, truth_us: float) -> bool:
    return found.low_us <= truth_us and (found.high_us is None or truth_us <= found.high_us)


def passes(found: Interval, target_us: float) -> bool:
    return found.high_us is not None and found.high_us <= target_us


def trial(case: Case, number: int) -> list[Interval]:
    return [interval(one) for one in tails(case, number)]


def tails(case: Case, number: int) -> tuple[TailSample, ...]:
    """What the replays say in one trial."""
    rng = np.random.default_rng([number, *case.name.encode()])
    load = requests(case, rng, case.held_out)
    options = VerifyOptions(seed=number)
    scenario = Scenario(
        load,
        arrivals(case, rng, case.held_out),
        options.requests_for(case.held_out),
        most_in_system(CORES * PPM),
        number,
    )
    experiment = Experiment(scenario, options.repeats, options.replicates, Inline())
    return sample(experiment)


def truth_us(case: Case) -> list[float]:
    """The percentiles of a replay of fresh requests, each its own."""
    rng = np.random.default_rng(12345)
    case = replace(case, held_out=TRUTH_REQUESTS)
    load = requests(case, rng, TRUTH_REQUESTS)
    scenario = Scenario(
        load, arrivals(case, rng, TRUTH_REQUESTS), TRUTH_REQUESTS, most_in_system(CORES * PPM), 1
    )
    return [one.estimate_ns / 1000 for one in sample(Experiment(scenario, 1, 0, Inline()))]


def sample(experiment: Experiment) -> tuple[TailSample, ...]:
    """Of the published table, which keeps up."""
    subject, tails = published(), [Tail(ppm) for ppm in PERCENTILES_PPM]
    repeats = experiment.replay_with_use(subject, tails)
    assert not any(one.was_cut_off for one in repeats.results)
    return experiment.sample(subject, tails, repeats)


def requests(case: Case, rng: np.random.Generator, count: int) -> Workload:
    if case.demand == "light":
        work_s = rng.gamma(SHAPE, MEAN_S / SHAPE, count)
    else:
        work_s = rng.lognormal(math.log(MEAN_S) - SIGMA**2 / 2, SIGMA, count)
    work_ns = np.maximum(np.rint(work_s * NS_PER_S), 1).astype(np.int64)
    return Workload(work_ns, np.ones(count, np.int64), np.zeros(count, np.int32), SPEED)


def arrivals(case: Case, rng: np.random.Generator, count: int) -> Arrivals:
    rate_mrps = RATE_MRPS[case.server]
    if case.arrivals == "poisson":
        return Poisson(rate_mrps)
    times_ns = two_rates(rng, rate_mrps, count, case.stay_gaps)
    return RecordedArrivals(times_ns, np.arange(count, dtype=np.int32), "two rates")


def two_rates(
    rng: np.random.Generator, rate_mrps: int, count: int, stay_gaps: float
) -> NDArray[np.int64]:
    """Ascending times from 0 of a Poisson process whose rate changes at random times."""
    mean_gap_ns = NS_PER_S * 1000 / rate_mrps
    # In units of the mean gap, work is done at rate 1 of a clock that runs faster or slower.
    stays = rng.exponential(stay_gaps, int(count / stay_gaps * 1.5) + 100)
    speed = np.where((np.arange(len(stays)) + rng.integers(2)) % 2, 1 + SWING, 1 - SWING)
    ends, arrived_by = np.cumsum(stays), np.cumsum(stays * speed)
    wanted = np.cumsum(rng.exponential(1, count))
    assert wanted[-1] < arrived_by[-1]
    times = np.interp(wanted, np.concatenate([[0], arrived_by]), np.concatenate([[0], ends]))
    times_ns = np.rint(times * mean_gap_ns).astype(np.int64)
    return times_ns - times_ns[0]


def published() -> SharedCores:
    """The published table on its published server."""
    text = (ROOT / "schemas" / "vectors" / "v1" / "lucene.json").read_text()
    form = json.loads(text)["forms"][0]
    ladder = Ladder(
        LoadAxis.IN_SYSTEM,
        None,
        (CostUnit("threads", CORES * PPM),),
        tuple(
            Rung(f"degree-{i + 1}", round(speed * PPM), ((i + 1) * PPM,))
            for i, speed in enumerate(SPEED[0])
        ),
        (Rule.BOOST_LAST_RUNG, Rule.NEVER_DESCEND, Rule.REREAD_ROW),
        5000,
        tuple(row(one) for one in form["rows"]),
        Guard(0, 24),
        Boost(0, CORES * PPM),
    )
    return SharedCores("published", (ladder,))


def row(form: dict[str, Any]) -> Row:
    admission = form["admission"]
    return Row(
        form["first_load"],
        form.get("last_load"),
        Admission(AdmissionKind(admission["kind"]), admission["delay_us"]),
        tuple(Climb(climb["age_us"], climb["rung"]) for climb in form["climbs"]),
    )


if __name__ == "__main__":
    main()
