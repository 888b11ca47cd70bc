"""Passes that add a feedback controller to a policy."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tailc.artifact.envelope import Policy
from tailc.forms.controller import Controller
from tailc.pipeline.bound_loop import check_bound_loop
from tailc.pipeline.controller import tune
from tailc.pipeline.passes.step import DesignSample, Pass, PassResult
from tailc.pipeline.settings import control_settings
from tailc.problems.control import ControlProblem


@dataclass(frozen=True)
class GivenController:
    """The pass that adds the controller whose gains the spec states."""

    controller: Controller

    def apply(self, policy: Policy, _sample: DesignSample) -> PassResult:
        """Add the controller to the policy.

        Raises TailcError if a bound that it scales would oscillate.
        """
        if policy.tail_table is not None:
            check_bound_loop(self.controller, policy.tail_table.bound_us)
        return PassResult(replace(policy, forms=(*policy.forms, self.controller)))


@dataclass(frozen=True)
class ControllerTuning:
    """The pass that tunes a controller of the ladder's climb ages.

    Adds no controller if no age can be scaled.
    """

    problem: ControlProblem

    def apply(self, policy: Policy, sample: DesignSample) -> PassResult:
        """Tune a controller, and add it to the policy."""
        (table,) = policy.ladders
        tuned = tune(self.problem, table, sample.design, sample.threads, sample.progress)
        if tuned is None:
            return PassResult(policy)
        policy = replace(policy, forms=(*policy.forms, tuned.controller))
        return PassResult(_with_settings(policy, control_settings(tuned)), (tuned,))


def _with_settings(policy: Policy, more: dict[str, int]) -> Policy:
    evidence = policy.evidence
    settings = tuple(sorted((dict(evidence.settings) | more).items()))
    return replace(policy, evidence=replace(evidence, settings=settings))


def control_pass(control: ControlProblem | Controller) -> Pass:
    """Make the pass of a compile that adds the spec's controller, or tunes one."""
    return (
        GivenController(control) if isinstance(control, Controller) else ControllerTuning(control)
    )
