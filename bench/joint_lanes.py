"""Share the lane while young, and then? Batch work of threads on lanes beside elfen's budgets.

    python -m bench.joint_lanes

The requests of `examples/elfen` on eight cores of two lanes, with the speed-ups of few-to-many's
Lucene server, which are an assumption here. Elfen's requests have one thread, that shares its core
with batch work until a budget is used up; few-to-many's share no core; those of the joint ladder
have both. Everybody aims at several parts of the objective, and has the table of most batch work
that keeps the percentile within it on the design half. Batch work is by core, over that beside a
free core. Judged on requests that no compile saw, on the same random numbers; intervals are
Student's at 95 %, over replays.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bench.timing import ROOT, end, show
from tailc.errors import ExitCode, TailcError
from tailc.experiment.experiment import Experiment
from tailc.experiment.scenario import Scenario
from tailc.forms.ladder.table import Ladder
from tailc.means import mean_and_half
from tailc.models.arrivals import Poisson
from tailc.models.shared_cores.model import SharedCores
from tailc.models.shared_cores.outcome import SharedCoresOutcome
from tailc.models.smt.outcome import SmtOutcome
from tailc.models.smt.usage import smt_times
from tailc.models.subjects import on_ladders
from tailc.models.workload import NS_PER_MS, Workload
from tailc.pipeline.compile import compile_policy
from tailc.threads import thread_count

CORES = 8
OBJECTIVES_MS = (30, 50)
RATES_RPS = (160, 320, 640)
AIMS = (1.0, 0.9, 0.8)
HARM = "33%"
"""How much slower a request is beside batch work, and that beside a request."""

JOINT, ELFEN, THREADS = "joint", "elfen", "threads alone"

COMMON = """\
apiVersion: tailc/v1
name: lanes
slo: [{{percentile: 99%, latency: {slo_ms:g}ms}}]
demand:
  {{trace: design.parquet, column: demand_ms, unit: ms, measure: demand-busy, reference: alone}}
rates: [{rates}]
"""
KINDS = {
    JOINT: "kind: joint-ladder\nsearch: {{objective: batch}}\nlanes: {{interference: {harm}}}\n"
    "cores: {{types: [{{name: smt, speed: 1, power: 1, count: {cores}}}]}}\n"
    "speedup: [1, 1.9, 2.65, 3.2]\nserver: {{quantum: 1ms}}\n",
    ELFEN: "kind: elfen\nlanes: {{interference: {harm}}}\nserver: {{cores: {cores}}}\n"
    "policy: safe\nbudget: by-load\n",
    THREADS: "kind: few-to-many\nspeedup: [1, 1.9, 2.65, 3.2]\n"
    "search: {{objective: threads, method: dual}}\n"
    "server: {{cores: {cores}, target_parallelism: {cores}, quantum: 1ms}}\n",
}
PPM, P99_PPM = 1_000_000, 990_000
REQUESTS, REPEATS, SEED = 40_000, 12, 31
DESIGN_REPEATS, DESIGN_SEED = 4, 32
MOST_IN_SYSTEM = 4_096


@dataclass(frozen=True, eq=False)
class Judged:
    """A table's replays: 99th percentiles [ms], inf where it cannot keep up, and batch work."""

    ladder: Ladder
    p99_ms: NDArray[np.float64]
    batch: NDArray[np.float64]


def demand_ms(half: int) -> NDArray[np.float64]:
    """The design half, 0, or what is held out, 1."""
    table = pq.read_table(ROOT / "examples" / "elfen" / "demand.parquet")
    every: NDArray[np.float64] = table["demand_ms"].to_numpy()
    mixed = np.random.default_rng(1).permutation(every)
    middle = len(mixed) // 2
    return mixed[:middle] if half == 0 else mixed[middle:]


def ladders(who: str, slo_ms: float) -> Iterator[Ladder]:
    """The tables of somebody that aim at parts of the objective, as far as they can."""
    rates = ", ".join(f"{rate:g}/s" for rate in RATES_RPS)
    for aim in AIMS:
        parts = {"slo_ms": aim * slo_ms, "rates": rates, "harm": HARM, "cores": CORES}
        try:
            yield _compiled((COMMON + KINDS[who]).format(**parts))
        except TailcError as error:
            if error.exit_code is not ExitCode.INFEASIBLE:
                raise


