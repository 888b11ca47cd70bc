"""What a compile does to a policy for requests after its table is chosen, pass by pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, TypeAlias

from tailc.artifact.envelope import Policy
from tailc.errors import Finding
from tailc.experiment.overload_objective import OverloadAim
from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.controller import Controller
from tailc.forms.ladder.table import Ladder
from tailc.models.arrivals import Poisson
from tailc.models.subjects import subject_of
from tailc.models.workload import workload
from tailc.pipeline.auto.choice import Chosen, best_policy, choice_remarks
from tailc.pipeline.auto.clocks import best_clocks, clock_remarks
from tailc.pipeline.auto.effort import Effort
from tailc.pipeline.auto.holdback import Holdback
from tailc.pipeline.auto.within import aim_within
from tailc.pipeline.bound_loop import check_bound_loop
from tailc.pipeline.compilation import Judging
from tailc.pipeline.controller import Tuned, tune
from tailc.pipeline.estimate_findings import check_estimates
from tailc.pipeline.judging import with_estimates
from tailc.pipeline.objectives import limits_of, predicted, with_objectives_kept
from tailc.pipeline.overload.evidence import relieved_policy
from tailc.pipeline.overload.search import Relief, relieved
from tailc.pipeline.progress import Progress
from tailc.pipeline.queue.approach import approach_to, gains_by_climbing
from tailc.pipeline.queue.clock_approach import clock_approach
from tailc.pipeline.queue.evidence import queue_remarks, tuned_policy
from tailc.pipeline.queue.tune import AnyTuned, tuned_for_queue
from tailc.pipeline.robust.stand import (
    Robustness,
    RobustTables,
    robust_policy,
    robust_remarks,
    robustness_remarks,
    with_robustness,
)
from tailc.pipeline.settings import control_settings
from tailc.policies import AutoChoice
from tailc.problems.control import ControlProblem
from tailc.specs.load import LoadedSpec
from tailc.specs.robust import Ambiguity
from tailc.traces.day_of import Days
from tailc.traces.profile import DemandProfile
from tailc.traces.reading import clock_khz_of

# What a compile finds beside the table of the formula.
Addition: TypeAlias = Tuned | AnyTuned | Chosen | Relief | Robustness | RobustTables


@dataclass(frozen=True)
class Sample:
    """The requests that a policy is compiled from, and how to replay them."""

    design: DemandProfile
    threads: int
    progress: Progress


@dataclass(frozen=True)
class Step:
    """A policy after a pass, and what the pass found."""

    policy: Policy
    additions: tuple[Addition, ...] = ()
    findings: tuple[Finding, ...] = ()


class Pass(Protocol):
    """One thing that is done to a policy."""

    def applied(self, policy: Policy, sample: Sample, /) -> Step:
        """The policy with it."""
        ...


@dataclass(frozen=True)
class GivenController:
    """A controller as the spec states it."""

    controller: Controller

    def applied(self, policy: Policy, _sample: Sample) -> Step:
        """Raises TailcError where a bound that it scales would swing."""
        if policy.tail_table is not None:
            check_bound_loop(self.controller, policy.tail_table.bound_us)
        return Step(replace(policy, forms=(*policy.forms, self.controller)))


@dataclass(frozen=True)
class ControllerTuning:
    """A controller that scales the ages of the ladder; none where no age can be scaled."""

    problem: ControlProblem

    def applied(self, policy: Policy, sample: Sample) -> Step:
        """With the gains that are found."""
        (table,) = policy.ladders
        tuned = tune(self.problem, table, sample.design, sample.threads, sample.progress)
        if tuned is None:
            return Step(policy)
        policy = replace(policy, forms=(*policy.forms, tuned.controller))
        return Step(_with_settings(policy, control_settings(tuned)), (tuned,))


@dataclass(frozen=True)
class TableTuning:
    """The table, tuned on the replay."""

    aim: TuningObjective

    def applied(self, policy: Policy, sample: Sample) -> Step:
        """With the tuned table, where it is better than the formula's."""
        tuned = self._tuned(policy, sample)
        return Step(tuned_policy(policy, tuned), (tuned,), queue_remarks(tuned))

    def _tuned(self, policy: Policy, sample: Sample) -> AnyTuned:
        table, clock_khz = policy.tail_table, clock_khz_of(policy.reading)
        if table is None:
            ladders = partial(approach_to, policy.ladders[0], sample.design)
            return tuned_for_queue(self.aim, ladders, sample.threads, sample.progress)
        assert clock_khz is not None
        clocks = partial(clock_approach, table, clock_khz, sample.design)
        return tuned_for_queue(self.aim, clocks, sample.threads, sample.progress)


@dataclass(frozen=True)
class BestTable:
    """The best of the formula's tables, of what could be set by hand, and of what is searched.

    formulas: those of all candidates. requests: on which, and by which it is judged.
    """

    aim: TuningObjective
    asked: AutoChoice
    formulas: tuple[Ladder, ...]
    requests: Holdback

    def applied(self, policy: Policy, sample: Sample) -> Step:
        """With the best table; the formula's where no request would gain by another."""
        (own,) = policy.ladders
        if not gains_by_climbing(own, workload(self.requests.searched, own)):
            return Step(policy)
        policy, chosen = best_policy(
            policy,
            self.formulas,
            self.aim,
            self.asked,
            self.requests,
            sample.threads,
            sample.progress,
        )
        return Step(policy, (chosen,), choice_remarks(chosen))


