"""Compare the default policy of slow-to-fast with every setting by hand, on held-out samples.

    python -m bench.core_defaults [--rows 5000] [--effort normal] [--laws LAW,...] [--samples 1]
        [--servers types,clocks] [--processes 2]

For each law, sample and server, compile a design sample at the rates that keep 20, 40 and 60 % of
all cores busy at their fastest; the SLO is 80 % of the 99th percentile on a slow core without any
queue. Replay the policy and every setting by hand
on a held-out sample, all on the same requests at the same times. A cell is the change of energy
against the cheapest of the settings that keep the SLO there by hindsight; `misses`: the policy's
tail is over the SLO by more than 2 %, and some setting's is not.
"""

from __future__ import annotations

import itertools
import math
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.default_cells import arguments_of, samples
from bench.processes import of_all
from bench.timing import cpu_seconds, end
from tailc.experiment.sizes import Seed
from tailc.experiment.tuning_objective import Criterion, TuningObjective
from tailc.forms.ladder.table import Ladder
from tailc.models.subjects import on_ladders
from tailc.models.workload import Workload
from tailc.pipeline.auto.rivals import set_by_hand
from tailc.pipeline.compile import compile_policy
from tailc.tuning.operating_point import operating_points
from tailc.tuning.tuning_problem import ladder_subject
from tailc.tuning.tuning_sample import Measurements, tuning_sample

REQUESTS, REPLAYS = 20_000, 10
LOADS = (0.2, 0.4, 0.6)
PERCENTILE_PPM = 990_000
# A tail that is longer than the SLO by no more than that is not counted as a miss.
MISSED = 1.02
# Cores, and their speed all together.
SERVERS = {
    "types": (
        "{power_from: micro-2017-amp, types: [{speed: 1, count: 8}, {speed: 2, count: 2}]}",
        12,
    ),
    "clocks": (
        "{dvfs: {count: 4, levels: [{frequency: 1.7GHz, power: 1.4W}, "
        "{frequency: 2.7GHz, power: 4.2W}, {frequency: 3.4GHz, power: 9.8W}]}}",
        8,
    ),
}
SPEC = """\
apiVersion: tailc/v1
kind: slow-to-fast
name: cell
slo: [{{percentile: 99%, latency: {latency_us}us}}]
allow_misses: true
demand:
  {{trace: design.csv, column: demand_ms, unit: ms, measure: demand-busy, reference: speed 1}}
cores: {cores}
search: {{effort: {effort}}}
rates: {rates}
"""


@dataclass(frozen=True)
class Cell:
    """A law, a sample of it, and a server."""

    law: str
    sample: int
    rows: int
    server: str
    effort: str


@dataclass(frozen=True)
class CellResult:
    """At each rate: change of energy against the best setting by hindsight; None: none keeps the
    SLO. misses: whether the policy misses it where some setting keeps it. named: that setting.
    """

    changes: tuple[float | None, ...]
    misses: tuple[bool, ...]
    named: tuple[str, ...]
    cpu_seconds: float


def main() -> None:
    arguments = arguments_of(__doc__, list(SERVERS))
    cells = [
        Cell(law, sample, arguments.rows, server, arguments.effort)
        for law, sample, server in itertools.product(
            arguments.laws, range(1, arguments.samples + 1), arguments.servers
        )
    ]
    found = of_all(cell_result, cells, arguments.processes)
    for cell, one in found.items():
        print(_line(cell, one), flush=True)
    print(_summary(list(found.values())))
    end()


