"""Passes about errors of the inputs: find the tolerated errors, or tune a table for them.

An error is, for example, a demand that is longer than in the design trace by some factor.
"""

from __future__ import annotations

from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.experiment.tuning_objective import TuningObjective
from tailc.pipeline.passes.step import DesignSample, PassResult
from tailc.specs.robust import Ambiguity
from tailc.traces.day_of import RowDays
from tailc.tuning.robust.robustness import (
    robust_policy,
    robust_remarks,
    robustness_remarks,
    with_robustness,
)


@dataclass(frozen=True)
class RadiusSearch:
    """The pass that finds the largest errors of the inputs that the table tolerates."""

    ambiguity: Ambiguity

    def apply(self, policy: Policy, sample: DesignSample) -> PassResult:
        """Add the largest tolerated errors to the policy's evidence."""
        policy, radius = with_robustness(
            policy, self.ambiguity, sample.design, sample.threads, sample.progress
        )
        return PassResult(policy, (radius,), robustness_remarks(radius))


@dataclass(frozen=True)
class RobustTuning:
    """The pass that tunes the table by replay for errors of its inputs.

    days: the day of each request, if the mix of days is uncertain.
    """

    aim: TuningObjective
    ambiguity: Ambiguity
    days: RowDays | None

    def apply(self, policy: Policy, sample: DesignSample) -> PassResult:
        """Tune the table for errors of inputs; the policy gets it if its worst case is better."""
        policy, tables = robust_policy(
            policy,
            self.aim,
            self.ambiguity,
            self.days,
            sample.design,
            sample.threads,
            sample.progress,
        )
        return PassResult(policy, (tables.plain, tables), robust_remarks(tables))
