"""Whether a tail table that is tuned on the replay draws less than that of the formula.

    python -m bench.queue_frequency

The services of `examples/rubik` under the bound that is published, compiled for one rate each with
`method: simulation`, which keeps 98 % of the SLO. Tables are judged on the other part of requests
and on other random numbers, where both have the largest bound of their own that keeps that. Beside
them stand the feedback, and levels that are chosen knowing all requests. Intervals are Student's at
95 % over replays.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bench.clocks_study import fixed_p95_us
from bench.rubik_workloads import NAMES, NOMINAL_KHZ, service
from bench.timing import end, show
from tailc.experiment.tuning_objective import Criterion, TuningObjective
from tailc.forms.controller import Controller
from tailc.forms.tail_table import TailTable
from tailc.means import mean_and_half
from tailc.models.core_queues.clocks import Clocks
from tailc.models.execution_model import Subject
from tailc.traces.profile import DemandProfile
from tailc.tuning.clock_problem import clock_problem
from tailc.tuning.operating_point import operating_points
from tailc.tuning.scaled_table import relax_to_limit
from tailc.tuning.tuning_problem import TuningProblem
from tailc.tuning.tuning_sample import TuningSample, tuning_sample

LOADS, HALF = (0.3, 0.5), 0.5
PERCENTILE_PPM = 950_000
# Of the bound, as the feedback and the search aim at.
KEPT = 0.98
BUDGET = 100_000_000
REQUESTS, REPEATS, SEED = 20_000, 10, 2
SEARCH = f"search: {{method: simulation, target: {KEPT:.0%}, requests: {BUDGET}}}\n"
_MJ_PER_W_NS = 1e-6
HEADS = ("service", "load", "formula", "with feedback (p95)", "largest bound", "tuned")
HEADS_OF_CHANGE = ("change to largest bound", "dynamic oracle")


@dataclass(frozen=True, eq=False)
class Case:
    """A service's formula's table, and requests to judge at a rate [thousandths of 1/s]."""

    formula: TailTable
    slo_us: int
    requests: DemandProfile
    rate_mrps: int
    workers: ThreadPoolExecutor

    @cached_property
    def aim(self) -> TuningObjective:
        kept_us = round(KEPT * self.slo_us)
        told = {"criterion": Criterion.ENERGY, "target_us": kept_us, "limit_us": kept_us}
        return TuningObjective(PERCENTILE_PPM, (self.rate_mrps,), (1,), BUDGET, **told)

    @cached_property
    def problem(self) -> TuningProblem[TailTable]:
        return clock_problem(Clocks(self.formula, NOMINAL_KHZ), self.requests, self.aim)

    @cached_property
    def trials(self) -> TuningSample[TailTable]:
        return tuning_sample(
            operating_points(self.problem.load, self.aim),
            PERCENTILE_PPM,
            self.formula.cores,
            requests=REQUESTS,
            repeats=REPEATS,
            seed=SEED,
            workers=self.workers,
            subject_of=self.problem.subject_of,
        )

    def energy(self, subject: Subject) -> NDArray[np.float64]:
        """Of a request, by replay, in watts times nanoseconds."""
        energy = self.trials.measure_subjects([subject]).energy
        assert energy is not None
        return energy[0, 0]

    def of_largest(self, table: TailTable) -> NDArray[np.float64]:
        """The same with the largest bound that keeps the tail."""
        largest = relax_to_limit(self.problem, table, self.trials, self.aim).table
        return self.energy(self.problem.subject_of(largest))

    def energy_cells(self, tuned: TailTable, feedback: Controller | None) -> Iterator[str]:
        yield _mj(self.energy(self.problem.subject_of(self.formula)))
        steered = replace(self.problem.subject_of(self.formula), steering=feedback)
        share = self.trials.measure_subjects([steered]).tail_us.mean() / self.slo_us
        yield f"{_mj(self.energy(steered))} ({share:.1%})"
        constant, shaped = self.of_largest(self.formula), self.of_largest(tuned)
        yield _mj(constant)
        yield _mj(shaped)
        mean, half = mean_and_half((100 * (shaped / constant - 1)).tolist())
        assert half is not None
        yield f"{mean:+.2f} % ({mean - half:+.2f} .. {mean + half:+.2f})"
        assert self.problem.foreseen is not None
        yield _mj(self.energy(self.problem.foreseen))


def rows(name: str, workers: ThreadPoolExecutor) -> Iterator[tuple[str, ...]]:
    one = service(name)
    slo_us = fixed_p95_us(one, HALF)
    for load in LOADS:
        policy, judging = one.compiled(slo_us, [load])
        tuned, _ = one.compiled(slo_us, [load], feedback="off", search=SEARCH)
        formula, (rate_mrps,) = policy.tail_table, policy.rates_mrps
        assert formula is not None
        assert tuned.tail_table is not None
        case = Case(formula, slo_us, judging, rate_mrps, workers)
        yield (name, f"{load:.0%}", *case.energy_cells(tuned.tail_table, policy.controller))


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
