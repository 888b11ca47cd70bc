"""Passes of the method `auto`: choose among the formula's table, settings by hand, and a search."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tailc.artifact.envelope import Policy
from tailc.errors import Code
from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.ladder.table import Ladder
from tailc.models.workload import workload
from tailc.percentiles import PPM
from tailc.pipeline.auto.choice import best_policy, choice_remarks
from tailc.pipeline.auto.holdback import Holdback
from tailc.pipeline.passes.step import DesignSample, PassResult
from tailc.specs.auto_settings import AutoChoice
from tailc.traces.reading import clock_khz_of
from tailc.tuning.tuning_problem import gains_by_climbing

if TYPE_CHECKING:
    from tailc.problems.control import ControlProblem


@dataclass(frozen=True)
class BestTable:
    """The pass that chooses the best of the formula's ladders, settings by hand and a search.

    formulas: the formula's tables of all candidates. requests: for the search and for the
    comparison.
    """

    aim: TuningObjective
    auto: AutoChoice
    formulas: tuple[Ladder, ...]
    requests: Holdback

    def apply(self, policy: Policy, sample: DesignSample) -> PassResult:
        """Choose the best table for a policy; it is unchanged if no request gains by climbing."""
        (own,) = policy.ladders
        if not gains_by_climbing(own, workload(self.requests.searched, own)):
            return PassResult(policy)
        policy, chosen = best_policy(
            policy,
            self.formulas,
            self.aim,
            self.auto,
            self.requests,
            sample.threads,
            sample.progress,
        )
        return PassResult(policy, (chosen,), choice_remarks(chosen))


@dataclass(frozen=True)
class BestWithController:
    """The pass that chooses between a feedback controller and none.

    With the controller, climb ages are the formula's; without, the table is the best of
    `BestTable`.
    """

    without: BestTable
    control: ControlProblem

    def apply(self, policy: Policy, sample: DesignSample) -> PassResult:
        """Choose the policy with a feedback controller, or the best table without one.

        The controller is chosen unless the policy is worse with it.
        """
        from tailc.pipeline.auto.steered import compare_steered, left_out_remark, steered_evidence
        from tailc.pipeline.passes.control import ControllerTuning

        plain, tuned = self.without.apply(policy, sample), ControllerTuning(self.control)
        steered = tuned.apply(policy, sample)
        if steered.policy.controller is None:
            return plain
        compared = compare_steered(
            steered.policy,
            plain.policy,
            self.without.aim,
            self.without.auto,
            self.without.requests,
            sample.threads,
            sample.progress,
        )
        if compared.is_safe:
            own = [one for one in plain.findings if one.code is Code.JUDGED_ON_OWN]
            kept = steered.policy
            evidence = steered_evidence(kept.evidence, compared, self.without.requests)
            kept = replace(kept, evidence=evidence)
            return replace(steered, policy=kept, findings=(*steered.findings, *own))
        remark = left_out_remark(compared, self.without.auto.risk_ppm / PPM)
        return replace(plain, findings=(*plain.findings, remark))


@dataclass(frozen=True)
class BestClocks:
    """The pass that chooses the best of the paper's tail tables, fixed frequencies and a search.

    requests: for the search and for the comparison.
    """

    aim: TuningObjective
    auto: AutoChoice
    requests: Holdback

    def apply(self, policy: Policy, sample: DesignSample) -> PassResult:
        """Choose the best tail table; the policy is unchanged if cores have one frequency."""
        from tailc.pipeline.auto.clocks import best_clocks, clock_remarks

        table, clock_khz = policy.tail_table, clock_khz_of(policy.reading)
        assert table is not None
        assert clock_khz is not None
        if len(table.levels) == 1:
            return PassResult(policy)
        policy, chosen = best_clocks(
            policy,
            clock_khz,
            self.aim,
            self.auto,
            self.requests,
            sample.threads,
            sample.progress,
        )
        return PassResult(policy, (chosen,), clock_remarks(chosen))
