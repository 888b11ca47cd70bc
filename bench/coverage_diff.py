"""How often the interval of a paired change holds the true change.

    python -m bench.coverage_diff --trials 1000 --processes 16
    python -m bench.coverage_diff --trials 100 --cases row-light target-heavy

A trial draws held-out requests from a known law and compares two policies on them as `tailc diff`
does. The true change is that of millions of requests of the same law, the same for both policies.
`row`: the published Lucene-like table (Haque et al., ASPLOS 2015) with one climb of one row 60 ms
later. `target`: against a table compiled for the same server from fitted demand. Demand, the busy
server and arrivals are those of `bench.coverage`. `shown` is how often the change was told from
none.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, replace
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
from tailc.diff.change import Compared, PairedChange, Shown, compare
from tailc.diff.paired import Replays
from tailc.forms.ladder.table import Climb
from tailc.percentiles import PPM
from tailc.replay.subject import Subject
from tailc.verify.estimate import Tail
from tailc.verify.options import VerifyOptions
from tailc.verify.setting import Setting, draw, most_in_system

TAILS = (Tail(500_000), Tail(990_000))
QUANTITIES = ("p50", "p99", "mean", "threads", "utilization")
# The row that is changed: about as many are in the system in the mean.
LOAD = 10
LATER_US = 60_000
# The truth is a mean over so many replays, which has next to no noise beside a trial's.
TRUTHS = 16


@dataclass(frozen=True)
class Pair:
    """One line of the table: which change, on which server."""

    change: str
    case: Case

    @property
    def name(self) -> str:
        return f"{self.change}-{self.case.name}"


PAIRS = tuple(
    Pair(change, Case(demand, "busy", kind, held_out))
    for change, demand, (kind, held_out) in product(
        ("row", "target"),
        ("light", "heavy"),
        (("poisson", 1_000), ("poisson", 4_000), ("recorded", 4_000)),
    )
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--first", type=int, default=0, help="number of the first trial")
    parser.add_argument("--cases", nargs="*", default=[""], help="parts of names")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    print(f"{asked.trials} trials; share of intervals that hold the true change, and shown")
    print(f"{'setting':32}" + "".join(f"{name:>16}" for name in QUANTITIES) + "   seconds")
    with ProcessPoolExecutor(asked.processes) as processes:
        for pair in PAIRS:
            if any(part in pair.name for part in asked.cases):
                print(line(pair, asked.first, asked.trials, processes), flush=True)


def line(pair: Pair, first: int, trials: int, processes: Executor) -> str:
    begun = time.perf_counter()
    truths = np.mean(list(processes.map(truth, [pair] * TRUTHS, range(TRUTHS))), axis=0)
    found = list(processes.map(trial, [pair] * trials, range(first, first + trials)))
    cells = []
    for number, true in enumerate(truths):
        held = sum(holds(one[number], true) for one in found) / trials
        shown = sum(one[number].shown is not Shown.UNSHOWN for one in found) / trials
        cells.append(f"{held:8.1%}{shown:8.1%}")
    return f"{pair.name:32}" + "".join(cells) + f"  {time.perf_counter() - begun:8.0f}"


def holds(found: PairedChange, true: float) -> bool:
    return found.low is None or found.high is None or found.low <= true <= found.high


def trial(pair: Pair, number: int) -> tuple[PairedChange, ...]:
    """All changes in one trial, in the order of QUANTITIES."""
    rng = np.random.default_rng([number, PAIRS.index(pair)])
    options = VerifyOptions(seed=number)
    size = pair.case.held_out
    setting = setting_of(pair, rng, size, options.requests_for(size), number)
    return compared(pair, setting, options.repeats, options.replicates).changes


def truth(pair: Pair, number: int) -> list[float]:
    """The changes where every request is a fresh one."""
    rng = np.random.default_rng([12345, number])
    setting = setting_of(pair, rng, TRUTH_REQUESTS, TRUTH_REQUESTS, number)
    found = compared(pair, setting, 1, 0)
    assert not any(outcome.was_cut_off for outcome in found.pairs[0])
    return [change.difference for change in found.changes]


def setting_of(
    pair: Pair, rng: np.random.Generator, held_out: int, replayed: int, seed: int
) -> Setting:
    case = replace(pair.case, held_out=held_out)
    load = requests(case, rng, held_out)
    return Setting(load, arrivals(case, rng, held_out), replayed, most_in_system(CORES * PPM), seed)


def compared(pair: Pair, setting: Setting, repeats: int, replicates: int) -> Compared:
    workers = Inline()
    draws = draw(setting, repeats, replicates, workers)
    return compare(Replays(setting, subjects(pair)), draws, TAILS, workers)


def subjects(pair: Pair) -> tuple[Subject, Subject]:
    old = published()
    ladder = old.ladders[0]
    if pair.change == "target":
        text = (ROOT / "examples" / "lucene-fm" / "expected.json").read_text()
        rows = tuple(row(one) for one in json.loads(text)["forms"][0]["rows"])
    else:
        rows = with_a_later_climb(ladder.rows, LOAD)
    return old, Subject("changed", (replace(ladder, rows=rows),))


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
