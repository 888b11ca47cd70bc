"""Benchmark cells: compile one sample with the default method, replay the table on another.

A sample is drawn from a law, or is a random half of a public trace; the other half is held out.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.public_data import PROGRAMS, TRACES, halves, measured_speedup
from bench.public_data import demand_ms as demand_of_trace
from bench.timing import cpu_seconds
from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.ladder.sharing import NO_SHARING
from tailc.forms.ladder.table import Ladder, Rule
from tailc.models.outcome import NS_PER_US
from tailc.models.perturbations import with_more_work
from tailc.models.shared_cores.baselines.fixed_degree import fixed_rung
from tailc.models.workload import Workload
from tailc.pipeline.compile import compile_policy
from tailc.traces.amdahl import amdahl
from tailc.tuning.operating_point import operating_points
from tailc.tuning.tuning_problem import ladder_subject
from tailc.tuning.tuning_sample import TuningSample, tuning_sample

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]
# Demands in ms.
LAWS: Mapping[str, Draw] = {
    "lognormal": lambda draw, rows: 8.0 * np.exp(draw.normal(0.0, 1.0, rows)),
    "gamma": lambda draw, rows: draw.gamma(0.5, 20.0, rows) + 0.05,
    "pareto-1.5": lambda draw, rows: 3.0 * (1.0 - draw.random(rows)) ** (-1 / 1.5),
    "pareto-2.5": lambda draw, rows: 5.0 * (1.0 - draw.random(rows)) ** (-1 / 2.5),
    "bimodal": lambda draw, rows: np.where(
        draw.random(rows) < 0.95, draw.uniform(2, 6, rows), draw.uniform(60, 120, rows)
    ),
    "constant": lambda _, rows: np.full(rows, 10.0),
    "exponential": lambda draw, rows: draw.exponential(10.0, rows) + 0.01,
}
LOADS = (0.2, 0.4, 0.6)
PERCENTILE_PPM = 990_000
HELD_OUT_ROWS, REQUESTS, REPLAYS = 5_000, 20_000, 10
HEAVIER = 1.2
MOST_THREADS = {2: 2, 4: 4, 15: 4, 64: 8}
SPEC = """\
apiVersion: tailc/v1
kind: few-to-many
name: cell
slo: [{{percentile: 99%, latency: 1h}}]
demand:
  {{trace: design.csv, column: demand_ms, unit: ms, measure: demand-busy, reference: a thread}}
speedup: {speedup}
server: {{cores: {cores}, target_parallelism: {target}, boosting: false}}
search: {{effort: {effort}}}
rates: {rates}
"""


@dataclass(frozen=True)
class Cell:
    """A law or a public trace, a sample of it, and a server.

    speedup: the parallel part of a request's work by Amdahl's law, such as `80%`, or a program
    whose speed-up was measured. gives_up: whether a request that is as old as the longest of the
    sample falls to one thread.
    """

    law: str
    sample: int
    rows: int
    cores: int
    speedup: str
    effort: str
    is_heavier: bool = False
    gives_up: bool = False


@dataclass(frozen=True)
class CellResult:
    """Relative change of p99 at each rate on a held-out sample: default table against others.

    by_hindsight: against the best of SEQ and FIX-k at that rate; error: its standard error over
    replays. by_design: against the degree that is best on the design sample. sequential: against
    SEQ. overloaded: whether the default table overloads the server where SEQ does not.
    cpu_seconds: CPU time of the compile.
    """

    by_hindsight: tuple[float, ...]
    error: tuple[float, ...]
    by_design: tuple[float, ...]
    sequential: tuple[float, ...]
    overloaded: tuple[bool, ...]
    cpu_seconds: float


def samples(law: str, sample: int, rows: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A design sample of a law and a held-out one [ms], or two halves of a trace of any size."""
    if law in TRACES:
        return halves(demand_of_trace(law), sample)
    draw = np.random.default_rng([list(LAWS).index(law), sample, rows])
    return LAWS[law](draw, rows), LAWS[law](draw, HELD_OUT_ROWS)


def cell_result(cell: Cell) -> CellResult:
    """Compile a design sample by default, and replay its table on a held-out sample."""
    demand_ms, apart_ms = samples(cell.law, cell.sample, cell.rows)
    before = cpu_seconds()
    table, objective, load = _compiled(cell, demand_ms)
    taken = cpu_seconds() - before
    held_out = _workload_like(load, apart_ms)
    if cell.is_heavier:
        held_out = with_more_work(held_out, HEAVIER)
    fixed_tables = [fixed_rung(table, rung) for rung in _rungs(len(table.rungs))]
    with ThreadPoolExecutor(1) as workers:
        on_design = _sample(load, objective, cell.cores, workers).tails_us(fixed_tables)
        own = _giving_up(table, int(load.work_ns.max())) if cell.gives_up else table
        seen = _sample(held_out, objective, cell.cores, workers).measure([own, *fixed_tables])
    looks_best = int((on_design.mean(axis=2) / on_design.mean(axis=2).min(axis=0)).mean(1).argmin())
    return _compared(seen.tail_us, seen.gave_up, looks_best, taken)


