"""Tune for the highest rate at which a table meets a percentile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tailc.errors import Code, Finding, TailcError
from tailc.experiment.sizes import RATE_RANKING_REPEATS, RATE_SEARCH, VALIDATION, Seed
from tailc.experiment.tuning_objective import Criterion, TuningObjective
from tailc.models.perturbations import with_more_work
from tailc.models.workload import Workload
from tailc.progress import Progress
from tailc.specs.slo import promise
from tailc.tuning.highest_rate import RateComparison, compare_rates
from tailc.tuning.loop import TuningLoop, TuningResult, longer_by_chance
from tailc.tuning.operating_point import operating_points
from tailc.tuning.rate_sample import RateSample, rate_sample
from tailc.tuning.samples import requests_each, validation_sample
from tailc.tuning.scaled_table import ScaledTable
from tailc.tuning.search import SearchResult, fewest_requests, search_for_rate
from tailc.tuning.tuning_problem import TuningProblem, tuning_error
from tailc.tuning.tuning_sample import Form
from tailc.tuning.validation import ValidatedTable, validate_table
from tailc.units import format_mrps, format_us

# Repeats and seed. The order of tables that are validated later needs fewer repeats.
_VALIDATING = (VALIDATION.repeats, Seed.VALIDATION)
_RANKING = (RATE_RANKING_REPEATS, Seed.RANKING)
_COMPARING = (10, 105)
# A search continues at the highest rate of its best table, which is estimated with this fraction of
# its budget for each replay.
_BUDGET_FRACTION = 3_000


@dataclass(frozen=True)
class RateTuningResult(TuningResult[Form]):
    """A tuning result for the highest rate, with the rates of the tuned table and of its reference.

    raised: the highest rates of the formula's table, computed without simulation, and of the tuned
    table. kept_us: the smallest latency within which one of the tables keeps the percentile at the
    lowest rate in every replay [us]; None if all are overloaded.
    """

    raised: RateComparison
    kept_us: int | None


class RateLoop(TuningLoop[Form, RateTuningResult[Form]]):
    """The tuning loop whose criterion is the highest rate."""

    def run(
        self, aim: TuningObjective, progress: Progress
    ) -> tuple[RateTuningResult[Form], bool | None]:
        """Tune for the highest rate; see `TuningLoop.run` for the result.

        Raises TailcError if the table computed without simulation meets the percentile's limit at
        all rates of the range, and if no table meets it at the lowest.
        """
        problem = self._problem_for(replace(aim, optional_rules=()))
        ranking = self._sample(problem, self._split.tuning, aim, _RANKING)
        if (ranking.highest_rates([problem.base]).rates_mrps == aim.rates_mrps[-1]).all():
            raise _every_rate_kept(aim)
        result, has_rules = super().run(aim, progress)
        if result.raised.formula is None and result.raised.tuned is None:
            raise _no_rate_kept(aim, result.kept_us)
        return result, has_rules

    def tune(
        self, problem: TuningProblem[Form], aim: TuningObjective, progress: Progress
    ) -> RateTuningResult[Form]:
        tables, found = self.propose(problem, aim, progress)
        sample = self._sample(problem, self._split.judging, aim.judging, _VALIDATING)
        table, rates = _first_higher(tables, problem.base, sample, aim)
        latencies_us = [sample.kept_us(one) for one in (problem.base, *tables)]
        kept_us = min((us for us in latencies_us if us is not None), default=None)
        return RateTuningResult(self._at_both(problem, table, rates, aim), found, rates, kept_us)

    def propose(
        self, problem: TuningProblem[Form], aim: TuningObjective, progress: Progress
    ) -> tuple[list[Form], SearchResult[Form]]:
        load = self._split.tuning
        following = self._following(problem, load, aim)
        found = search_for_rate(problem, load, following, aim, self._workers, progress)
        progress("judging the tables", 1.0)
        ranking = self._sample(problem, load, aim, _RANKING)
        rates_mrps = ranking.highest_rates(found.tables).rates_mrps.mean(axis=1)
        return [found.tables[at] for at in np.argsort(-rates_mrps, kind="stable")], found

    def confirm(
        self, problem: TuningProblem[Form], tables: Sequence[Form], aim: TuningObjective
    ) -> Form | None:
        reference = problem.base
        sample = self._sample(problem, self._split.judging, aim.judging, _COMPARING)
        table, rates = _first_higher(tables, reference, sample, aim)
        if not rates.is_better:
            return None
        demand = with_more_work(self._split.judging, longer_by_chance(problem.load))
        sample = self._sample(problem, demand, aim.judging, _COMPARING)
        theirs, ours = sample.highest_rates([reference, table]).rates_mrps
        return None if compare_rates(theirs, ours, aim).is_worse else table

    def validate(
        self,
        formula: TuningProblem[Form],
        plain: RateTuningResult[Form],
        table: Form,
        aim: TuningObjective,
    ) -> RateTuningResult[Form]:
        sample = self._sample(formula, self._split.judging, aim.judging, _VALIDATING)
        _, rates = _first_higher([table], formula.base, sample, aim)
        validated = self._at_both(formula, table, rates, aim)
        return RateTuningResult(validated, plain.searched, rates, plain.kept_us)

    def _sample(
        self,
        problem: TuningProblem[Form],
        load: Workload,
        aim: TuningObjective,
        repeats_and_seed: tuple[int, int],
    ) -> RateSample[Form]:
        assert aim.limit_us is not None
        repeats, seed = repeats_and_seed
        return rate_sample(
            load,
            aim,
            aim.limit_us,
            problem,
            requests=requests_each(aim.percentile_ppm),
            repeats=repeats,
            seed=seed,
            workers=self._workers,
        )

    def _following(
        self, problem: TuningProblem[Form], load: Workload, aim: TuningObjective
    ) -> RateSample[Form]:
        assert aim.target_us is not None
        requests = min(RATE_SEARCH.requests, aim.most_requests // _BUDGET_FRACTION)
        return rate_sample(
            load,
            aim,
            aim.target_us,
            problem,
            requests=max(requests, fewest_requests(aim.percentile_ppm)),
            repeats=RATE_SEARCH.repeats,
            seed=Seed.RATE_SEARCH,
            workers=self._workers,
        )

    def _at_both(
        self,
        problem: TuningProblem[Form],
        table: Form,
        rates: RateComparison,
        aim: TuningObjective,
    ) -> ValidatedTable[Form]:
        """Validate tails at the highest rates of both tables; the lowest of the range if none."""
        ends = [
            aim.rates_mrps[0] if one is None else one.rate_mrps
            for one in (rates.formula, rates.tuned)
        ]
        rates_mrps = tuple(sorted(set(ends)))
        tails = replace(
            aim.judging,
            criterion=Criterion.TAIL,
            target_us=None,
            limit_us=None,
            rates_mrps=rates_mrps,
            weights=(1,) * len(rates_mrps),
        )
        points = operating_points(self._split.judging, tails)
        sample = validation_sample(problem, points, tails, Seed.VALIDATION, self._workers)
        clairvoyant_us = None
        if problem.server is not None:
            clairvoyant_us = sample.clairvoyant_us(problem.server).tolist()
        reference = ScaledTable(problem.base)
        validated = validate_table(ScaledTable(table), reference, sample, clairvoyant_us, tails)
        return replace(validated, is_better=rates.is_better)


def _first_higher(
    tables: Sequence[Form], reference: Form, sample: RateSample[Form], aim: TuningObjective
) -> tuple[Form, RateComparison]:
    """The first table with a higher rate than the reference, or else the last."""
    (theirs,) = sample.highest_rates([reference]).rates_mrps
    others = []
    for table in tables:
        (ours,) = sample.highest_rates([table]).rates_mrps
        rates = compare_rates(theirs, ours, aim)
        if rates.is_better:
            return table, rates
        others.append((table, rates))
    return others[-1]


def _every_rate_kept(aim: TuningObjective) -> TailcError:
    message = f"the formula's table has {_promise(aim)} up to {format_mrps(aim.rates_mrps[-1])}, "
    message += "the highest of `rates`, so no higher rate can be found"
    return tuning_error(
        message, "add a higher rate to `rates`, or set `search.objective: tail`", "rates"
    )


def _no_rate_kept(aim: TuningObjective, kept_us: int | None) -> TailcError:
    lowest = format_mrps(aim.rates_mrps[0])
    message = f"no table was found that has {_promise(aim)} at {lowest}, the lowest of `rates`,"
    message += f" in each of {VALIDATION.repeats} replays"
    hint = "add a lower rate to `rates`"
    if kept_us is not None:
        message += f"; the shortest tail that a table meets in all of them is {format_us(kept_us)}"
        hint += f", or a latency of {format_us(kept_us)} or more"
    return TailcError(Finding(Code.INFEASIBLE, message, help=hint, about=("rates",)))


def _promise(aim: TuningObjective) -> str:
    assert aim.limit_us is not None
    return promise(aim.percentile_ppm, aim.limit_us)
