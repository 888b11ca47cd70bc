"""Replay two policies on the same requests in the same order at the same times."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from tailc.experiment.experiment import Experiment
from tailc.experiment.replications import Replication
from tailc.models.execution_model import Engine, Subject
from tailc.models.outcome import Outcome

Pair: TypeAlias = tuple[Outcome, Outcome]


@dataclass(frozen=True, eq=False)
class SubjectPairs:
    """Two policies to compare, each with an experiment on the same random arrivals and requests.

    The experiments differ only in the speed-ups of requests, which depend on the policy's machine.
    """

    subjects: tuple[Subject, Subject]
    experiments: tuple[Experiment, Experiment]

    @cached_property
    def engines(self) -> tuple[Engine[Outcome], Engine[Outcome]]:
        """Make the replay engines of the two policies to compare."""
        old, new = (
            experiment.engine(subject)
            for experiment, subject in zip(self.experiments, self.subjects, strict=True)
        )
        return old, new

    def pair(self, one: Replication) -> Pair:
        """Replay one replication under both policies, and return the two outcomes."""
        old, new = (
            experiment.outcome(subject, engine, one)
            for experiment, subject, engine in zip(
                self.experiments, self.subjects, self.engines, strict=True
            )
        )
        return old, new
