"""Requests replayed a second: the compiled engine beside SimPy, on the published Lucene-like table.

    python bench/replay.py

Gamma demand (shape 1.625, scale 144 ms), speed-ups 1, 1.9, 2.65, 3.2, 15 cores, quantum 5 ms,
boosting on. Each figure is the best of several runs; streams, percentiles and statistics are not
in the first table. The last lines are a whole verdict, on one thread and on all.
"""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tailc.artifact.envelope import Policy  # noqa: E402
from tailc.artifact.files import read_policy  # noqa: E402
from tailc.forms.ladder.table import Boost, CostUnit, Ladder, Rule  # noqa: E402
from tailc.replay import streams  # noqa: E402
from tailc.replay.baselines.sequential import sequential  # noqa: E402
from tailc.replay.lowered import lower  # noqa: E402
from tailc.replay.outcome import Outcome, replay  # noqa: E402
from tailc.replay.workload import workload  # noqa: E402
from tailc.specs.slo import Slo  # noqa: E402
from tailc.threads import thread_count  # noqa: E402
from tailc.traces.profile import DemandProfile, Measure  # noqa: E402
from tailc.verify.judge import verify  # noqa: E402
from tailc.verify.options import VerifyOptions  # noqa: E402
from tests.reference.replay_simpy import replay_simpy  # noqa: E402

PUBLISHED = ROOT / "schemas" / "vectors" / "v1" / "lucene.tailc"
SPEED = [1.0, 1.9, 2.65, 3.2]
CORES = 15
PPM = 1_000_000
REQUESTS = 200_000
SIMPY_REQUESTS = 4_000
RATES_RPS = (30, 40, 44)
MOST_IN_SYSTEM = 4096
REPEATS = 5


def main() -> None:
    policy = read_policy(PUBLISHED)
    ladder = on_fifteen_cores(policy.forms[0])
    print("ladder       rate  p99 ms  requests/s   SimPy req/s  ratio")
    for rate_rps in RATES_RPS:
        report("table", ladder, rate_rps)
    report("SEQ", sequential(ladder), 40)
    whole_verdict(dataclasses.replace(policy, forms=(ladder,)))


def on_fifteen_cores(ladder: Ladder) -> Ladder:
    """The published table on its published server."""
    threads = CostUnit("threads", CORES * PPM)
    rungs = tuple(
        dataclasses.replace(rung, cost_ppm=((i + 1) * PPM,)) for i, rung in enumerate(ladder.rungs)
    )
    return dataclasses.replace(
        ladder,
        cost_units=(threads,),
        rungs=rungs,
        rules=(Rule.BOOST_LAST_RUNG, Rule.NEVER_DESCEND, Rule.REREAD_ROW),
        boost=Boost(0, CORES * PPM),
        quantum_us=5000,
    )


def report(name: str, ladder: Ladder, rate_rps: int) -> None:
    demand = lucene_like(REQUESTS)
    load = workload(demand, len(ladder.rungs))
    arrival_ns = np.empty(REQUESTS, np.int64)
    streams.poisson_arrivals(streams.stream(1, rate_rps), rate_rps * 1000, arrival_ns)
    table = lower(ladder, rate_rps * 1000, MOST_IN_SYSTEM)
    order = np.arange(REQUESTS)

    def compiled() -> Outcome:
        return replay(load, order, arrival_ns, table, MOST_IN_SYSTEM)

    latency_ms = np.sort(compiled().latency_ns / 1e6)
    fast = REQUESTS / min(seconds(compiled) for _ in range(REPEATS))
    arrival_ms = (arrival_ns[:SIMPY_REQUESTS] / 1e6).tolist()
    work_ms = demand.demand_ms[:SIMPY_REQUESTS].tolist()
    slow = SIMPY_REQUESTS / seconds(lambda: replay_simpy(ladder, arrival_ms, work_ms, SPEED))
    p99 = latency_ms[int(0.99 * REQUESTS)]
    print(
        f"{name:10}  {rate_rps:3}/s  {p99:6.0f}  {fast / 1e6:8.2f} M  {slow / 1e3:10.2f} K"
        f"  {fast / slow:5.0f}"
    )


def whole_verdict(policy: Policy) -> None:
    """Three rates, 2,000 held-out requests, the policy and its baseline."""
    policy = dataclasses.replace(policy, slos=(Slo(990_000, 500_000),), inputs=())
    rates_mrps = tuple(rate * 1000 for rate in RATES_RPS)
    cores = thread_count(None)
    took = {}
    for threads in dict.fromkeys((1, cores)):
        options = VerifyOptions(rates_mrps=rates_mrps, threads=threads)
        took[threads] = seconds(lambda o=options: verify(policy, lucene_like(2000), o))
        print(f"verify, 3 rates, {threads} thread(s): {took[threads]:.2f} s")
    print(f"speed-up of {cores} threads: {took[1] / took[cores]:.2f}")


def lucene_like(requests: int) -> DemandProfile:
    return DemandProfile(
        np.random.default_rng(1).gamma(1.625, 144, requests),
        np.ones(requests, np.int64),
        np.array([SPEED]),
        np.zeros(requests, np.int32),
        (),
        Measure.DEMAND_BUSY,
        "core",
    )


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
