"""Compare the default rubik policy with every fixed frequency, on held-out samples.

    python -m bench.clock_cells [--rows 3000] [--effort normal] [--method auto] [--laws LAW,...]
        [--samples 2] [--cores 1] [--memory 0.1,0.5] [--heavier] [--batch]

For each law, sample and share of memory time, compile a design sample at rates that keep a core at
its nominal clock 20, 40 and 50 % busy. The SLO is the 95th percentile of the nominal clock at half
its highest rate, on a long sample of the law. Replay the policy and each fixed frequency on a
held-out sample, all on the same requests at the same times. A frequency that misses the SLO there
is no rival. A policy is worse at a rate where it misses the SLO by more than 2 % and a frequency
keeps it, or where it draws more energy than the cheapest frequency that keeps it.

With `--batch` idle cores do batch work, energy is that of the server for a unit of it, and the
rivals are pairs of every second frequency, of requests and of batch work.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.timing import cpu_seconds, end
from tailc.artifact.envelope import Policy
from tailc.experiment.by_hand import SettingResult, replay_settings
from tailc.experiment.options import VerifyOptions
from tailc.models.arrivals import Poisson
from tailc.models.subjects import subject_of
from tailc.pipeline.compile import compile_policy
from tailc.traces.profile import DemandProfile
from tailc.traces.trace import read_trace

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]
# Times in us at the nominal clock, of mean 400 or so.
LAWS: Mapping[str, Draw] = {
    "constant": lambda _, rows: np.full(rows, 400.0),
    "normal": lambda draw, rows: np.maximum(draw.normal(400.0, 40.0, rows), 40.0),
    "exponential": lambda draw, rows: draw.exponential(400.0, rows) + 1.0,
    "lognormal": lambda draw, rows: 250.0 * np.exp(draw.normal(0.0, 1.0, rows)),
    "bimodal": lambda draw, rows: (
        np.where(draw.random(rows) < 0.95, 200.0, 4_000.0) * draw.uniform(0.9, 1.1, rows)
    ),
    "pareto-2.5": lambda draw, rows: 240.0 * (1.0 - draw.random(rows)) ** (-1 / 2.5),
    "pareto-1.5": lambda draw, rows: 130.0 * (1.0 - draw.random(rows)) ** (-1 / 1.5),
}
NOMINAL_GHZ = 2.4
LOADS, SLO_LOAD = (0.2, 0.4, 0.5), 0.5
HELD_OUT_ROWS, LONG_ROWS, HEAVIER = 5_000, 50_000, 1.2
# A tail that is longer than the SLO by less is noise.
NOISE = 0.02
SPEC = """\
apiVersion: tailc/v1
kind: rubik
name: cell
slo: [{{percentile: 95%, latency: {slo_us}us}}]
demand:
  {{trace: {trace}, cycles: cycles, clock: {clock}, memory: memory_ns, unit: ns, reference: a core}}
server:
  cores: {cores}
  range:
    {{from: 0.8GHz, to: 3.4GHz, step: 0.2GHz, power: {{static: 0.5W, dynamic: 6W, at: 2.4GHz}}}}
  sleep: {{power: 0.1W, wake: 20us}}
{batch}{search}rates: {rates}
"""
BATCH = """\
  uncore: 2W
