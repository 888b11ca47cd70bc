"""Services after those that Rubik was published on, and batch work beside them; nothing measured.

Requests are those of `examples/rubik`, which says what the source (Bartolini, 2015, chapter 3)
tells of each service, and what is ours. Every policy is compiled from the design part and replayed
on the other.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

import tailc
from tailc.artifact.envelope import Policy
from tailc.traces.profile import DemandProfile
from tailc.traces.trace import read_trace

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "rubik"
NAMES = ("masstree", "moses", "shore", "specjbb", "xapian")
NOMINAL_KHZ = 2_400_000
CYCLES_PER_NS = 2.4
CORES = 6
SLEEP_W = 0.1
# Of the chip beside its cores, ours; and of the server beside its chip: with 24 W of cores it draws
# 54 W, as the published Haswell, whose 2.8 W of error are 5.1 % (section 3.7).
UNCORE_W, REST_W = 8.0, 22.0

SPEC = """\
apiVersion: tailc/v1
kind: rubik
name: {name}
slo: [{{percentile: 95%, latency: {bound_us}us}}]
demand:
  trace: design.parquet
  cycles: cycles
  clock: 2.4GHz
  memory: memory_ns
  unit: ns
  reference: a core at 2.4 GHz
server:
  range: {{from: 0.8GHz, to: 3.4GHz, step: 0.2GHz, power: {power}}}
  sleep: {{power: 0.1W, wake: 20us}}
table: {{distribution: {distribution}}}
feedback: {feedback}
rates: [{rates}]
"""
CORE_POWER = "{static: 0.5W, dynamic: 6W, at: 2.4GHz}"


@dataclass(frozen=True, eq=False)
class Requests:
    """Compute cycles and memory time [ns] of requests, int64 each."""

    cycles: NDArray[np.int64]
    memory_ns: NDArray[np.int64]

    @property
    def mean_ns(self) -> float:
        """At the nominal clock."""
        return float((self.cycles / CYCLES_PER_NS + self.memory_ns).mean())

    @property
    def memory_share(self) -> float:
        """Of the time at the nominal clock."""
        return float(self.memory_ns.mean()) / self.mean_ns

    def write(self, path: Path) -> None:
        pq.write_table(pa.table({"cycles": self.cycles, "memory_ns": self.memory_ns}), path)


@dataclass(frozen=True, eq=False)
class Service:
    """Requests to compile from, and requests to replay."""

    name: str
    design: Requests
    held_out: Requests

    def rate_rps(self, load: float) -> float:
        """Of a load; 1 is the highest rate that a core at its nominal clock has."""
        return load * 1e9 / self.held_out.mean_ns

    def compiled(
        self,
        bound_us: int,
        loads: Sequence[float],
        *,
        distribution: str = "separate",
        feedback: str = "pi",
        power: str = CORE_POWER,
        search: str = "search: {method: paper}\n",
    ) -> tuple[Policy, DemandProfile]:
        """The policy, and the requests to replay."""
        rates = ", ".join(f"{self.rate_rps(load):.3f}/s" for load in loads)
        spec = SPEC.format(
            name=self.name,
            bound_us=bound_us,
            power=power,
            distribution=distribution,
            feedback=feedback,
            rates=rates,
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder)
            self.design.write(path / "design.parquet")
            self.held_out.write(path / "heldout.parquet")
            (path / "service.yaml").write_text(spec + search, encoding="utf-8")
            policy = tailc.compile_policy(str(path / "service.yaml")).policy
            return policy, read_trace(str(path / "heldout.parquet"), policy.reading).profile


@functools.cache
def service(name: str) -> Service:
    """One of the five."""
    return Service(name, _requests("design", name), _requests("heldout", name))


def _requests(part: str, name: str) -> Requests:
    table = pq.read_table(EXAMPLE / f"{part}.parquet", filters=[("service", "=", name)])
    return Requests(*(table[key].to_numpy().astype(np.int64) for key in ("cycles", "memory_ns")))


def with_memory_by_cycles(one: Service) -> Service:
    """The same cycles and the same memory times, the longest of either together."""
    parts = (_sorted(part) for part in (one.design, one.held_out))
    return Service(f"{one.name}-by-cycles", *parts)


def _sorted(part: Requests) -> Requests:
    memory_ns = np.empty_like(part.memory_ns)
    memory_ns[np.argsort(part.cycles, kind="stable")] = np.sort(part.memory_ns)
    return replace(part, memory_ns=memory_ns)


def with_memory_at_random(one: Service, seed: int = 1) -> Service:
    """The same cycles and the same memory times, dealt to one another at random."""
    rng = np.random.default_rng(seed)
    parts = (
        replace(part, memory_ns=rng.permutation(part.memory_ns))
        for part in (one.design, one.held_out)
    )
    return Service(f"{one.name}-at-random", *parts)
