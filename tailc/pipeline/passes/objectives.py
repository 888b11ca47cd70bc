"""The pass that checks all of several objectives."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.experiment.tuning_objective import TuningObjective
from tailc.pipeline.objectives import with_objectives_kept
from tailc.pipeline.passes.step import Sample, Step
from tailc.specs.load import LoadedSpec


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
