"""What the replay says of just the requests that were sent, at the times at which they were due.

That leaves out chance: what still differs is what the model of the server does not know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import figures
import numpy as np

import tailc
from tailc.forms.ladder.table import Ladder
from tailc.models.outcome import Outcome
from tailc.models.shared_cores.baselines.fixed import fixed
from tailc.models.shared_cores.baselines.sequential import sequential
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import NS_PER_MS, workload
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

    Without `has_serial`, requests have no serial parts and use all threads to their end.
    """
    policy = tailc.read_artifact(str(policy_path))
    ladder = policy.ladders[0]
    load = workload(read_trace(str(trace), policy.reading).profile, ladder)
    if not has_serial:
        load = replace(load, serial=None)
    place = places(trace)
    order = np.array([place[row["query"]] for row in rows], np.int64)
    arrival_ns = NS_PER_US * np.array([int(row["due_us"]) for row in rows], np.int64)
    rate_mrps = round(MRPS_US * len(rows) * NS_PER_US / float(arrival_ns[-1]))
    subject = SharedCores(name, (ladder_of(name, ladder),))
    engine = subject.engine(rate_mrps, MOST_IN_SYSTEM)
    return run_of(engine.replay(load, order, arrival_ns))


def ladder_of(name: str, ladder: Ladder) -> Ladder:
    """What a policy of this example does on the server of the compiled one."""
    others = {"SEQ": sequential(ladder), "FIX-2": fixed(ladder, 1)}
    return others.get(name, ladder)


def places(trace: Path) -> dict[str, int]:
    """Where the profile has each query: in the order in which the trace names them first."""
    rows = trace.read_text(encoding="utf-8").splitlines()[1:]
    queries = dict.fromkeys(row.split(",")[0] for row in rows)
    return {query: place for place, query in enumerate(queries)}


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
