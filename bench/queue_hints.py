"""What a hint, long or short, would gain on a tuned table, and what wrong hints would cost.

    python -m bench.queue_hints
    TAILC_DATA=... python -m bench.queue_hints --traces

On the server and demands of `bench.queue_aware`, at each rate: the best target's table tuned as it
is, and tuned with a ladder for each hint, by the same search with the same budget, the default one.
A predictor hints so many requests as long as are, and is right about such a part of either. Blind
ones are right as often as chance: the last column has them in place of those that the table was
tuned for. A table that is tuned for blind hints too counts both tails alike, and what either is
worse than without hints six times. Then both with all of `bench.optional_rules`. All on
requests that no search saw and on the same random numbers; intervals are Student's at 95 % over
replays. With --traces at the busiest rate of each public trace.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple, TypeVar

from bench import published_server as published
from bench.hints import HintedFamily, Predictor, Tables, by_hint, hinted
from bench.queue_aware import (
    FORMULA,
    LOADED_RPS,
    PERCENTILE_PPM,
    RATES_RPS,
    REPEATS,
    REQUESTS,
    SEED,
    TARGETS,
    Case,
    change_text,
    synthetic,
    traces,
)
from bench.timing import end, show
from tailc.experiment.tuning_objective import OptionalRule, TuningObjective
from tailc.forms.ladder.table import Ladder
from tailc.models.execution_model import Subject
from tailc.models.workload import Workload
from tailc.threads import thread_count
from tailc.tuning import shared_cores_space as family
from tailc.tuning.operating_point import OperatingPoint, operating_points
from tailc.tuning.scaled_table import ScaledTable
from tailc.tuning.search import search_tables
from tailc.tuning.search_space import SearchSpace
from tailc.tuning.shared_cores_space import SharedCoresSpace, shared_cores_space
from tailc.tuning.tuning_problem import TuningProblem, ladder_subject
from tailc.tuning.tuning_sample import tuning_sample
from tailc.tuning.validation import RateGain, validate_table

BUDGET = 300_000_000
Form = TypeVar("Form")


class Plan(NamedTuple):
    """What a table with hints is tuned for."""

    predictor: Predictor
    and_blind: bool = False


LONG = 0.1
KNOWS, GOOD, FAIR, BLIND = (Predictor(LONG, right) for right in (1.0, 0.9, 0.75, LONG))
OTHERS = (Predictor(0.03, 1.0), Predictor(0.3, 1.0))
PLANS = (
    *(Plan(one) for one in (KNOWS, GOOD, FAIR, BLIND)),
    Plan(GOOD, and_blind=True),
    *(Plan(one) for one in OTHERS),
)
FEW_PLANS = (Plan(KNOWS), Plan(GOOD))
HEADS = ("demand", "rate", "rules", "hinted long", "right", "tuned", "with hints", "change")
HEADS += ("under blind hints",)


@dataclass(frozen=True, eq=False)
class Contest:
    """At a rate, between tables with the same optional rules."""

    case: Case
    rate: float
    optional_rules: tuple[OptionalRule, ...] = ()

    @cached_property
    def formula(self) -> Ladder:
        """The best target's."""
        return self.case.table(FORMULA, TARGETS, [self.rate])

    @cached_property
    def plain(self) -> Ladder:
        """Tuned without hints."""
        return self._tuned(self.formula, [self.design], lambda _: ladder_subject, self._lines)

    @cached_property
    def design(self) -> Workload:
        """What tables are tuned on."""
        return replace(self.case, held_out_ms=self.case.design_ms).workload()

    def tables(self, plan: Plan) -> Tables:
        """Tuned with hints; for blind ones too beside the table that is tuned without."""
        met = [plan.predictor, _blind(plan.predictor)] if plan.and_blind else [plan.predictor]
        base = self.plain if plan.and_blind else self.formula
        loads = [hinted(self.design, one) for one in met]

        def search_space(tail_us: int) -> HintedFamily:
            return HintedFamily(self._lines(tail_us), self._lines(tail_us))

        return self._tuned((base, base), loads, lambda load: partial(by_hint, load), search_space)

    def gain(self, tables: Tables, predictor: Predictor) -> RateGain:
        """Over the table without hints, on held-out requests with hints of a predictor."""
        load, aim = hinted(self.case.workload(), predictor), self._aim(1)
        without = (self.plain, self.plain)
        with ThreadPoolExecutor(thread_count(None)) as workers:
            trials = tuning_sample(
                operating_points(load, aim),
                PERCENTILE_PPM,
                published.CORES,
                requests=REQUESTS,
                repeats=REPEATS,
                seed=SEED,
                workers=workers,
                subject_of=partial(by_hint, load),
            )
            return validate_table(
                ScaledTable(tables), ScaledTable(without), trials, None, aim
            ).gains[0]

    def _tuned(
        self,
        base: Form,
        loads: Sequence[Workload],
        subject_on: Callable[[Workload], Callable[[Form], Subject]],
        search_space: Callable[[int], SearchSpace[Form]],
    ) -> Form:
        """The best guess of a search; the loads differ in their weights alone."""
        problem = TuningProblem(
            base=base,
            load=loads[0],
            cores=published.CORES,
            capacity_of=lambda _: float(published.CORES),
            capacity_condition="each on one thread",
            subject_of=subject_on(loads[0]),
            search_space=search_space,
            starts=family.MOST_STARTS,
        )
        aim = self._aim(len(loads))
        scenes = [OperatingPoint(load, at) for load, at in zip(loads, aim.arrivals, strict=True)]
        with ThreadPoolExecutor(thread_count(None)) as workers:
            found = search_tables(problem, scenes, aim, workers, lambda _what, _share: None)
        return found.tables[-1]

    def _lines(self, tail_us: int) -> SharedCoresSpace:
        return shared_cores_space(
            self.formula, tail_us, published.CORES, optional_rules=self.optional_rules
        )

    def _aim(self, scenes: int) -> TuningObjective:
        rates_mrps = (round(self.rate * 1e3),) * scenes
        return TuningObjective(PERCENTILE_PPM, rates_mrps, (1,) * scenes, BUDGET)


