"""The pass of the method `auto`: replace the formula's table with the best table."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from tailc.artifact.envelope import REPLAYED, Evidence, Policy
from tailc.errors import Code, Finding, Severity
from tailc.experiment.experiment import experiment_for
from tailc.experiment.options import VerifyOptions
from tailc.experiment.sizes import BY_HAND
from tailc.experiment.tail_sample import Tail
from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.ladder.table import Ladder
from tailc.models.execution_model import BaselineSearch
from tailc.models.ladder_model import LadderModel
from tailc.models.subjects import on_ladders
from tailc.models.workload import workload
from tailc.percentiles import PPM
from tailc.pipeline.auto.best import Best, Question
from tailc.pipeline.auto.effort import Effort
from tailc.pipeline.auto.holdback import Holdback
from tailc.pipeline.auto.limited_choice import LimitedChoice
from tailc.pipeline.auto.rivals import Option, set_by_hand
from tailc.pipeline.auto.size import refuse_endless
from tailc.pipeline.auto.tail_choice import TailChoice
from tailc.progress import Progress
from tailc.specs.auto_settings import METHOD, AutoChoice
from tailc.tuning.criteria import measure_of
from tailc.tuning.sample_split import SampleSplit
from tailc.tuning.search import least_budget
from tailc.tuning.tuning_problem import ladder_problem

FORMULA = "formula"
_SOLVER = "tailc_solvers.evolution"


@dataclass(frozen=True)
class AutoResult:
    """The result of the method `auto`: the chosen table, and on which requests it was chosen.

    asked: the settings of the choice. is_held_out: whether the comparison used requests that no
    search used. judged_on: number of records of the comparison.
    """

    best: Best[Any]
    asked: AutoChoice
    is_held_out: bool
    judged_on: int

    @property
    def is_formula(self) -> bool:
        """Whether `auto` chose the formula's table."""
        return self.best.option.name == FORMULA


def best_policy(
    policy: Policy,
    formulas: Sequence[Ladder],
    objective: TuningObjective,
    asked: AutoChoice,
    parts: Holdback,
    threads: int,
    progress: Progress,
) -> tuple[Policy, AutoResult]:
    """Replace the policy's table with the best of several; the policy's own table may be the best.

    formulas: the formula's tables of all candidates. parts: requests of the search and of the
    comparison. Raises TailcError for a search that would simulate too many requests.
    """
    (own,) = policy.ladders
    objective = replace(objective, limit_us=objective.target_us)
    loads = SampleSplit(workload(parts.searched, own), workload(parts.judging, own))

    def towards(base: Ladder, aim: TuningObjective):
        return ladder_problem(base, parts.searched, aim)

    effort = Effort(asked.effort)
    budget, starts = effort.budget, towards(own, objective).starts
    least = least_budget(objective, min(budget.starts, starts))
    refuse_endless(budget.times * least, effort, objective)
    question = Question(objective, towards, loads, budget, asked.risk_ppm / PPM)
    options = [Option(FORMULA, own), *(Option(FORMULA, one) for one in formulas if one != own)]
    with ThreadPoolExecutor(threads) as workers:
        subject = on_ladders(policy.name, (own,))
        search = _search(subject, loads, objective, workers)
        by_hand = set_by_hand(subject, loads.tuning, search)
        choice = LimitedChoice if measure_of(objective).is_limited else TailChoice
        best = choice(options, by_hand, question, workers, progress).best()
    chosen = AutoResult(best, asked, parts.is_held_out, parts.judging.total_weight)
    return _with_table(policy, chosen), chosen


def _search(
    subject: LadderModel,
    loads: SampleSplit,
    objective: TuningObjective,
    workers: ThreadPoolExecutor,
) -> BaselineSearch:
    """The search of baselines that choose a value: at the highest rate."""
    arrivals = objective.arrivals[-1]
    options = VerifyOptions(requests_per_replay=BY_HAND.requests, repeats=BY_HAND.repeats)
    experiment = experiment_for(options, loads.tuning, arrivals, workers, subject)
    return experiment.search(Tail(objective.percentile_ppm), objective.target_us or 1)


def _with_table(policy: Policy, chosen: AutoResult) -> Policy:
    """With the table and the evidence for it."""
    table = chosen.best.option.table
    is_own = table == policy.ladders[0]
    evidence = chosen_evidence(policy.evidence, chosen, is_own=is_own)
    return replace(policy, forms=(table, *policy.forms[1:]), evidence=evidence)


def chosen_evidence(evidence: Evidence, chosen: AutoResult, *, is_own: bool) -> Evidence:
    """Make the evidence of a policy after `auto` chose its table.

    The proofs of the solved table do not hold for another table. is_own: whether the solved table
    is chosen, so that its evidence stays.
    """
    best = chosen.best
    settings = dict(evidence.settings) | {
        "judged_on": chosen.judged_on,
        "kept_out": int(chosen.is_held_out),
        "loss_ppm": round(PPM * best.loss_share),
        "requests": best.requests,
    }
    evidence = replace(evidence, settings=tuple(sorted(settings.items())))
    if is_own:
        return evidence
    return replace(
        evidence,
        method=METHOD,
        proof=REPLAYED,
        solver=_SOLVER,
        evaluations=best.evaluations,
        rows=(),
    )


def choice_remarks(chosen: AutoResult) -> tuple[Finding, ...]:
    """Warn if the search found nothing better, and if no table is safe."""
    found, best = [], chosen.best
    if not best.is_searched:
        what = "the formula's table" if chosen.is_formula else f"`{best.option.name}`"
        message = f"the search found no table that is better than {what}, so the policy uses {what}"
        hint = "set a higher `--effort`, or give a longer trace"
        found.append(Finding(Code.NO_BETTER_TABLE, message, None, hint, Severity.WARNING))
    return (*found, *doubt_remarks(chosen))


def doubt_remarks(chosen: AutoResult) -> tuple[Finding, ...]:
    """Warn if no table is safe, and if no requests were held out for the comparison."""
    found, best = [], chosen.best
    if not best.is_safe:
        where = f"in {best.loss_share:.0%} of bootstrap resamples of the trace"
        if best.loss_share <= chosen.asked.risk_ppm / PPM:
            where = f"on the {chosen.judged_on:,} requests of the comparison"
        message = f"{where}, some setting that a user could choose by hand is significantly better "
        message += "than the table at some rate"
        hint = "give a longer trace, or rates closer together"
        found.append(Finding(Code.NO_BETTER_TABLE, message, None, hint, Severity.WARNING))
    if not chosen.is_held_out:
        message = (
            f"the table was evaluated on the same {chosen.judged_on:,} requests on which it was "
            "tuned, so its estimates are too optimistic"
        )
        hint = "give a longer trace, or verify on another one"
        found.append(Finding(Code.JUDGED_ON_OWN, message, None, hint, Severity.WARNING))
    return tuple(found)
