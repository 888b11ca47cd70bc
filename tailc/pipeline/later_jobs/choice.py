"""Choose the rule for jobs that a plan does not include, as the method `auto` does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, Severity
from tailc.experiment.job_windows import job_model, replay_all
from tailc.experiment.plan_options import PlanOptions
from tailc.forecasts.days import Days
from tailc.forms.plan.plan import AUTO, Plan, rule_of
from tailc.models.datacentre.job_model import JobModel
from tailc.models.datacentre.later_jobs import LaterJobs
from tailc.models.datacentre.quantities import JobQuantity, QuantitySamples
from tailc.models.datacentre.supply import PPM, S_PER_HOUR
from tailc.models.datacentre.window import JobWindow, SpeedupCurves
from tailc.pipeline.job_baselines import solver_baselines
from tailc.pipeline.later_jobs.comparison import JudgedRule, best_rule, fault_of
from tailc.pipeline.later_jobs.past_windows import past_windows
from tailc.problems.plan import Weights
from tailc.progress import Progress
from tailc.units import plural

CONSTANT, FIRST_FIT = "constant", "first-fit"
_OF_MALLEABLE = ("reactive", "nebulous")
_OF_RIGID = ("smart-green",)
# From the full weight of run time to the one that saves most brown energy.
_PLANNED_AGAIN = ("aggressive", "aggressive-50%", "aggressive-25%")
MOST_PLANNED_JOBS = 60
"""Largest mean number of jobs of a window for rules that plan again at each event."""
UDOLLARS = 1_000_000
_G_PER_KG = 1_000


@dataclass(frozen=True)
class RuleChoice:
    """A policy after its rule for later jobs was chosen, and the findings of the choice."""

    policy: Policy
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, eq=False)
class _Comparison:
    """The policy whose rule is chosen, with what its rules are replayed on."""

    policy: Policy
    plan: Plan
    windows: tuple[JobWindow, ...]
    curves: SpeedupCurves
    weights: Weights
    progress: Progress

    @property
    def reference(self) -> str:
        return FIRST_FIT if self.plan.malleable is None else CONSTANT


def with_rule(
    policy: Policy, later: LaterJobs, days: Days, weights: Weights, progress: Progress
) -> RuleChoice:
    """Write the rule for jobs that a plan does not include into the policy's evidence.

    The method of the spec names the rule; `auto` chooses it by replays of earlier days.
    """
    if later.method != AUTO:
        is_rule = rule_of(later.method) is not None
        return RuleChoice(_with_method(policy, later.method) if is_rule else policy)
    plan = policy.plan
    assert plan is not None
    slowdown = None if plan.malleable is None else plan.malleable.slowdown_ppm / PPM
    windows = past_windows(days, plan.servers, slowdown)
    comparison = _Comparison(policy, plan, windows, later.curves, weights, progress)
    if not windows:
        return _without_days(comparison)
    judged = _judge(comparison)
    best = best_rule(judged, plan.violations_ppm / PPM)
    chosen = policy if best.name is None else _with_method(policy, best.name)
    return RuleChoice(chosen, (_chosen(comparison, judged, best),))


def _with_method(policy: Policy, method: str) -> Policy:
    plan = policy.plan
    assert plan is not None
    forms = tuple(
        replace(plan, later_jobs=method) if form is plan else form for form in policy.forms
    )
    return replace(policy, forms=forms, evidence=replace(policy.evidence, method=method))


def _judge(comparison: _Comparison) -> list[JudgedRule]:
    """Replay the rules; the reference is first, and rules that plan again only until one is best.

    The loss has the full weight of run time, so less of it is worth trying only to draw less brown
    energy: the first one that draws no more than the reference ends the search.
    """
    plan = comparison.plan
    with solver_baselines(plan) as more:
        options = PlanOptions(more=more)

        def judge(rule: str | None, *names: str) -> list[JudgedRule]:
            model = job_model(plan, comparison.curves, options, rule)
            return list(_replay(comparison, model, rule, names))

        if plan.malleable is None:
            return judge(None, FIRST_FIT, *_OF_RIGID)
        found = judge(None, CONSTANT, *_OF_MALLEABLE)
        for name in _PLANNED_AGAIN if _are_few(comparison.windows) else ():
            found += judge(name)
            if not found[-1].draws_more_than(found[0]):
                break
    return found


def _are_few(windows: Sequence[JobWindow]) -> bool:
    return sum(one.jobs.jobs for one in windows) <= MOST_PLANNED_JOBS * len(windows)


def _replay(
    comparison: _Comparison, model: JobModel[Any], rule: str | None, names: Sequence[str]
) -> Iterator[JudgedRule]:
    """Replay baselines of these names, then the rule of the model, on all windows."""

    def show(finished: int, total: int) -> None:
        comparison.progress("comparing rules for later jobs", finished / total)

    samples = replay_all(model, comparison.windows, names, show)
    for name in names:
        yield _judged_rule(comparison, model, name, samples.baselines[name])
    yield _judged_rule(comparison, model, rule, samples.policy)


def _judged_rule(
    comparison: _Comparison, model: JobModel[Any], name: str | None, samples: QuantitySamples
) -> JudgedRule:
    broken = samples[model.judged]
    share = float(broken.parts.sum() / max(broken.wholes.sum(), 1))
    malleable = comparison.plan.malleable
    if malleable is None:
        return JudgedRule(name, -samples[JobQuantity.PROFIT].parts, None, share)
    weights = comparison.weights
    brown = (
        weights.money * samples[JobQuantity.COST].parts
        + weights.energy * samples[JobQuantity.BROWN].parts / UDOLLARS
        + weights.carbon * samples[JobQuantity.CO2].parts * _G_PER_KG / UDOLLARS
    )
    an_hour = malleable.delay_udollars * S_PER_HOUR / comparison.plan.epoch_s / UDOLLARS
    loss: np.ndarray = brown + an_hour * samples[JobQuantity.RUN].parts
    return JudgedRule(name, loss, brown, share)


def _without_days(comparison: _Comparison) -> RuleChoice:
    """Without earlier days: constant widths, which need no forecast; prices for rigid jobs."""
    if comparison.plan.malleable is None:
        return RuleChoice(comparison.policy)
    message = (
        f"later jobs are decided by `{CONSTANT}`, since no earlier day with jobs and a forecast is "
        "known on which other rules could be compared"
    )
    hint = "start the plan later in the log, or choose a rule with `search.method`"
    policy = _with_method(comparison.policy, CONSTANT)
    return RuleChoice(policy, (_note(message, hint),))


def _chosen(comparison: _Comparison, judged: Sequence[JudgedRule], best: JudgedRule) -> Finding:
    """The chosen rule, with the mean of each rule on the earlier windows."""
    reference, is_profit = judged[0], comparison.plan.malleable is None
    what = "profit" if is_profit else "cost with run time"
    count = plural(len(comparison.windows), "earlier window")
    message = f"later jobs are decided by {_name(best)}: on {count}, the mean {what} is "
    message += _money(best, is_profit=is_profit)
    if best is not reference:
        gain = best.gain_over(reference)
        is_more = is_profit == (gain.value >= 0)
        message += f", ${abs(gain.value):.4f} {'more' if is_more else 'less'} than with "
        message += _name(reference)
        if gain.low is not None and gain.high is not None:
            message += f" (95 % interval +-${(gain.high - gain.low) / 2:.4f})"
    promised = comparison.plan.violations_ppm / PPM
    if (fault := fault_of(best, reference, promised)) is not None:
        message += f"; every rule breaks a limit: this one {fault}"
    others = [
        f"{_name(one)} {_money(one, is_profit=is_profit)}{_fault(one, reference, promised)}"
        for one in judged
        if one is not best
    ]
    hint = f"the others are {', '.join(others)}; `search.method` sets a rule"
    return _note(message, hint)


def _fault(rule: JudgedRule, reference: JudgedRule, promised: float) -> str:
    fault = fault_of(rule, reference, promised)
    return "" if fault is None else f" ({fault})"


def _name(rule: JudgedRule) -> str:
    return "prices" if rule.name is None else f"`{rule.name}`"


def _money(rule: JudgedRule, *, is_profit: bool) -> str:
    dollars = -rule.mean if is_profit else rule.mean
    return f"{'-' if dollars < 0 else ''}${abs(dollars):.4f}"


def _note(message: str, hint: str) -> Finding:
    return Finding(Code.RULE_CHOSEN, message, None, hint, Severity.NOTE, ("search", "method"))
