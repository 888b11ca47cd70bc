"""Passes for errors of the inputs: measure the tolerated errors, or tune a table for them."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.experiment.tuning_objective import TuningObjective
from tailc.pipeline.passes.step import Sample, Step
from tailc.specs.robust import Ambiguity
from tailc.traces.day_of import Days
from tailc.tuning.robust.robustness import (
    robust_policy,
    robust_remarks,
    robustness_remarks,
    with_robustness,
)


@dataclass(frozen=True)
class RadiusSearch:
    """Search for the largest errors of the inputs that the table tolerates."""

    ambiguity: Ambiguity

    def applied(self, policy: Policy, sample: Sample) -> Step:
        """The policy with the robustness radius in its evidence."""
        policy, found = with_robustness(
            policy, self.ambiguity, sample.design, sample.threads, sample.progress
        )
        return Step(policy, (found,), robustness_remarks(found))


@dataclass(frozen=True)
class RobustTuning:
    """Tune the table by replay for errors of its inputs.

    days: the day of each request, if the mix of days is uncertain.
    """

    aim: TuningObjective
    ambiguity: Ambiguity
    days: Days | None

    def applied(self, policy: Policy, sample: Sample) -> Step:
        """The policy with the robust table, if it is better in the worst case."""
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