def _speedup(name: str, threads: int) -> tuple[float, ...]:
    if name in PROGRAMS:
        return measured_speedup(name, threads)
    return amdahl(float(name.removesuffix("%")) / 100, threads)


def _giving_up(table: Ladder, age_ns: int) -> Ladder:
    rules = sorted({*table.rules, Rule.GIVE_UP}, key=lambda rule: rule.value)
    sharing = replace(table.sharing or NO_SHARING, give_up_us=-(-age_ns // NS_PER_US))
    return replace(table, rules=tuple(rules), sharing=sharing)


def _compared(
    tail_us: NDArray[np.int64], gave_up: NDArray[np.bool_] | None, looks_best: int, taken: float
) -> CellResult:
    assert gave_up is not None
    means = tail_us.mean(axis=2)
    best = means[1:].argmin(axis=0)
    at = np.arange(means.shape[1])
    changes = tail_us[0] / tail_us[1:][best, at] - 1.0
    error = changes.std(axis=1, ddof=1) / np.sqrt(changes.shape[1])
    lost = np.any(gave_up, axis=2).tolist()
    return CellResult(
        tuple(changes.mean(axis=1).tolist()),
        tuple(error.tolist()),
        tuple((means[0] / means[1 + looks_best] - 1.0).tolist()),
        tuple((means[0] / means[1] - 1.0).tolist()),
        tuple(own and not other for own, other in zip(lost[0], lost[1], strict=True)),
        taken,
    )


def _compiled(
    cell: Cell, demand_ms: NDArray[np.float64]
) -> tuple[Ladder, TuningObjective, Workload]:
    """The default's table, what it is for, and all of its design sample."""
    curve = [round(one, 3) for one in _speedup(cell.speedup, MOST_THREADS[cell.cores])]
    full_rps = cell.cores * 1e3 / float(demand_ms.mean())
    spec = SPEC.format(
        speedup=curve,
        cores=cell.cores,
        target=max(round(1.6 * cell.cores), cell.cores + 1),
        effort=cell.effort,
        rates="[" + ", ".join(_rate(full_rps * load) for load in LOADS) + "]",
    )
    with tempfile.TemporaryDirectory() as folder:
        rows = "\n".join(f"{one:.6f}" for one in demand_ms)
        Path(folder, "design.csv").write_text(f"demand_ms\n{rows}\n", encoding="utf-8")
        Path(folder, "spec.yaml").write_text(spec, encoding="utf-8")
        policy = compile_policy(str(Path(folder, "spec.yaml")), threads=1).policy
    (table,) = policy.ladders
    rates = policy.rates_mrps
    objective = TuningObjective(PERCENTILE_PPM, rates, (1,) * len(rates), 1)
    speed = np.array([[rung.speed_ppm / 1e6 for rung in table.rungs]])
    return table, objective, _workload(speed, demand_ms)


def _rate(per_s: float) -> str:
    return f"{per_s:.0f}/s" if per_s >= 10 else f"{per_s:.3f}/s"


def _workload_like(load: Workload, demand_ms: NDArray[np.float64]) -> Workload:
    return _workload(load.speed, demand_ms)


def _workload(speed: NDArray[np.float64], demand_ms: NDArray[np.float64]) -> Workload:
    work_ns = np.rint(demand_ms * 1e6).astype(np.int64)
    rows = len(work_ns)
    return Workload(work_ns, np.ones(rows, np.int64), np.zeros(rows, np.int32), speed)


def _rungs(count: int) -> list[int]:
    """Of degrees 1, 2, 3, 4, 8, ..., from 0."""
    return [rung for rung in range(count) if rung < 4 or (rung + 1) & rung == 0]


def _sample(
    load: Workload, objective: TuningObjective, cores: int, workers: ThreadPoolExecutor
) -> TuningSample[Ladder]:
    return tuning_sample(
        operating_points(load, objective),
        PERCENTILE_PPM,
        cores,
        requests=REQUESTS,
        repeats=REPLAYS,
        seed=7,
        workers=workers,
        subject_of=ladder_subject,
    )
