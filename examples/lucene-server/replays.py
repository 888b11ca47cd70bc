"""Replay exactly the requests of a run, at the times at which they were due, with their CPU times.

The difference from what was measured is then the error of the model of the server.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import figures
import numpy as np

import tailc
from tailc.forms.ladder.table import Ladder
from tailc.models.outcome import Outcome
from tailc.models.shared_cores.baselines.fixed_degree import fixed_rung
from tailc.models.shared_cores.baselines.sequential import sequential
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import NS_PER_MS, Workload, workload
from tailc.traces.trace import read_trace

MOST_IN_SYSTEM = 100_000
NS_PER_US = 1_000
MRPS_US = 1e9


def replayed(
    policy_path: Path,
    trace: Path,
    rows: Sequence[dict[str, str]],
    name: str,
    *,
    has_serial: bool = True,
) -> figures.Run:
    """The requests of a run under the policy, or under SEQ or FIX-2 on the same server.

    The time of each request alone is scaled by its CPU time in the run, relative to the mean of
    its timings. Without `has_serial`, requests have no serial parts and use all threads to their
    end.
    """
    policy = tailc.read_artifact(str(policy_path))
    ladder = policy.ladders[0]
    load = of_run(workload(read_trace(str(trace), policy.reading).profile, ladder), trace, rows)
    if not has_serial:
        load = replace(load, serial=None)
    arrival_ns = NS_PER_US * np.array([int(row["due_us"]) for row in rows], np.int64)
    rate_mrps = round(MRPS_US * len(rows) * NS_PER_US / float(arrival_ns[-1]))
    subject = SharedCores(name, (ladder_of(name, ladder),))
    engine = subject.engine(rate_mrps, MOST_IN_SYSTEM)
    return run_of(engine.replay(load, np.arange(len(rows)), arrival_ns))


def of_run(load: Workload, trace: Path, rows: Sequence[dict[str, str]]) -> Workload:
    """The requests of a run in their order, with the CPU times that they had in it."""
    alone_ms = cpu_times_ms(trace)
    place = {query: place for place, query in enumerate(alone_ms)}
    order = np.array([place[row["query"]] for row in rows], np.int64)
    factor = np.array([float(row["cpu_ms"]) / alone_ms[row["query"]] for row in rows])
    return replace(
        load,
        work_ns=np.maximum(np.rint(load.work_ns[order] * factor), 1).astype(np.int64),
        weight=np.ones(len(rows), np.int64),
        curve_of=load.curve_of[order],
    )


def ladder_of(name: str, ladder: Ladder) -> Ladder:
    """What a policy of this example does on the server of the compiled one."""
    others = {"SEQ": sequential(ladder), "FIX-2": fixed_rung(ladder, 1)}
    return others.get(name, ladder)


def cpu_times_ms(trace: Path) -> dict[str, float]:
    """The mean CPU time of all timings of a query [ms]; queries in the order of their first rows.

    This is the order of the profile, too.
    """
    times: defaultdict[str, list[float]] = defaultdict(list)
    with trace.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            times[row["query"]].append(float(row["cpu_ms"]))
    return {query: fmean(of_query) for query, of_query in times.items()}


def run_of(outcome: Outcome) -> figures.Run:
    """The figures of a replay; none of them has an interval."""
    latency_ms = outcome.latency_ns / NS_PER_MS
    utilization = outcome.utilization
    assert utilization is not None
    return figures.Run(
        figures.Figure(figures.quantile(latency_ms, 0.5)),
        figures.Figure(figures.quantile(latency_ms, 0.99)),
        figures.Figure(float(latency_ms.mean())),
        figures.Figure(utilization),
    )