@dataclass(frozen=True)
class BestClocks:
    """The best of the paper's tables, of fixed frequencies, and of what is searched.

    requests: on which, and by which it is judged.
    """

    aim: TuningObjective
    asked: AutoChoice
    requests: Holdback

    def applied(self, policy: Policy, sample: Sample) -> Step:
        """With the best table; as it is where cores have one frequency."""
        table, clock_khz = policy.tail_table, clock_khz_of(policy.reading)
        assert table is not None
        assert clock_khz is not None
        if len(table.levels) == 1:
            return Step(policy)
        policy, chosen = best_clocks(
            policy,
            clock_khz,
            self.aim,
            self.asked,
            self.requests,
            sample.threads,
            sample.progress,
        )
        return Step(policy, (chosen,), clock_remarks(chosen))


@dataclass(frozen=True)
class CandidateTuning:
    """The best of the candidates, tuned as far as the effort goes; its rates may be too high."""

    aim: TuningObjective
    effort: Effort

    def applied(self, policy: Policy, sample: Sample) -> Step:
        """With the tuned table, where it is better than the candidate's."""
        towards = partial(approach_to, policy.ladders[0], sample.design)
        aim = aim_within(self.effort, self.aim, towards)
        return Step(policy) if aim is None else TableTuning(aim).applied(policy, sample)


@dataclass(frozen=True)
class RadiusSearch:
    """How large errors of its inputs the table stands."""

    ambiguity: Ambiguity

    def applied(self, policy: Policy, sample: Sample) -> Step:
        """With the radius in its evidence."""
        policy, found = with_robustness(
            policy, self.ambiguity, sample.design, sample.threads, sample.progress
        )
        return Step(policy, (found,), robustness_remarks(found))


@dataclass(frozen=True)
class RobustTuning:
    """The table, tuned on the replay to stand errors of its inputs.

    days: the day of each request, where their mixture is in doubt.
    """

    aim: TuningObjective
    ambiguity: Ambiguity
    days: Days | None

    def applied(self, policy: Policy, sample: Sample) -> Step:
        """With the robust table, where it is better in the worst case."""
        policy, tables = robust_policy(
            policy,
            self.aim,
            self.ambiguity,
            self.days,
            sample.design,
            sample.threads,
            sample.progress,
        )
        return Step(policy, (tables.plain, tables), robust_remarks(tables))


@dataclass(frozen=True)
class OverloadControl:
    """A rule for overload."""

    aim: OverloadAim

    def applied(self, policy: Policy, sample: Sample) -> Step:
        """With the rule that loses least."""
        table, design = policy.ladders[0], sample.design
        relief = relieved(self.aim, table, design, sample.threads, sample.progress)
        return Step(relieved_policy(policy, relief), (relief,))


@dataclass(frozen=True)
class ObjectivesCheck:
    """All of several objectives, each of which must hold.

    aim: what the table was tuned for, if it was. is_tunable: whether it could be.
    """

    aim: TuningObjective | None
    loaded: LoadedSpec
    is_tunable: bool

    def applied(self, policy: Policy, sample: Sample) -> Step:
        """With what they have; raises TailcError where one is missed."""
        return Step(
            with_objectives_kept(
                policy,
                self.aim,
                sample.design,
                self.loaded,
                sample.threads,
                sample.progress,
                is_tunable=self.is_tunable,
            )
        )


@dataclass(frozen=True)
class EstimatesPass:
    """Replays at the policy's rates, beside what could be set by hand."""

    requests: Holdback
    effort: Effort
    loaded: LoadedSpec
    judging: Judging

    def applied(self, policy: Policy, sample: Sample) -> Step:
        """With estimates; raises TailcError where an SLO is missed, unless that is allowed."""
        policy, more = with_estimates(
            policy, self.requests, self.effort, sample.threads, sample.progress
        )
        limits = limits_of(policy.slos, self.requests.judging)
        subject = subject_of(policy, self.requests.judging)

        def keeps(rate_mrps: int) -> bool:
            arrivals = [(rate_mrps, Poisson(rate_mrps))]
            return predicted(subject, limits, self.requests.judging, arrivals, sample.threads).holds

        allows = self.judging.allows_misses
        found = check_estimates(policy, more, self.loaded, keeps, allows_misses=allows)
        return Step(policy, findings=found)


def control_passes(control: ControlProblem | Controller | None) -> Iterator[Pass]:
    """What makes the controller, if there shall be one."""
    match control:
        case ControlProblem():
            yield ControllerTuning(control)
        case Controller():
            yield GivenController(control)
        case None:
            return


def tuning_passes(
    aim: TuningObjective | None, ambiguity: Ambiguity | None, days: Days | None
) -> Iterator[Pass]:
    """What tunes the table, as far as that is asked for."""
    if aim is not None and ambiguity is not None:
        yield RobustTuning(aim, ambiguity, days)
    elif aim is not None:
        yield TableTuning(aim)
    elif ambiguity is not None:
        yield RadiusSearch(ambiguity)


def _with_settings(policy: Policy, more: dict[str, int]) -> Policy:
    evidence = policy.evidence
    settings = tuple(sorted((dict(evidence.settings) | more).items()))
    return replace(policy, evidence=replace(evidence, settings=settings))
