"""Whether entries of a tail table, tuned on the replay, draw less than those of the formula.

    python -m bench.queue_frequency

On the services of `examples/rubik`, under the bound that is published: a search of eight numbers
scales entries by position and those of late rows, from the formula's table with its largest bound,
for the least energy on the design part that keeps 98 % of the SLO. It is judged on the other part
and other random numbers, where both tables have the largest bound of their own that keeps that.
Beside them stand the feedback, and levels that are chosen knowing all requests. Intervals are
Student's at 95 % over replays.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.evolution import evolved

from bench.clocks_study import fixed_p95_us
from bench.rubik_workloads import NAMES, NOMINAL_KHZ, service
from bench.timing import end, show
from tailc.forms.controller import Controller
from tailc.forms.tail_table import LARGEST_CYCLES, TailRow, TailTable
from tailc.pipeline.queue.scene import Scene
from tailc.pipeline.queue.trials import Trials
from tailc.replay.arrivals import Poisson
from tailc.replay.frequencies.clocks import Clocks, Foresight, Rule
from tailc.replay.subject import Subject, workload_for
from tailc.traces.profile import DemandProfile
from tailc.verify.repeats import mean_and_half

LOADS, HALF = (0.3, 0.5), 0.5
PERCENTILE_PPM = 950_000
# Of the bound, as the feedback aims at.
KEPT = 0.98
REQUESTS, REPEATS = 20_000, 10
TUNING_SEED, JUDGING_SEED = 1, 2
# Entries of these positions are scaled, those between them linearly, and by row at these parts.
POSITIONS, PARTS = (0, 1, 2, 3, 5, 9), (0.0, 0.5, 1.0)
SPREAD, GENERATIONS, POPULATION = 0.15, 40, 12
MISSED = 20.0
# A bound is found to such a part of itself.
_BOUND_PARTS = 500
_MJ_PER_W_NS = 1e-6
HEADS = ("service", "load", "formula", "with feedback (p95)", "largest bound", "tuned entries")
HEADS_OF_CHANGE = ("change to largest bound", "all known")


@dataclass(frozen=True, eq=False)
class Case:
    """A service's table, and requests to replay at a rate [thousandths of one per second]."""

    table: TailTable
    slo_us: int
    requests: DemandProfile
    rate_mrps: int
    seed: int
    repeats: int
    workers: ThreadPoolExecutor
    steering: Controller | None = None
    rule: Rule | None = None

    @cached_property
    def trials(self) -> Trials[TailTable]:
        load = workload_for(self.requests, self._subject(self.table))
        return Trials(
            [Scene(load, Poisson(self.rate_mrps))],
            PERCENTILE_PPM,
            self.table.cores,
            requests=REQUESTS,
            repeats=self.repeats,
            seed=self.seed,
            workers=self.workers,
            subject_of=self._subject,
        )

    def _subject(self, table: TailTable) -> Subject:
        clocks = Clocks(table, NOMINAL_KHZ, self.rule)
        return Subject("table", steering=self.steering, clocks=clocks)

    def values(self, tables: Sequence[TailTable]) -> NDArray[np.float64]:
        """Energy, and far more of it for a tail above what is to be kept."""
        seen, base = self.trials.seen(tables), self.energy(self.table).mean()
        assert seen.energy is not None
        missed = np.maximum(seen.tail_us.mean(axis=(1, 2)) / (KEPT * self.slo_us) - 1, 0)
        return seen.energy.mean(axis=(1, 2)) / base + MISSED * missed

    def energy(self, table: TailTable) -> NDArray[np.float64]:
        """Of a request, by replay, in watts times nanoseconds."""
        energy = self.trials.seen([table]).energy
        assert energy is not None
        return energy[0, 0]

    def bounded(self, table: TailTable) -> TailTable:
        """With the largest bound that keeps the tail."""
        low, high = table.bound_us // 8, 4 * table.bound_us
        while high - low > max(table.bound_us // _BOUND_PARTS, 1):
            middle = (low + high) // 2
            tails_us = self.trials.tails_us([replace(table, bound_us=middle)])
            keeps = tails_us.mean() <= KEPT * self.slo_us
            low, high = (middle, high) if keeps else (low, middle)
        return replace(table, bound_us=low)


def rows(name: str, workers: ThreadPoolExecutor) -> Iterator[tuple[str, ...]]:
    one = service(name)
    slo_us = fixed_p95_us(one, HALF)
    for load in LOADS:
        policy, judging = one.compiled(slo_us, [load])
        _, tuning = replace(one, held_out=one.design).compiled(slo_us, [load])
        table, (rate_mrps,) = policy.tail_table, policy.rates_mrps
        assert table is not None
        common = {"table": table, "slo_us": slo_us, "rate_mrps": rate_mrps, "workers": workers}
        design = Case(requests=tuning, seed=TUNING_SEED, repeats=1, **common)
        held_out = Case(requests=judging, seed=JUDGING_SEED, repeats=REPEATS, **common)
        yield (name, f"{load:.0%}", *told(design, held_out, policy.controller))


def told(design: Case, held_out: Case, feedback: Controller | None) -> Iterator[str]:
    table = held_out.table
    yield _mj(held_out.energy(table))
    steered = replace(held_out, steering=feedback)
    share = steered.trials.tails_us([table]).mean() / held_out.slo_us
    yield f"{_mj(steered.energy(table))} ({share:.1%})"
    constant = held_out.energy(held_out.bounded(table))
    shaped = held_out.energy(held_out.bounded(searched(design)))
    yield _mj(constant)
    yield _mj(shaped)
    mean, half = mean_and_half((100 * (shaped / constant - 1)).tolist())
    assert half is not None
    yield f"{mean:+.2f} % ({mean - half:+.2f} .. {mean + half:+.2f})"
    known = Foresight(PERCENTILE_PPM, round(KEPT * held_out.slo_us))
    yield _mj(replace(held_out, rule=known).energy(table))


def searched(design: Case) -> TailTable:
    """The table of the design part's best point, from the formula's with its largest bound."""
    base = design.bounded(design.table)
    start = np.zeros(len(POSITIONS) + len(PARTS) - 1)
    found = evolved(
        lambda points: design.values([shaped(base, point) for point in points]).tolist(),
        start,
        np.full(len(start), SPREAD),
        generations=GENERATIONS,
        population=POPULATION,
        seed=TUNING_SEED,
    )
    return shaped(base, found.point)


def shaped(table: TailTable, point: NDArray[np.float64]) -> TailTable:
    """Entries times a power of e, by position and by row; the first row's are by position alone."""
    by_position = np.interp(np.arange(table.positions), POSITIONS, point[: len(POSITIONS)])
    late = (0.0, *point[len(POSITIONS) :].tolist())

    def scaled(given: tuple[TailRow, ...]) -> tuple[TailRow, ...]:
        by_row = np.interp(np.linspace(0, 1, len(given)), PARTS, late)
        return tuple(_row(row, by_position + more) for row, more in zip(given, by_row, strict=True))

    return replace(table, cycles=scaled(table.cycles), memory_ns=scaled(table.memory_ns))


def _row(row: TailRow, logs: NDArray[np.float64]) -> TailRow:
    """Later positions never have less; an entry that asks for the highest frequency stays one."""
    if row.left[0] >= LARGEST_CYCLES:
        return row
    left = np.maximum.accumulate(np.ceil(np.array(row.left) * np.exp(logs)))
    return replace(row, left=tuple(int(each) for each in np.minimum(left, LARGEST_CYCLES)))


def _mj(energy_w_ns: NDArray[np.float64]) -> str:
    return f"{energy_w_ns.mean() * _MJ_PER_W_NS:.4g} mJ"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.parse_args()
    with ThreadPoolExecutor(2) as workers:
        found = [row for name in NAMES for row in rows(name, workers)]
    show((*HEADS, *HEADS_OF_CHANGE), found)
    end()


if __name__ == "__main__":
    main()
