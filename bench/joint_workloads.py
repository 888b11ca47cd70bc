"""Servers on which joint ladders are compared with the ladders that they join.

Cores are those of Haque et al., MICRO 2017, table 4, each with five frequencies; every server has
as much power as its published cores draw at the top frequency, and as many cores as can spend it at
the lowest one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bench import core_workloads, published_server
from bench.timing import ROOT
from tailc.forms.ladder.table import Ladder
from tailc.models.workload import NS_PER_MS, Workload
from tailc.pipeline.compile import compile_policy

LEVELS = (1.0, 1.3, 1.6, 1.9, 2.0)
SLOW, FAST = 1.7, 6.8
"""Power of a core at the lowest and at the highest of them."""

SPEC = """\
apiVersion: tailc/v1
kind: joint-ladder
name: joint
slo: [{{percentile: 99%, latency: {target_ms:g}ms}}]
{aim}
demand:
  trace: design.parquet
  column: demand_ms
  unit: ms
  measure: demand-busy
  reference: {reference}
speedup: [{speedup}]
cores: {cores}
server:
  peak_power: {peak:.6f}
  target_power: [{targets}]
  max_threads: {threads}
  quantum: {quantum_ms:g}ms
  age_clock: arrival
search: {search}
rates: [{rates}]
"""


@dataclass(frozen=True)
class Mix:
    """So many slow and fast cores of MICRO 2017, table 4, asymmetric ones."""

    slow: int
    fast: int

    @property
    def name(self) -> str:
        return f"{self.slow} + {self.fast}"

    @property
    def power(self) -> float:
        """What all of them draw at work."""
        return self.slow + FAST * self.fast


@dataclass(frozen=True, eq=False)
class Server:
    """One configuration; demand is at the `reference` level, and its latter half is held out."""

    name: str
    demand_ms: NDArray[np.float64]
    reference: str
    speedup: tuple[float, ...]
    fast_cores: int
    target_ms: float
    rates_rps: tuple[float, ...]
    quantum_ms: float = 5

    @property
    def peak(self) -> float:
        """What all can draw, in slow cores of table 4."""
        return self.fast_cores * FAST

    @property
    def parents(self) -> dict[str, tuple[Sequence[float], int]]:
        """Levels and most threads of what is joined: threads at each level, levels on one."""
        threads = {f"threads at {level:g}": ([level], len(self.speedup)) for level in LEVELS}
        return {**threads, "one thread": (LEVELS, 1)}

    def table(
        self,
        levels: Sequence[float],
        threads: int,
        rate_rps: float,
        targets: Sequence[float],
        aim_ms: float | None = None,
        budget: int | None = None,
    ) -> Ladder:
        """Compiled on the design half: the target that is best at the rate, or least energy.

        `targets` are parts of the peak; with `aim_ms` energy is minimised under it, and with
        `budget` the table is then tuned with queues on so many requests.
        """
        listed = ", ".join(f"{{speed: {level:g}}}" for level in levels)
        cores = f"{{power_from: micro-2017-dvfs, dvfs: {{count: 10000, levels: [{listed}]}}}}"
        return self.compiled(cores, self.peak, threads, rate_rps, targets, aim_ms, budget)

    def typed_table(
        self,
        mix: Mix,
        threads: int,
        rate_rps: float,
        targets: Sequence[float],
        aim_ms: float | None = None,
        budget: int | None = None,
    ) -> Ladder:
        """The same on cores of two types."""
        counts = {1: mix.slow, 2: mix.fast}
        listed = ", ".join(f"{{speed: {s}, count: {n}}}" for s, n in counts.items() if n)
        cores = f"{{power_from: micro-2017-amp, types: [{listed}]}}"
        return self.compiled(cores, mix.power, threads, rate_rps, targets, aim_ms, budget)

    def compiled(
        self,
        cores: str,
        peak: float,
        threads: int,
        rate_rps: float,
        targets: Sequence[float],
        aim_ms: float | None,
        budget: int | None = None,
    ) -> Ladder:
        """A table on cores as a spec has them."""
        aim = "" if aim_ms is None else f"target: {aim_ms:g}ms"
        tuned = f", method: simulation, requests: {budget}"
        objective = "tail" if aim_ms is None else "energy"
        text = SPEC.format(
            search=f"{{objective: {objective}{', method: dual' if budget is None else tuned}}}",
            target_ms=self.target_ms,
            aim=aim,
            reference=self.reference,
            speedup=", ".join(map(str, self.speedup)),
            cores=cores,
            peak=peak,
            targets=", ".join(f"{part * peak:.6f}" for part in targets),
            threads=threads,
            quantum_ms=self.quantum_ms,
            rates=f"{rate_rps:g}/s",
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "service.yaml"
            path.write_text(text, encoding="utf-8")
            pq.write_table(pa.table({"demand_ms": self._half(0)}), Path(folder) / "design.parquet")
            return compile_policy(str(path)).policy.ladders[0]

    def workload(self, ladder: Ladder, half: int) -> Workload:
        """The design half, 0, or what is held out, 1, at the speeds of a table's rungs."""
        work_ns = np.maximum(np.rint(self._half(half) * NS_PER_MS), 1).astype(np.int64)
        speed = np.array([[rung.speed_ppm / 1e6 for rung in ladder.rungs]])
        ones, curve = np.ones(len(work_ns), np.int64), np.zeros(len(work_ns), np.int32)
        return Workload(work_ns, ones, curve, speed)

    def _half(self, number: int) -> NDArray[np.float64]:
        mixed = np.random.default_rng(1).permutation(self.demand_ms)
        middle = len(mixed) // 2
        return mixed[:middle] if number == 0 else mixed[middle:]


def servers() -> tuple[Server, ...]:
    return (_lucene(), _bing(), _as2f())


def _lucene() -> Server:
    """Few-to-many's own: 15 cores, demand on the fastest of them."""
    demand_ms = published_server.demand_ms(20_000)
    rates = (10, 30, 40, 50, 60)
    speeds = published_server.SPEEDS
    return Server("Lucene, 2015", demand_ms, "fast", speeds, published_server.CORES, 400, rates)


def _bing() -> Server:
    """Few-to-many's other: 12 cores; requests share the speed-ups of their work in the mean."""
    table = pq.read_table(ROOT / "examples" / "bing-fm" / "demand.parquet")
    work_ms = table["demand_ms"].to_numpy()
    curves = [table[f"speedup_{threads}"].to_numpy() for threads in range(1, 5)]
    speedup = tuple(round(float(work_ms.sum() / (work_ms / one).sum()), 3) for one in curves)
    return Server("Bing, 2015", work_ms, "fast", speedup, 12, 120, (180, 400, 600), 1)


def _as2f() -> Server:
    """Slow-to-fast's: seven cores, demand on a slow one; threads as on the other Lucene server."""
    speeds, rates = published_server.SPEEDS, (10, 40, 70)
    return Server("Lucene, 2017", core_workloads.lucene_ms(), "slow", speeds, 7, 200, rates, 1)
