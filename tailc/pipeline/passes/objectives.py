"""The pass that checks several SLOs."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.experiment.tuning_objective import TuningObjective
from tailc.pipeline.objectives import with_checked_objectives
from tailc.pipeline.passes.step import DesignSample, PassResult
from tailc.specs.load import LoadedSpec


@dataclass(frozen=True)
class ObjectivesCheck:
    """The pass that checks every one of several SLOs by replay.

    aim: the objective that the table was tuned for, if any. is_tunable: whether it can be tuned.
    """

    aim: TuningObjective | None
    loaded: LoadedSpec
    is_tunable: bool

    def apply(self, policy: Policy, sample: DesignSample) -> PassResult:
        """Check the SLOs, and add their percentiles to the policy's evidence.

        Raises TailcError if one is missed.
        """
        return PassResult(
            with_checked_objectives(
                policy,
                self.aim,
                sample.design,
                self.loaded,
                sample.threads,
                sample.progress,
                is_tunable=self.is_tunable,
            )
        )
