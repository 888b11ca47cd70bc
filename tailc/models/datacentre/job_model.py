"""The execution model of a plan's jobs: what an experiment, and through it all others, asks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from tailc.forms.plan.ledger import Entry
from tailc.models.datacentre.course import Course
from tailc.models.datacentre.quantities import Quantity, Samples
from tailc.models.datacentre.window import Window
from tailc.models.rule_baselines import RuleBaselines


class WindowOutcome(Protocol):
    """What became of the jobs of a window; `submitted` of them came."""

    @property
    def submitted(self) -> int: ...
    @property
    def entries(self) -> tuple[Entry, ...]: ...


OutcomeT = TypeVar("OutcomeT", bound=WindowOutcome)
Replay = Callable[[Window], OutcomeT]
"""Runs the jobs of a window under one policy."""

Beside = Callable[[str], Sequence[OutcomeT]]
"""What a baseline, by its name, did on the same windows."""


@dataclass(frozen=True)
class JobWords:
    """How reports speak of jobs.

    jobs_are: in a word. promise: what is promised to them. broken: jobs whose promise is broken.
    legend: what the figures of a window mean.
    """

    jobs_are: str
    promise: str
    broken: str
    legend: str


class JobModel(ABC, Generic[OutcomeT]):
    """How the jobs of one plan run.

    judged: the share of jobs whose promise is broken. servers_fail: whether they may. relative_to:
    baselines, by name, that quantities are told relative to.
    """

    words: ClassVar[JobWords]
    judged: ClassVar[Quantity]
    servers_fail: ClassVar[bool]
    relative_to: ClassVar[tuple[str, ...]]

    @property
    @abstractmethod
    def baselines(self) -> RuleBaselines[Any]:
        """All there are for such jobs."""

    @property
    @abstractmethod
    def policy(self) -> Replay[OutcomeT]:
        """The plan's own prices at work."""

    @abstractmethod
    def baseline(self, name: str) -> Replay[OutcomeT]:
        """The baseline of that name; TailcError (USAGE) for no baseline's."""

    @abstractmethod
    def samples(self, found: Sequence[OutcomeT], beside: Beside[OutcomeT]) -> Samples:
        """All quantities of some windows, in the order in which they are told."""

    @abstractmethod
    def course(self, window: Window, outcome: OutcomeT) -> Course:
        """The replay of a window as it went on, for pictures."""
