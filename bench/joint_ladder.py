"""Joint ladders beside the ladders that they join, at equal peak power.

    python -m bench.joint_ladder

Each server has the power of its published cores at the top frequency. A parent has threads at one
frequency, or all frequencies on one thread; each gets its own best target at each rate, and the
frequency is that of the parent which proves best at that rate on the very requests that judge. So
what is shown is what no choice of a frequency can give. By tail: 99th percentile. By energy: power
times ms of a request, of those tables that keep the percentile within the objective. Judged on
requests that no compile saw, on the same random numbers; intervals are Student's at 95 %, over
replays.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.joint_workloads import LEVELS, Server, servers
from bench.timing import end, show
from tailc.experiment.experiment import Experiment
from tailc.experiment.scenario import Scenario
from tailc.forms.ladder.table import Ladder
from tailc.means import mean_and_half
from tailc.models.arrivals import Poisson
from tailc.models.subjects import on_ladders
from tailc.threads import thread_count

JOINT = "joint"
TARGETS = (0.5, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5)
AIMS = (1.0, 0.97, 0.94, 0.9, 0.85, 0.8, 0.7)
"""Parts of the peak power to aim at, and of the objective."""

P99_PPM, PPM = 990_000, 1_000_000
REQUESTS, REPEATS, SEED = 40_000, 12, 31
DESIGN_REPEATS, DESIGN_SEED = 6, 32
MOST_IN_SYSTEM = 4_096


@dataclass(frozen=True, eq=False)
class Judged:
    """A table's replays at a rate: 99th percentiles [ms], and energy of a request."""

    name: str
    p99_ms: NDArray[np.float64]
    energy: NDArray[np.float64]

    @property
    def tail(self) -> float:
        return float(self.p99_ms.mean())


def judge(
    name: str, server: Server, ladder: Ladder, rate_rps: float, *, on_design: bool = False
) -> Judged:
    """Replays of what is held out, or of the design half."""
    repeats, seed = (DESIGN_REPEATS, DESIGN_SEED) if on_design else (REPEATS, SEED)
    load = server.workload(ladder, half=0 if on_design else 1)
    arrivals = Poisson(round(rate_rps * 1e3))
    scenario = Scenario(load, arrivals, REQUESTS, MOST_IN_SYSTEM, seed)
    subject = on_ladders(name, (ladder,))
    p99_ms, energy = [], []
    with ThreadPoolExecutor(thread_count(None)) as workers:
        for _, outcome in Experiment(scenario, repeats, 0, workers).outcomes(subject):
            overloaded = outcome.was_cut_off
            p99_ms.append(np.inf if overloaded else outcome.tail_ns(P99_PPM) / 1e6)
            power = (outcome.utilization or 0.0) * server.peak
            energy.append(outcome.by_request(power) / 1e6)
    return Judged(name, np.array(p99_ms), np.array(energy))


def by_tail(server: Server, rate_rps: float) -> dict[str, Judged]:
    """Everybody at the best target for the rate."""
    everybody = {JOINT: (LEVELS, len(server.speedup)), **server.parents}
    return {
        name: judge(name, server, server.table(levels, threads, rate_rps, TARGETS), rate_rps)
        for name, (levels, threads) in everybody.items()
    }


def by_energy(server: Server, rate_rps: float) -> dict[str, Judged]:
    """Of everybody the table of least energy among those that met the objective on the design."""
    everybody = {JOINT: (LEVELS, len(server.speedup)), **server.parents}
    found = {}
    for name, (levels, threads) in everybody.items():
        for aim in AIMS:
            ladder = aimed(server, levels, threads, rate_rps, aim)
            if ladder is None:
                break
            tried = judge(name, server, ladder, rate_rps, on_design=True)
            if tried.tail <= server.target_ms:
                found[name] = judge(name, server, ladder, rate_rps)
                break
    return found


def aimed(
    server: Server,
    levels: Sequence[float],
    threads: int,
    rate_rps: float,
    aim: float,
    budget: int | None = None,
) -> Ladder | None:
    """The table of least energy under a part of the objective; None where there is none."""
    from tailc.errors import ExitCode, TailcError

    try:
        return server.table(levels, threads, rate_rps, [1.0], aim * server.target_ms, budget)
    except TailcError as error:
        if error.exit_code is not ExitCode.INFEASIBLE:
            raise
        return None


Measure = Callable[[Judged], NDArray[np.float64]]


def row(
    server: Server, rate_rps: float, found: dict[str, Judged], of: Measure, digits: int
) -> tuple[str, ...]:
    """The joint ladder, the best of the threads at a frequency, one thread, and the change."""

    def value(one: Judged) -> float:
        return float(of(one).mean())

    def cell_of(one: Judged | None) -> str:
        if one is None:
            return "none"
        return f"{value(one):.{digits}f}" if np.isfinite(of(one)).all() else "no end"

    threads = [one for name, one in found.items() if name.startswith("threads")]
    best = min(threads, key=value, default=None)
    published = found.get(f"threads at {LEVELS[-1]:g}")
    single = found.get("one thread")
    parents = [one for one in (best, single) if one is not None]
    joint = found.get(JOINT)
    change = "none"
    if joint is not None and parents:
        ratio = of(joint) / of(min(parents, key=value))
        if np.isfinite(ratio).all():
            mean, half = mean_and_half((100 * (ratio - 1)).tolist())
            change = f"{mean:+.1f} % ± {half or 0:.1f}"
    level = "" if best is None else f" ({best.name.removeprefix('threads at ')})"
    return (
        server.name,
        f"{rate_rps:g}/s",
        cell_of(joint),
        cell_of(published),
        cell_of(best) + level,
        cell_of(single),
        change,
    )


def rows(server: Server) -> Iterator[tuple[str, tuple[str, ...]]]:
    for rate in server.rates_rps:
        print(f"{server.name} at {rate:g}/s", file=sys.stderr, flush=True)
        yield "p99 [ms]", row(server, rate, by_tail(server, rate), lambda one: one.p99_ms, 1)
    for rate in server.rates_rps:
        yield "energy", row(server, rate, by_energy(server, rate), lambda one: one.energy, 1)


def hull(server: Server) -> list[tuple[str, ...]]:
    """The rungs of the joint ladder."""
    ladder = server.table(LEVELS, len(server.speedup), server.rates_rps[0], [1.0])
    return [
        (
            server.name,
            rung.name,
            f"{rung.speed_ppm / PPM:.3g}",
            f"{rung.cost_ppm[0] / PPM:g}",
            f"{rung.cost_ppm[0] / rung.speed_ppm:.3g}",
        )
        for rung in ladder.rungs
    ]


def main() -> None:
    every = servers()
    show(
        ("server", "rung", "speed", "power", "power by work"),
        [line for server in every for line in hull(server)],
    )
    heads = ("server", "rate", JOINT, "threads at 2", "best frequency", "one thread", "change")
    found = [told for server in every for told in rows(server)]
    for what in ("p99 [ms]", "energy"):
        print(f"{what}\n")
        show(heads, [line for kind, line in found if kind == what])
    end()


if __name__ == "__main__":
    main()