def _blind(predictor: Predictor) -> Predictor:
    """One that hints as many as long, and knows nothing."""
    return replace(predictor, right=predictor.share)


def rows(contest: Contest, plans: Sequence[Plan]) -> Iterator[tuple[str, ...]]:
    """What is gained with hints of each sort."""
    for plan in plans:
        tables = contest.tables(plan)
        gain = contest.gain(tables, plan.predictor)
        under_blind = contest.gain(tables, _blind(plan.predictor))
        yield (
            contest.case.name,
            f"{contest.rate:g}/s",
            "all" if contest.optional_rules else "none",
            f"{plan.predictor.share:.0%}",
            f"{plan.predictor.right:.0%}" + " and blind" * plan.and_blind,
            f"{gain.formula_us / 1e3:.1f}",
            f"{gain.tuned_us / 1e3:.1f}",
            change_text(gain),
            change_text(under_blind),
        )


def contests() -> Iterator[tuple[Contest, Sequence[Plan]]]:
    """Those on the synthetic demand, and what hints are for in each."""
    case = synthetic()
    for rate in RATES_RPS:
        yield Contest(case, rate), PLANS
    for rate in LOADED_RPS:
        yield Contest(case, rate, tuple(OptionalRule)), FEW_PLANS


def trace_contests() -> Iterator[tuple[Contest, Sequence[Plan]]]:
    """One on each public trace."""
    for case in traces():
        yield Contest(case, case.rates_rps[-1]), FEW_PLANS


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--traces", action="store_true", help="public traces instead")
    arguments = parser.parse_args()
    asked = trace_contests() if arguments.traces else contests()
    show(HEADS, [row for contest, plans in asked for row in rows(contest, plans)])
    end()


if __name__ == "__main__":
    main()
