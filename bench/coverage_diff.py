"""How often the interval of a paired change holds the true change.

    python -m bench.coverage_diff --trials 1000 --processes 16
    python -m bench.coverage_diff --trials 100 --cases light-busy-recorded

A trial draws held-out requests from a known law and compares pairs of policies on them as
`tailc diff` does. The true change is that of millions of requests of the same law, the same for
both policies. `row`: the published Lucene-like table (Haque et al., ASPLOS 2015) with one climb of
one row 60 ms later. `target`: against a table compiled for the same server from fitted demand. Both
changes are measured on the same draws. Demand, the busy server and arrivals are those of
`bench.coverage`. `shown` is how often the change was told from none.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from bench.coverage import (
    CORES,
    TRIALS,
    TRUTH_REQUESTS,
    Case,
    Inline,
    arrivals,
    published,
    requests,
    row,
)
from bench.timing import ROOT
from tailc.diff.change import PairComparison, PairedChange, Significance, compare
from tailc.experiment.experiment import Experiment
from tailc.experiment.options import VerifyOptions
from tailc.experiment.pairs import SubjectPairs
from tailc.experiment.scenario import Scenario, most_in_system
from tailc.experiment.tail_sample import Tail
from tailc.forms.ladder.table import Climb
from tailc.models.shared_cores.model import SharedCores, SharedCoresEngine
from tailc.models.shared_cores.outcome import SharedCoresOutcome
from tailc.percentiles import PPM

TAILS = (Tail(500_000), Tail(990_000))
QUANTITIES = ("p50", "p99", "mean", "threads", "utilization")
# The row that is changed: about as many are in the system in the mean.
LOAD = 10
LATER_US = 60_000
# The truth is a mean over so many replays, which has next to no noise beside a trial's.
TRUTHS = 16


CHANGES = ("row", "target")
CASES = tuple(
    Case(demand, "busy", kind, held_out)
    for demand, (kind, held_out) in product(
        ("light", "heavy"), (("poisson", 1_000), ("recorded", 4_000), ("poisson", 4_000))
    )
)


@dataclass(frozen=True, eq=False)
class Remembering:
    """An engine that replays the same requests at the same times once."""

    engine: SharedCoresEngine
    outcomes: dict[bytes, SharedCoresOutcome]

    def replay(self, workload, order, arrival_ns, measured_from=0) -> SharedCoresOutcome:
        drawn = order.tobytes() + arrival_ns.tobytes()
        key = hashlib.blake2b(drawn, digest_size=16).digest()
        if key not in self.outcomes:
            self.outcomes[key] = self.engine.replay(workload, order, arrival_ns, measured_from)
        return self.outcomes[key]


@dataclass(frozen=True, eq=False)
class Old(SharedCores):
    """The old policy, which is the same for all changes of one trial."""

    outcomes: dict[bytes, SharedCoresOutcome] = field(default_factory=dict)

    def engine(self, *limits: int | None) -> Remembering:
        return Remembering(super().engine(*limits), self.outcomes)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--first", type=int, default=0, help="number of the first trial")
    parser.add_argument("--cases", nargs="*", default=[""], help="parts of names")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    print(f"{asked.trials} trials; share of intervals that hold the true change, and shown")
    print(f"{'setting':32}" + "".join(f"{name:>16}" for name in QUANTITIES))
    with ProcessPoolExecutor(asked.processes) as processes:
        for case in CASES:
            if any(part in case.name for part in asked.cases):
                for line in lines(case, asked.first, asked.trials, processes):
                    print(line, flush=True)


def lines(case: Case, first: int, trials: int, processes: Executor) -> list[str]:
    """One for each change."""
    truths = np.mean(list(processes.map(truth, [case] * TRUTHS, range(TRUTHS))), axis=0)
    found = list(processes.map(trial, [case] * trials, range(first, first + trials)))
    return [
        f"{change + '-' + case.name:32}" + cells([one[at] for one in found], truths[at])
        for at, change in enumerate(CHANGES)
    ]


def cells(found: list[tuple[PairedChange, ...]], truths: np.ndarray) -> str:
    """Of each quantity, the share that hold its true change, and the share shown."""
    told = []
    for number, true in enumerate(truths):
        held = np.mean([holds(one[number], true) for one in found])
        shown = np.mean([one[number].significance is not Significance.UNSHOWN for one in found])
        told.append(f"{held:8.1%}{shown:8.1%}")
    return "".join(told)


def holds(found: PairedChange, true: float) -> bool:
    return found.low is None or found.high is None or found.low <= true <= found.high


def trial(case: Case, number: int) -> list[tuple[PairedChange, ...]]:
    """Of each change, that of each of QUANTITIES."""
    rng = np.random.default_rng([number, CASES.index(case)])
    options = VerifyOptions(seed=number)
    size = case.held_out
    scenario = scenario_of(case, rng, size, options.requests_for(size), number)
    return [one.changes for one in compared(scenario, options.repeats, options.replicates)]


def truth(case: Case, number: int) -> list[list[float]]:
    """The changes where every request is a fresh one."""
    rng = np.random.default_rng([12345, number])
    scenario = scenario_of(case, rng, TRUTH_REQUESTS, TRUTH_REQUESTS, number)
    found = compared(scenario, 1, 0)
    assert not any(outcome.was_cut_off for one in found for outcome in one.pairs[0])
    return [[change.difference for change in one.changes] for one in found]


def scenario_of(
    case: Case, rng: np.random.Generator, held_out: int, replayed: int, seed: int
) -> Scenario:
    case = replace(case, held_out=held_out)
    load = requests(case, rng, held_out)
    return Scenario(
        load, arrivals(case, rng, held_out), replayed, most_in_system(CORES * PPM), seed
    )


def compared(scenario: Scenario, repeats: int, replicates: int) -> list[PairComparison]:
    """Of each change, on the same draws."""
    old = Old("published", published().ladders)
    experiment = Experiment(scenario, repeats, replicates, Inline()).with_replications()
    return [
        compare(SubjectPairs((old, changed(old, change)), (experiment, experiment)), TAILS, [])
        for change in CHANGES
    ]


def changed(old: SharedCores, change: str) -> SharedCores:
    ladder = old.ladders[0]
    if change == "target":
        text = (ROOT / "examples" / "lucene-fm" / "expected.json").read_text()
        rows = tuple(row(one) for one in json.loads(text)["forms"][0]["rows"])
    else:
        rows = with_a_later_climb(ladder.rows, LOAD)
    return SharedCores("changed", (replace(ladder, rows=rows),))


def with_a_later_climb(rows: tuple, load: int) -> tuple:
    """The row for `load` with its last climb later, or one it had not."""
    changed = []
    for one in rows:
        holds_it = one.first_load <= load and (one.last_load is None or load <= one.last_load)
        changed.append(replace(one, climbs=later(one.climbs)) if holds_it else one)
    return tuple(changed)


def later(climbs: tuple[Climb, ...]) -> tuple[Climb, ...]:
    """The last climb 60 ms later; where a request starts on the last rung, one rung lower first."""
    *kept, last = climbs
    if not kept:
        return (Climb(0, last.rung - 1), Climb(LATER_US, last.rung))
    return (*kept, Climb(last.age_us + LATER_US, last.rung))


if __name__ == "__main__":
    main()