def _compiled(text: str) -> Ladder:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "service.yaml"
        path.write_text(text, encoding="utf-8")
        pq.write_table(pa.table({"demand_ms": demand_ms(0)}), Path(folder) / "design.parquet")
        return compile_policy(str(path)).policy.ladders[0]


def judge(ladder: Ladder, rate_rps: float, half: int) -> Judged:
    """Replays of the design half, 0, or of what is held out, 1."""
    repeats, seed = (DESIGN_REPEATS, DESIGN_SEED) if half == 0 else (REPEATS, SEED)
    load = _workload(ladder, half)
    arrivals = Poisson(round(rate_rps * 1e3))
    scenario = Scenario(load, arrivals, REQUESTS, MOST_IN_SYSTEM, seed)
    subject = on_ladders("one", (ladder,))
    p99_ms, batch = [], []
    with ThreadPoolExecutor(thread_count(None)) as workers:
        for _, outcome in Experiment(scenario, repeats, 0, workers).outcomes(subject):
            p99_ms.append(np.inf if outcome.was_cut_off else outcome.tail_ns(P99_PPM) / 1e6)
            batch.append(1 - _given_up(ladder, outcome, rate_rps) / CORES)
    return Judged(ladder, np.array(p99_ms), np.array(batch))


def _workload(ladder: Ladder, half: int) -> Workload:
    work_ns = np.maximum(np.rint(demand_ms(half) * NS_PER_MS), 1).astype(np.int64)
    speed = np.array([[rung.speed_ppm / PPM for rung in ladder.rungs]])
    ones, curve = np.ones(len(work_ns), np.int64), np.zeros(len(work_ns), np.int32)
    return Workload(work_ns, ones, curve, speed)


def _given_up(ladder: Ladder, outcome: SmtOutcome | SharedCoresOutcome, rate_rps: float) -> float:
    """Batch work given up in the mean, in cores: all of a core's where it is not shared."""
    if isinstance(outcome, SmtOutcome):
        return smt_times(outcome).given_up
    drawn = SharedCores("one", (ladder,)).cost_of_request(outcome)
    if drawn is None:
        return (outcome.utilization or 0.0) * CORES
    return drawn / 1e9 * rate_rps


def best(tables: Sequence[Ladder], slo_ms: float, rate_rps: float) -> Judged | None:
    """The table of most batch work that meets the objective on the design half, held out."""
    tried = [judge(one, rate_rps, 0) for one in tables]
    met = [one for one in tried if one.p99_ms.mean() <= slo_ms]
    if not met:
        return None
    return judge(max(met, key=lambda one: float(one.batch.mean())).ladder, rate_rps, 1)


def row(tables: dict[str, list[Ladder]], slo_ms: float, rate_rps: float) -> tuple[str, ...]:
    found = {who: best(few, slo_ms, rate_rps) for who, few in tables.items()}
    joint = found[JOINT]
    parents = [one for who, one in found.items() if who != JOINT and one is not None]
    change = "none"
    if joint is not None and parents:
        other = max(parents, key=lambda one: float(one.batch.mean()))
        mean, half = mean_and_half((100 * (joint.batch - other.batch)).tolist())
        change = f"{mean:+.1f} ± {half or 0:.1f}"
    return (
        f"{slo_ms:g} ms",
        f"{rate_rps:g}/s",
        *(_cell_text(found[who]) for who in KINDS),
        change,
    )


def _cell_text(one: Judged | None) -> str:
    return "none" if one is None else f"{one.batch.mean():.1%}, {one.p99_ms.mean():.1f}"


def main() -> None:
    lines = []
    for slo_ms in OBJECTIVES_MS:
        print(f"{slo_ms} ms: tables", file=sys.stderr, flush=True)
        tables = {who: list(ladders(who, slo_ms)) for who in KINDS}
        lines += [row(tables, slo_ms, rate) for rate in RATES_RPS]
    show(("SLO", "rate", *(f"{who}, p99" for who in KINDS), "points"), lines)
    end()


if __name__ == "__main__":
    main()
