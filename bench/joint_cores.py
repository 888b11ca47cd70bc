"""Two slow cores or one fast core? Threads on cores of two types beside what each knows alone.

    python -m bench.joint_cores

All servers draw the same at work: that of the published cores, all fast. A few-to-many table has
them all slow, or all fast; one thread has slow-to-fast's choice; the joint ladder has both, and as
many of each as is best. Targets, and how many cores are of which type, are chosen at each rate on
the design half. By tail: 99th percentile. By energy: power times ms of a request, of those tables
that keep the percentile within the objective. Judged on requests that no compile saw, on the same
random numbers; intervals are Student's at 95 %, over replays.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.joint_workloads import FAST, Mix, Server, servers
from bench.timing import end, show
from tailc.errors import ExitCode, TailcError
from tailc.experiment.experiment import Experiment
from tailc.experiment.scenario import Scenario
from tailc.forms.ladder.table import Ladder
from tailc.means import mean_and_half
from tailc.models.arrivals import Poisson
from tailc.models.outcome import Outcome
from tailc.models.pools import pools
from tailc.models.subjects import on_ladders
from tailc.threads import thread_count

TARGETS = (0.6, 0.8, 1.0)
AIMS = (1.0, 0.93, 0.85)
"""Parts of the cores to be used in the mean, and of the objective to aim at."""

FAST_PARTS = (1 / 2, 2 / 3, 5 / 6)
"""Of the power that fast cores draw where there are both types."""

RATES_RPS = {
    "Lucene, 2015": (10, 30, 40, 50, 60),
    "Bing, 2015": (180, 400, 600),
    "Lucene, 2017": (10, 40, 70),
}
P99_PPM, PPM = 990_000, 1_000_000
REQUESTS, REPEATS, SEED = 40_000, 12, 31
DESIGN_REPEATS, DESIGN_SEED = 4, 32
MOST_IN_SYSTEM = 4_096

JOINT, SLOW, QUICK, ONE = "joint", "threads, slow", "threads, fast", "one thread"


@dataclass(frozen=True, eq=False)
class Table:
    """A compiled ladder and what its cores are."""

    mix: Mix
    ladder: Ladder


@dataclass(frozen=True, eq=False)
class Judged:
    """A table's replays at a rate: 99th percentiles [ms], inf where it cannot keep up; energy."""

    table: Table
    p99_ms: NDArray[np.float64]
    energy: NDArray[np.float64]


def mixes(server: Server) -> dict[str, tuple[list[Mix], int]]:
    """The cores and most threads of everybody, all with the same power at work."""
    counts = sorted({round(part * server.fast_cores) for part in FAST_PARTS})
    both = [_mix(server, fast) for fast in counts]
    most = len(server.speedup)
    return {
        JOINT: (both, most),
        SLOW: ([_mix(server, 0)], most),
        QUICK: ([_mix(server, server.fast_cores)], most),
        ONE: (both, 1),
    }


def _mix(server: Server, fast: int) -> Mix:
    return Mix(int(server.peak - FAST * fast + 1e-9), fast)


def tables(server: Server, who: str, aims: Sequence[float | None]) -> list[Table]:
    """By tail, for every target; or of least energy for every part of the objective."""
    found = []
    few, threads = mixes(server)[who]
    for mix in few:
        for target in TARGETS if aims == [None] else (1.0,):
            for aim in aims:
                ladder = _compiled(server, mix, threads, target, aim)
                found += [] if ladder is None else [Table(mix, ladder)]
    return found


def _compiled(
    server: Server, mix: Mix, threads: int, target: float, aim: float | None
) -> Ladder | None:
    aim_ms = None if aim is None else aim * server.target_ms
    try:
        return server.typed_table(mix, threads, 1, [target], aim_ms)
    except TailcError as error:
        if error.exit_code is not ExitCode.INFEASIBLE:
            raise
        return None


def judge(server: Server, table: Table, rate_rps: float, *, on_design: bool) -> Judged:
    """Replays of what is held out, or of the design half."""
    repeats, seed = (DESIGN_REPEATS, DESIGN_SEED) if on_design else (REPEATS, SEED)
    load = server.workload(table.ladder, half=0 if on_design else 1)
    arrivals = Poisson(round(rate_rps * 1e3))
    scenario = Scenario(load, arrivals, REQUESTS, MOST_IN_SYSTEM, seed)
    subject = on_ladders("one", (table.ladder,))
    p99_ms, energy = [], []
    with ThreadPoolExecutor(thread_count(None)) as workers:
        for _, outcome in Experiment(scenario, repeats, 0, workers).outcomes(subject):
            p99_ms.append(np.inf if outcome.was_cut_off else outcome.tail_ns(P99_PPM) / 1e6)
            energy.append(outcome.by_request(_power_drawn(table.ladder, outcome)) / 1e6)
    return Judged(table, np.array(p99_ms), np.array(energy))


