"""Which part of the model `verify --measured` names when one is wrong.

    python -m bench.planted_errors

Replays the few-to-many policy of `examples/lucene-fm` as a server with one planted error: demand 20
% heavier, bursts, speed-ups overstated, or late ticks. Its demand log, latencies and arrivals are
judged by `tailc verify --measured`. Prints in how many of ten trials the right part was named.
Speed-ups and ticks are named together, if latencies differ and neither demand nor arrivals do.
"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

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
from tailc.models.subjects import subject_of
from tailc.models.workload import Workload
from tailc.studies.held_out import read_held_out

FOLDER = ROOT / "examples" / "lucene-fm"
COLUMN = "demand_ms"
RATE_MRPS, RATE = 40_000, "40/s"
REQUESTS, TRIALS = 8_000, 10
NOBODY, REST = "none", "speed-ups or scheduling"
NS_PER_MS = 1e6
POISSON = Poisson(RATE_MRPS)


@dataclass(frozen=True)
class Planted:
    """An error of the server: its demand, what its threads add, and its quantum as factors."""

    error: str
    named: str
    demand: float = 1.0
    speedup: float = 1.0
    quantum: int = 1
    arrivals: Arrivals = POISSON


BURSTS = Burstiness(4_000_000, 2_000_000).with_rate(RATE_MRPS)
ERRORS = (
    Planted("none", NOBODY),
    Planted("demand 20 % heavier", "demand", demand=1.2),
    Planted("bursts, index 4", "arrivals", arrivals=BURSTS),
    Planted("threads add 30 % less", REST, speedup=0.7),
    Planted("ticks every 200 ms, not 5 ms", REST, quantum=40),
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
        log, served = Path(folder) / "log.csv", Path(folder) / "served.csv"
        write_log(log, planted.demand, seed)
        write_served(served, policy, planted, log, seed)
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
            cli([*verify_words(log, served)])
    result = json.loads(said.getvalue())["result"]
    differs = any(slo["agreement"] == "differ" for slo in result["slos"])
    return ", ".join(result["deviating"]) or (REST if differs else NOBODY)


def verify_words(log: Path, served: Path) -> list[str]:
    return [
        *("verify", str(FOLDER / "expected.tailc"), "--trace", str(log), "--rate", RATE),
        *("--measured", str(served), "--measured-column", "latency_ms", "--measured-unit", "ms"),
        *("--measured-arrivals", "at_ms", "--measured-arrival-unit", "ms"),
        *("--replicates", "199", "--output-format", "json"),
    ]


def write_log(path: Path, factor: float, seed: int) -> None:
    """Demands of the design trace, sampled with replacement, as the server's log has them."""
    demands_ms = pq.read_table(FOLDER / "demand.parquet")[COLUMN].to_numpy()
    rng = np.random.default_rng(seed)
    write_columns(path, {COLUMN: factor * rng.choice(demands_ms, REQUESTS)})


def write_served(path: Path, policy: Policy, planted: Planted, log: Path, seed: int) -> None:
    """Arrivals and latencies of a server that executes the policy with the error."""
    ladders = [
        replace(each, quantum_us=planted.quantum * each.quantum_us) for each in policy.ladders
    ]
    profile = read_held_out(policy, str(log)).profile
    subject = subject_of(replace(policy, forms=tuple(ladders)), profile)
    load = with_speedups(subject.workload(profile), planted.speedup)
    scenario = Scenario(load, planted.arrivals, REQUESTS, REQUESTS // 4, 1_000 + seed)
    with ThreadPoolExecutor(1) as workers:
        ((_, outcome),) = Experiment(scenario, 1, 0, workers).outcomes(subject)
    arrival_ns = outcome.arrival_ns[outcome.measured][outcome.served]
    columns = {"at_ms": arrival_ns / NS_PER_MS, "latency_ms": outcome.latencies_ns / NS_PER_MS}
    write_columns(path, columns)


def with_speedups(load: Workload, factor: float) -> Workload:
    """The requests with threads beyond the first that add `factor` of what they do."""
    first = load.speed[:, :1]
    return replace(load, speed=first + factor * (load.speed - first))


def write_columns(path: Path, columns: dict[str, NDArray[np.floating]]) -> None:
    rows = np.column_stack(list(columns.values()))
    np.savetxt(path, rows, "%.6f", ",", header=",".join(columns), comments="")


if __name__ == "__main__":
    main()
