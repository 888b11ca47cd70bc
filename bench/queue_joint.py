"""What tuning a joint ladder on the replay gains over the best the formula's tables can do.

    python -m bench.queue_joint
    python -m bench.queue_joint --energy
    python -m bench.queue_joint --types

On the servers of `bench.joint_ladder`, for each rate alone: by tail against the formula's table of
the target power that is best at that rate, and by energy against the one of least energy that keeps
the 99th percentile within the objective on the design half. On cores of two types, with the servers
of `bench.joint_cores`, by tail, with the numbers of cores that are best for the formula's tables.
Tuned tables begin with the same targets and aims. All are judged on requests that no compile saw,
on the same random numbers; intervals are Student's at 95 %, over replays.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bench.joint_cores import JOINT as JOINT_OF_TYPES
from bench.joint_cores import RATES_RPS, Table, tables
from bench.joint_cores import TARGETS as CORE_TARGETS
from bench.joint_cores import Judged as OfTypes
from bench.joint_cores import judge as judge_of_types
from bench.joint_ladder import AIMS, JOINT, TARGETS, Judged, aimed, judge
from bench.joint_workloads import LEVELS, Server, servers
from bench.timing import end, show
from tailc.forms.ladder.table import Ladder
from tailc.means import mean_and_half

# Requests that a search simulates; by energy there are up to seven for one table.
TAIL_BUDGET, ENERGY_BUDGET, TYPES_BUDGET = 100_000_000, 30_000_000, 60_000_000
HEADS = ("server", "rate", "p99 by formula", "tuned", "change")
TYPES_HEADS = (*HEADS[:2], "slow + fast", *HEADS[2:])
ENERGY_HEADS = (*HEADS[:2], "energy by formula", "p99", "tuned", "p99", "change")


Changes = TypeVar("Changes")


def by_tail(server: Server, rate_rps: float, budget: int) -> tuple[Judged, Judged]:
    """The formula's table of the best target, and the one that is tuned from there."""
    every = LEVELS, len(server.speedup), rate_rps, TARGETS
    tables = server.table(*every), server.table(*every, budget=budget)
    formula, tuned = (judge(JOINT, server, table, rate_rps) for table in tables)
    return formula, tuned


def by_energy(server: Server, rate_rps: float, budget: int) -> tuple[Judged | None, Judged | None]:
    """Of each the table of the largest aim that keeps the objective on the design half."""
    formula, tuned = (_least_energy(server, rate_rps, each) for each in (None, budget))
    return formula, tuned


def _least_energy(server: Server, rate_rps: float, budget: int | None) -> Judged | None:
    for aim in AIMS:
        table: Ladder | None = aimed(server, LEVELS, len(server.speedup), rate_rps, aim, budget)
        if table is None:
            return None
        if judge(JOINT, server, table, rate_rps, on_design=True).tail <= server.target_ms:
            return judge(JOINT, server, table, rate_rps)
    return None


def by_types(server: Server, rate_rps: float, budget: int) -> tuple[OfTypes, OfTypes]:
    """The formula's table of the best target and numbers of cores, and the one tuned on these."""
    every = tables(server, JOINT_OF_TYPES, [None])
    tried = [judge_of_types(server, one, rate_rps, on_design=True) for one in every]
    mix = min(tried, key=lambda one: float(one.p99_ms.mean())).table.mix
    least = [
        Table(mix, server.typed_table(mix, len(server.speedup), rate_rps, CORE_TARGETS, None, own))
        for own in (None, budget)
    ]
    formula, tuned = (judge_of_types(server, one, rate_rps, on_design=False) for one in least)
    return formula, tuned


def change(formula: Changes, tuned: Changes, of: Callable[[Changes], NDArray[np.float64]]) -> str:
    """Of the tuned table against the formula's, replay by replay; none where that has no end."""
    if not np.isfinite(of(formula)).all():
        return "none"
    mean, half = mean_and_half((100 * (of(tuned) / of(formula) - 1)).tolist())
    return f"{mean:+.1f} % ± {half or 0:.1f}"


def tail_rows(every: Sequence[Server], budget: int) -> Iterator[tuple[str, ...]]:
    for server, rate in _cases(every, "tail"):
        both = by_tail(server, rate, budget)
        found = change(*both, lambda one: one.p99_ms)
        yield server.name, f"{rate:g}/s", *(_ms(one.tail) for one in both), found


def types_rows(every: Sequence[Server], budget: int) -> Iterator[tuple[str, ...]]:
    for server in every:
        for rate in RATES_RPS[server.name]:
            print(f"types on {server.name} at {rate:g}/s", file=sys.stderr, flush=True)
            both = by_types(server, rate, budget)
            found = change(*both, lambda one: one.p99_ms)
            told = (_ms(float(one.p99_ms.mean())) for one in both)
            yield server.name, f"{rate:g}/s", both[0].table.mix.name, *told, found


def energy_rows(every: Sequence[Server], budget: int) -> Iterator[tuple[str, ...]]:
    for server, rate in _cases(every, "energy"):
        formula, tuned = by_energy(server, rate, budget)
        told = (cell for one in (formula, tuned) for cell in _energy(one))
        found = "none"
        if formula is not None and tuned is not None:
            found = change(formula, tuned, lambda one: one.energy)
        yield server.name, f"{rate:g}/s", *told, found


def _cases(every: Sequence[Server], what: str) -> Iterator[tuple[Server, float]]:
    for server in every:
        for rate in server.rates_rps:
            print(f"{what} on {server.name} at {rate:g}/s", file=sys.stderr, flush=True)
            yield server, rate


def _ms(tail_ms: float) -> str:
    return f"{tail_ms:.1f}" if np.isfinite(tail_ms) else "no end"


def _energy(one: Judged | None) -> tuple[str, str]:
    return ("none", "") if one is None else (f"{one.energy.mean():.1f}", _ms(one.tail))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--energy", action="store_true", help="by energy instead of by tail")
    parser.add_argument("--types", action="store_true", help="on cores of two types")
    asked = parser.parse_args()
    if asked.types:
        show(TYPES_HEADS, list(types_rows(servers(), TYPES_BUDGET)))
    elif asked.energy:
        show(ENERGY_HEADS, list(energy_rows(servers(), ENERGY_BUDGET)))
    else:
        show(HEADS, list(tail_rows(servers(), TAIL_BUDGET)))
    end()


if __name__ == "__main__":
    main()
