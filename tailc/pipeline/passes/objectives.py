"""The pass that checks several SLOs."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.experiment.tuning_objective import TuningObjective
from tailc.pipeline.objectives import with_objectives_kept
from tailc.pipeline.passes.step import Sample, Step
from tailc.specs.load import LoadedSpec


@dataclass(frozen=True)
class ObjectivesCheck:
    """Check that every one of several SLOs holds.

    aim: the objective that the table was tuned for, if any. is_tunable: whether it can be tuned.
    """

    aim: TuningObjective | None
    loaded: LoadedSpec
    is_tunable: bool

    def applied(self, policy: Policy, sample: Sample) -> Step:
        """The policy with the SLOs' percentiles in its evidence.

        Raises TailcError if one is missed.
        """
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
