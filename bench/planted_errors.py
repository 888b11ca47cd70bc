"""Which part of the model `verify --measured` names when one is wrong.

    python -m bench.planted_errors

Replays the few-to-many policy of `examples/lucene-fm` as a server with one planted error: demand 20
% heavier, bursts, speed-ups overstated, late ticks, or threads beyond the first that work for half
of their time. Its demand log, with the times of requests, is judged by `tailc verify --measured`.
Prints in how many of ten trials the right part, and no other, was named.
"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bench.timing import ROOT, end, show
from tailc.artifact.envelope import Policy
from tailc.artifact.files import read_policy
from tailc.cli import run as cli
from tailc.experiment.experiment import Experiment
from tailc.experiment.scenario import Scenario
from tailc.models.arrivals import Arrivals, Poisson
from tailc.models.modulated_arrivals import Burstiness
from tailc.models.outcome import Outcome
from tailc.models.subjects import subject_of
from tailc.models.workload import Workload
from tailc.studies.held_out import read_held_out

FOLDER = ROOT / "examples" / "lucene-fm"
RATE_MRPS, RATE = 40_000, "40/s"
REQUESTS, TRIALS = 8_000, 10
NOBODY, TICKS = "none", "ticks"
MS_PER_US, NS_PER_US = 1e-3, 1_000
POISSON = Poisson(RATE_MRPS)


@dataclass(frozen=True)
class Planted:
    """An error of the server: its demand, what its threads add, and its quantum as factors.

    worked: part of the time of threads beyond the first in which they work.
    """

    error: str
    named: str
    demand: float = 1.0
    speedup: float = 1.0
    quantum: int = 1
    worked: float = 1.0
    arrivals: Arrivals = POISSON


BURSTS = Burstiness(4_000_000, 2_000_000).with_rate(RATE_MRPS)
ERRORS = (
    Planted("none", NOBODY),
    Planted("demand 20 % heavier", "demand", demand=1.2),
    Planted("bursts, index 4", "arrivals", arrivals=BURSTS),
    Planted("threads add 30 % less", "speed-ups", speedup=0.7),
    Planted("ticks every 200 ms, not 5 ms", TICKS, quantum=40),
    Planted("threads work for half of their time", "second-threads", speedup=0.5, worked=0.5),
)


def main() -> None:
    policy = read_policy(FOLDER / "expected.tailc")
    rows = []
    for planted in ERRORS:
        named = [named_of(policy, planted, seed) for seed in range(TRIALS)]
        others = sorted({name for name in named if name != planted.named})
        right = named.count(planted.named)
        rows.append([planted.error, planted.named, f"{right} of {TRIALS}", ", ".join(others)])
    show(("error", "to be named", "named", "named instead"), rows)
    end()


def named_of(policy: Policy, planted: Planted, seed: int) -> str:
    """The parts that `verify --measured` names for a server with the error."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.csv"
        write_log(log, policy, planted, seed)
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
            cli([*verify_words(log)])
    return ", ".join(json.loads(said.getvalue())["result"]["deviating"]) or NOBODY


def verify_words(log: Path) -> list[str]:
    return [
        *("verify", str(FOLDER / "expected.tailc"), "--trace", str(log), "--rate", RATE),
        *("--measured", str(log), "--replicates", "199", "--output-format", "json"),
    ]


def write_log(path: Path, policy: Policy, planted: Planted, seed: int) -> None:
    """Write the log of a server that executes the policy with the error.

    Its demands are those of the design trace, sampled with replacement.
    """
    demands = pq.read_table(FOLDER / "demand.parquet")["demand_ms"].to_numpy() / MS_PER_US
    rng = np.random.default_rng(seed)
    demand_us = np.rint(planted.demand * rng.choice(demands, REQUESTS)).astype(np.int64)
    path.write_text("\n".join(["demand_us,weight", *(f"{each},1" for each in demand_us), ""]))
    ladders = [
        replace(each, quantum_us=planted.quantum * each.quantum_us) for each in policy.ladders
    ]
    profile = read_held_out(policy, str(path)).profile
    subject = subject_of(replace(policy, forms=tuple(ladders)), profile)
    load = with_speedups(subject.workload(profile), planted.speedup)
    scenario = Scenario(load, planted.arrivals, REQUESTS, REQUESTS // 4, 1_000 + seed)
    with ThreadPoolExecutor(1) as workers:
        ((replication, outcome),) = Experiment(scenario, 1, 0, workers).outcomes(subject)
    measured = outcome.measured
    by_exit = np.argsort((outcome.arrival_ns + outcome.latency_ns)[measured])
    columns = {
        "demand_us": load.work_ns[replication.order[measured]] / NS_PER_US,
        "weight": np.ones(measured.stop - measured.start),
        "class": np.full(measured.stop - measured.start, ""),
        **times_of(outcome, planted, policy.ladders[0].quantum_us),
    }
    write_columns(path, {name: column[by_exit] for name, column in columns.items()})


def times_of(outcome: Outcome, planted: Planted, quantum_us: int) -> dict[str, NDArray[Any]]:
    """Times of the measured requests, as the scheduler of a server logs them."""
    measured = outcome.measured
    run_us = (outcome.latency_ns - outcome.wait_ns)[measured] // NS_PER_US
    granted_us = outcome.thread_ns[measured] / NS_PER_US
    # A tick is due a quantum after the last one, and is overdue until it is handled, or the exit.
    period_us = planted.quantum * quantum_us
    full, rest_us = np.divmod(run_us, period_us)
    late_us = full * (period_us - quantum_us) + (rest_us - quantum_us).clip(0)
    return {
        "arrival_us": outcome.arrival_ns[measured] // NS_PER_US,
        "wait_us": outcome.wait_ns[measured] // NS_PER_US,
        "run_us": run_us,
        "thread_us": run_us + planted.worked * (granted_us - run_us),
        "granted_us": granted_us,
        "late_us": late_us * (planted.named == TICKS),
    }


def with_speedups(load: Workload, factor: float) -> Workload:
    """The requests with threads beyond the first that add `factor` of what they do."""
    first = load.speed[:, :1]
    return replace(load, speed=first + factor * (load.speed - first))


def write_columns(path: Path, columns: dict[str, NDArray[Any]]) -> None:
    texts = [
        each if each.dtype.kind == "U" else np.rint(each).astype(np.int64).astype(str)
        for each in columns.values()
    ]
    rows = [",".join(row) for row in zip(*texts, strict=True)]
    path.write_text("\n".join([",".join(columns), *rows, ""]))


if __name__ == "__main__":
    main()