batch: {memory: 40%, power: {static: 0.5W, dynamic: 5W, at: 2.4GHz}}
"""


@dataclass(frozen=True)
class Cell:
    """A law, a sample of it, the share of memory time, and how the policy is compiled."""

    law: str
    sample: int
    rows: int
    memory: float
    cores: int
    search: str
    is_heavier: bool
    has_batch: bool


@dataclass(frozen=True)
class RateResult:
    """At a rate: p95 over the SLO of the policy and of the cheapest frequency that keeps the SLO,
    and the change of the energy of a request against that one.

    rival_tail, change: None where no frequency keeps the SLO. fastest_tail: of the frequency with
    the shortest p95.
    """

    tail: float
    rival_tail: float | None
    change: float | None
    fastest_tail: float

    @property
    def is_missed(self) -> bool:
        """Whether the policy misses the SLO and a fixed frequency keeps it."""
        return self.change is not None and self.tail > 1 + NOISE


def main() -> None:
    arguments = _arguments()
    search = "" if arguments.method == "default" else f"method: {arguments.method}"
    if arguments.effort:
        search = f"{search}, effort: {arguments.effort}".removeprefix(", ")
    found: list[RateResult] = []
    for law, sample, memory in itertools.product(
        arguments.laws, range(1, arguments.samples + 1), arguments.memory
    ):
        flags = arguments.heavier, arguments.batch
        cell = Cell(law, sample, arguments.rows, memory, arguments.cores, search, *flags)
        before = cpu_seconds()
        policy, rates = cell_result(cell)
        found += rates
        name = f"{law} {sample}, {memory:.0%} memory"
        shown = "  ".join(map(_rate_text, rates))
        print(f"{name:28} {shown}  {_what(policy)}  {cpu_seconds() - before:.1f} s", flush=True)
    print(_summary(found))
    end()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=3_000)
    parser.add_argument("--effort", default="")
    parser.add_argument("--method", default="default")
    parser.add_argument("--laws", type=lambda text: text.split(","), default=list(LAWS))
    parser.add_argument(
        "--memory", type=lambda text: list(map(float, text.split(","))), default=[0.1, 0.5]
    )
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--samples", type=int, default=2)
    parser.add_argument("--heavier", action="store_true")
    parser.add_argument("--batch", action="store_true")
    return parser.parse_args()


def cell_result(cell: Cell) -> tuple[Policy, list[RateResult]]:
    """Compile a design sample, and replay the policy and each frequency on a held-out one."""
    draw = np.random.default_rng([list(LAWS).index(cell.law), cell.sample, cell.rows])
    design, held_out, long = (
        LAWS[cell.law](draw, rows) for rows in (cell.rows, HELD_OUT_ROWS, LONG_ROWS)
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        slo_us = _nominal_tail_us(folder, long, cell)
        policy = _compiled(folder, "design", design, slo_us, cell, cell.search, LOADS)
        times_us = held_out * (HEAVIER if cell.is_heavier else 1)
        apart = _profile(folder, "heldout", times_us, cell, policy)
    return policy, [_rate_result(policy, apart, rate_mrps) for rate_mrps in policy.rates_mrps]


def _rate_result(policy: Policy, held_out: DemandProfile, rate_mrps: int) -> RateResult:
    table, limit_us = policy.tail_table, policy.slos[0].latency_us
    assert table is not None
    khz = [level.frequency_khz for level in table.levels]
    names = [f"fixed-{each}kHz" for each in khz]
    if table.batch is not None:
        names = [
            f"pair-{one}kHz-{other}kHz" for one, other in itertools.product(khz[::2], khz[::2])
        ]
    policy_run, *fixed = _replayed(policy, held_out, rate_mrps, names)
    fastest = min(one.tails_us[0] for one in fixed if not one.is_overloaded)
    keeping = [one for one in fixed if not one.is_overloaded and one.tails_us[0] <= limit_us]
    tail = policy_run.tails_us[0] / limit_us
    if not keeping:
        return RateResult(tail, None, None, fastest / limit_us)
    rival = min(keeping, key=_cost)
    change = _cost(policy_run) / _cost(rival) - 1
    return RateResult(tail, rival.tails_us[0] / limit_us, change, fastest / limit_us)


def _cost(one: SettingResult) -> float:
    assert one.cost is not None
    return one.cost


def _replayed(
    policy: Policy, profile: DemandProfile, rate_mrps: int, names: list[str]
) -> tuple[SettingResult, ...]:
    options = VerifyOptions(requests_per_replay=20_000, repeats=8, seed=7)
    with ThreadPoolExecutor(1) as workers:
        return replay_settings(
            subject_of(policy, profile),
            names,
            profile,
            policy.slos,
            Poisson(rate_mrps),
            options,
            workers,
        )


def _nominal_tail_us(folder: Path, times_us: NDArray[np.float64], cell: Cell) -> int:
    """The 95th percentile at the nominal clock and half its highest rate."""
    loads = (SLO_LOAD,)
    policy = _compiled(folder, "long", times_us, 200_000, cell, "method: paper", loads)
    profile = _profile(folder, "long", times_us, cell, policy)
    (_, nominal) = _replayed(policy, profile, policy.rates_mrps[0], ["fixed"])
    return nominal.tails_us[0]


def _compiled(
    folder: Path,
    name: str,
    times_us: NDArray[np.float64],
    slo_us: int,
    cell: Cell,
    search: str,
    loads: tuple[float, ...],
) -> Policy:
    _write(folder / f"{name}.csv", times_us, cell.memory)
    full_rps = cell.cores * 1e6 / float(times_us.mean())
    spec = SPEC.format(
        slo_us=slo_us,
        trace=f"{name}.csv",
        clock=f"{NOMINAL_GHZ}GHz",
        cores=cell.cores,
        batch=BATCH if cell.has_batch else "",
        search=f"search: {{{search}}}\n" if search else "",
        rates="[" + ", ".join(f"{full_rps * load:.1f}/s" for load in loads) + "]",
    )
    (folder / f"{name}.yaml").write_text(spec, encoding="utf-8")
    return compile_policy(str(folder / f"{name}.yaml"), threads=1).policy


def _profile(
    folder: Path, name: str, times_us: NDArray[np.float64], cell: Cell, policy: Policy
) -> DemandProfile:
    _write(folder / f"{name}.csv", times_us, cell.memory)
    return read_trace(str(folder / f"{name}.csv"), policy.reading).profile


def _write(path: Path, times_us: NDArray[np.float64], memory: float) -> None:
    """Memory time is the same share of each request's time."""
    cycles = np.rint(times_us * (1 - memory) * NOMINAL_GHZ * 1e3).astype(np.int64)
    memory_ns = np.rint(times_us * memory * 1e3).astype(np.int64)
    rows = "\n".join(f"{c},{m}" for c, m in zip(cycles, memory_ns, strict=True))
    path.write_text(f"cycles,memory_ns\n{rows}\n", encoding="utf-8")


def _what(policy: Policy) -> str:
    table = policy.tail_table
    assert table is not None
    feedback = "feedback" if policy.controller else "open loop"
    return f"{policy.evidence.method}, bound {table.bound_us} us, {feedback}"


def _rate_text(one: RateResult) -> str:
    change = "no rival" if one.change is None else f"{one.change:+.1%}"
    return f"{one.tail:6.1%} {change:>8}{' MISSED' if one.is_missed else ''}"


def _summary(found: list[RateResult]) -> str:
    changes = [one.change for one in found if one.change is not None and not one.is_missed]
    return "\n".join(
        [
            f"{len(found)} cells and rates, {len(found) - len(changes)} without rival or missed",
            f"SLO missed by more than {NOISE:.0%}, kept by a fixed frequency: "
            f"{sum(one.is_missed for one in found)}",
            f"more energy than the cheapest fixed frequency that keeps the SLO: "
            f"{sum(change > 0 for change in changes)}, by more than {NOISE:.0%}: "
            f"{sum(change > NOISE for change in changes)}, at most {max(changes):+.1%}",
            f"mean change of energy: {np.mean(changes):+.1%}",
        ]
    )


if __name__ == "__main__":
    main()