def cell_result(cell: Cell) -> CellResult:
    """Compile a design sample by default, and replay its policy on a held-out sample."""
    design_ms, apart_ms = samples(cell.law, cell.sample, cell.rows)
    before = cpu_seconds()
    table, limit_us, rates = _compiled(cell, design_ms)
    taken = cpu_seconds() - before
    aim = TuningObjective(
        PERCENTILE_PPM,
        rates,
        (1,) * len(rates),
        1,
        criterion=Criterion.ENERGY,
        target_us=limit_us,
        limit_us=limit_us,
    )
    load = _workload(table, apart_ms)
    subject = on_ladders("cell", (table,))
    hand = [("policy", table)]
    with ThreadPoolExecutor(1) as workers:
        # No setting of these has anything to search for.
        hand += [
            (one.name, one.table) for one in set_by_hand(subject, _workload(table, design_ms), None)
        ]
        sample = tuning_sample(
            operating_points(load, aim),
            PERCENTILE_PPM,
            SERVERS[cell.server][1],
            requests=REQUESTS,
            repeats=REPLAYS,
            seed=Seed.DESIGN,
            workers=workers,
            subject_of=ladder_subject,
        )
        seen = sample.measure([table for _, table in hand])
    return _compared(seen, [name for name, _ in hand], limit_us, taken)


def _compared(seen: Measurements, names: Sequence[str], limit_us: int, taken: float) -> CellResult:
    assert seen.energy is not None
    energy, is_late = seen.energy.mean(axis=2), seen.tail_us.mean(axis=2) > MISSED * limit_us
    changes: list[float | None] = []
    misses, named = [], []
    for rate in range(energy.shape[1]):
        kept = [one for one in range(1, len(names)) if not is_late[one, rate]]
        best = min(kept, key=lambda one: energy[one, rate], default=None)
        named.append("none" if best is None else names[best])
        misses.append(bool(is_late[0, rate]) and best is not None)
        changes.append(None if best is None else float(energy[0, rate] / energy[best, rate] - 1.0))
    return CellResult(tuple(changes), tuple(misses), tuple(named), taken)


def _compiled(cell: Cell, demand_ms: NDArray[np.float64]) -> tuple[Ladder, int, tuple[int, ...]]:
    """The default's table, its SLO [us], and the rates."""
    cores, speed = SERVERS[cell.server]
    full_rps = speed * 1e3 / float(demand_ms.mean())
    tail_ms = float(np.quantile(demand_ms, PERCENTILE_PPM / 1e6))
    spec = SPEC.format(
        latency_us=round(800 * tail_ms),
        cores=cores,
        effort=cell.effort,
        rates="[" + ", ".join(f"{full_rps * load:.1f}/s" for load in LOADS) + "]",
    )
    with tempfile.TemporaryDirectory() as folder:
        rows = "\n".join(f"{one:.6f}" for one in demand_ms)
        Path(folder, "design.csv").write_text(f"demand_ms\n{rows}\n", encoding="utf-8")
        Path(folder, "spec.yaml").write_text(spec, encoding="utf-8")
        policy = compile_policy(str(Path(folder, "spec.yaml")), threads=1).policy
    (table,) = policy.ladders
    return table, policy.slos[0].latency_us, policy.rates_mrps


def _workload(table: Ladder, demand_ms: NDArray[np.float64]) -> Workload:
    work_ns = np.rint(demand_ms * 1e6).astype(np.int64)
    rows = len(work_ns)
    speed = np.array([[rung.speed_ppm / 1e6 for rung in table.rungs]])
    return Workload(work_ns, np.ones(rows, np.int64), np.zeros(rows, np.int32), speed)


def _line(cell: Cell, one: CellResult) -> str:
    changes = "  ".join(
        f"{'   none' if change is None else f'{change:+7.1%}'}{'*' if missed else ' '} {name:14}"
        for change, missed, name in zip(one.changes, one.misses, one.named, strict=True)
    )
    return f"{cell.law} {cell.sample}, {cell.server:8} {changes} {one.cpu_seconds:5.1f} s"


def _summary(found: Sequence[CellResult]) -> str:
    pairs = [pair for one in found for pair in zip(one.changes, one.misses, strict=True)]
    kept = [change for change, missed in pairs if change is not None and not missed]
    mean = math.exp(sum(map(math.log1p, kept)) / len(kept)) - 1.0
    return "\n".join(
        [
            f"{len(pairs)} cells and rates; * misses the SLO: {sum(missed for _, missed in pairs)}",
            f"dearer than the best by hindsight by over 2 %: {sum(one > 0.02 for one in kept)}, "
            f"at most {max(kept):+.1%}",
            f"geometric mean over the best by hindsight: {mean:+.1%}",
        ]
    )


if __name__ == "__main__":
    main()