def _power_drawn(ladder: Ladder, outcome: Outcome) -> float:
    """Mean power of the cores at work; a core of a type draws alike on every rung."""
    total = 0.0
    used = zip(pools(ladder).cost_unit, outcome.utilization_by_pool, strict=True)
    for unit, utilization in used:
        assert unit is not None
        capacity_ppm = ladder.cost_units[unit].capacity_ppm
        assert capacity_ppm is not None
        rung = next(one for one in ladder.rungs if one.cost_ppm[unit])
        power = rung.cost_ppm[0] / rung.cost_ppm[unit]
        total += (utilization or 0.0) * capacity_ppm / PPM * power
    return total


def by_tail(server: Server, rate_rps: float, every: dict[str, list[Table]]) -> dict[str, Judged]:
    """Everybody with the table of the least percentile on the design half."""
    found = {}
    for who, few in every.items():
        tried = [judge(server, one, rate_rps, on_design=True) for one in few]
        best = min(tried, key=lambda one: float(one.p99_ms.mean()))
        found[who] = judge(server, best.table, rate_rps, on_design=False)
    return found


def by_energy(server: Server, rate_rps: float, every: dict[str, list[Table]]) -> dict[str, Judged]:
    """Everybody with the table of least energy of those that meet the objective on the design."""
    found = {}
    for who, few in every.items():
        tried = [judge(server, one, rate_rps, on_design=True) for one in few]
        met = [one for one in tried if one.p99_ms.mean() <= server.target_ms]
        if met:
            best = min(met, key=lambda one: float(one.energy.mean()))
            found[who] = judge(server, best.table, rate_rps, on_design=False)
    return found


def row(
    server: Server,
    rate_rps: float,
    found: dict[str, Judged],
    of: Callable[[Judged], NDArray[np.float64]],
) -> tuple[str, ...]:
    """Everybody, the joint ladder's cores, and its change to the best of the others."""

    def value(one: Judged) -> float:
        return float(of(one).mean())

    def cell_of(who: str) -> str:
        if who not in found:
            return "none"
        one = found[who]
        return f"{value(one):.1f}" if np.isfinite(of(one)).all() else "no end"

    parents = [one for who, one in found.items() if who != JOINT]
    change = "none"
    if JOINT in found and parents:
        ratio = of(found[JOINT]) / of(min(parents, key=value))
        if np.isfinite(ratio).all():
            mean, half = mean_and_half((100 * (ratio - 1)).tolist())
            change = f"{mean:+.1f} % ± {half or 0:.1f}"
    cores = found[JOINT].table.mix.name if JOINT in found else ""
    return (
        server.name,
        f"{rate_rps:g}/s",
        cell_of(JOINT),
        cores,
        *(cell_of(who) for who in (SLOW, QUICK, ONE)),
        change,
    )


def rows(server: Server) -> Iterator[tuple[str, tuple[str, ...]]]:
    everybody = (JOINT, SLOW, QUICK, ONE)
    print(f"{server.name}: tables", file=sys.stderr, flush=True)
    tails = {who: tables(server, who, [None]) for who in everybody}
    cheap = {who: tables(server, who, AIMS) for who in everybody}
    for rate in RATES_RPS[server.name]:
        print(f"{server.name} at {rate:g}/s", file=sys.stderr, flush=True)
        yield "p99 [ms]", row(server, rate, by_tail(server, rate, tails), lambda one: one.p99_ms)
        yield "energy", row(server, rate, by_energy(server, rate, cheap), lambda one: one.energy)


def main() -> None:
    found = [told for server in servers() for told in rows(server)]
    heads = ("server", "rate", JOINT, "slow + fast", SLOW, QUICK, ONE, "change")
    for what in ("p99 [ms]", "energy"):
        print(f"{what}\n")
        show(heads, [line for kind, line in found if kind == what])
    end()


if __name__ == "__main__":
    main()
