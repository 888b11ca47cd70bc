"""The interface between experiments and the execution models of jobs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from tailc.forms.plan.ledger import LedgerEntry
from tailc.models.datacentre.course import Course
from tailc.models.datacentre.quantities import JobQuantity, QuantitySamples
from tailc.models.datacentre.window import JobWindow
from tailc.models.rule_baselines import RuleBaselines


class WindowOutcome(Protocol):
    """Interface: result of replaying one window of days, with what happened to its jobs."""

    @property
    def submitted(self) -> int: ...
    @property
    def entries(self) -> tuple[LedgerEntry, ...]: ...


OutcomeT = TypeVar("OutcomeT", bound=WindowOutcome)
Replay = Callable[[JobWindow], OutcomeT]
"""Runs the jobs of a window under one policy."""

BaselineOutcomes = Callable[[str], Sequence[OutcomeT]]
"""What a baseline, by its name, did on the same windows."""


@dataclass(frozen=True)
class JobWords:
    """The words that reports use for rigid or for malleable jobs.

    jobs_are: the kind of job. promise: what each job is promised. broken: jobs whose promise is
    broken. legend: explanation of the quantities of a window.
    """

    jobs_are: str
    promise: str
    broken: str
    legend: str


class JobModel(ABC, Generic[OutcomeT]):
    """Interface: an execution model of jobs in a datacentre, in which a plan or a baseline decides.

    words: words of reports. judged: the quantity that verdicts judge, the share of jobs with a
    broken promise. servers_fail: whether servers may fail. relative_to: names of baselines to which
    quantities are relative.
    """

    words: ClassVar[JobWords]
    judged: ClassVar[JobQuantity]
    servers_fail: ClassVar[bool]
    relative_to: ClassVar[tuple[str, ...]]

    @property
    @abstractmethod
    def baselines(self) -> RuleBaselines[Any]:
        """The baselines that can decide about the jobs of this model, by name."""

    @property
    @abstractmethod
    def policy(self) -> Replay[OutcomeT]:
        """The replay in which the plan's rule or its prices decide about jobs."""

    @abstractmethod
    def baseline(self, name: str) -> Replay[OutcomeT]:
        """The replay of the baseline with this name; TailcError (USAGE) if no baseline has it."""

    @abstractmethod
    def samples(
        self, outcomes: Sequence[OutcomeT], baseline: BaselineOutcomes[OutcomeT]
    ) -> QuantitySamples:
        """Compute all reported quantities of windows of days, in the order of reports.

        outcomes: replay of each window. baseline: outcomes of each baseline.
        """

    @abstractmethod
    def course(self, window: JobWindow, outcome: OutcomeT) -> Course:
        """The time series of one replayed window, for plots."""
