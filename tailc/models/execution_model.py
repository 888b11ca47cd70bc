"""What every execution model of requests can do: the one protocol that experiments ask.

A value of a model is a machine of its kind with what runs on it: a policy, or a baseline.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from tailc.models.occupancy import Counts, Occupancy
from tailc.models.outcome import Outcome
from tailc.models.usage import Usage
from tailc.models.workload import Workload
from tailc.traces.profile import DemandProfile

OutcomeT = TypeVar("OutcomeT", bound=Outcome)
OutcomeT_co = TypeVar("OutcomeT_co", bound=Outcome, covariant=True)
TimesT = TypeVar("TimesT")


class Engine(Protocol[OutcomeT_co]):
    """A model's policy as flat arrays, ready to replay requests."""

    def replay(
        self,
        workload: Workload,
        order: NDArray[np.integer],
        arrival_ns: NDArray[np.int64],
        measured_from: int = 0,
    ) -> OutcomeT_co:
        """Replay the records named by `order`, the first arriving first, at ascending times."""
        ...


@dataclass(frozen=True)
class Window:
    """Over how many of the last latencies a tail is measured, and after how many exits again."""

    requests: int
    epoch: int


@dataclass(frozen=True)
class CostQuantity:
    """What requests cost besides time, as a comparison names it, with its unit."""

    name: str
    unit: str


@dataclass(frozen=True, eq=False)
class ExecutionModel(ABC, Generic[OutcomeT, TimesT]):
    """A policy or a baseline on a machine of one kind.

    name: how reports call it. note: what was chosen for it, for people ("threshold 225 ms"), or
    nothing.
    """

    name: str
    note: str = field(default="", kw_only=True)

    @property
    @abstractmethod
    def capacity_ppm(self) -> int | None:
        """The largest limit of anything that requests share [millionths]; None: no limit."""

    @property
    @abstractmethod
    def shared(self) -> str:
        """What requests compete for, as reports count it, such as `threads`."""

    @property
    @abstractmethod
    def settling_requests(self) -> int:
        """How many requests pass until what steers the machine has settled; 0: nothing steers."""

    @property
    @abstractmethod
    def measures_warm_up(self) -> bool:
        """Whether what comes before the machine has settled is measured too."""

    @property
    @abstractmethod
    def window(self) -> Window | None:
        """How the machine measures a tail while it runs; None: it does not."""

    @property
    @abstractmethod
    def cost_quantity(self) -> CostQuantity | None:
        """What requests cost besides time; None: nothing."""

    @property
    @abstractmethod
    def lookups_depend_on(self) -> str:
        """What a look-up depends on besides load and age, as a sentence; empty: on nothing."""

    @abstractmethod
    def workload(self, profile: DemandProfile) -> Workload:
        """The profile at the speeds that its requests have on this machine."""

    @abstractmethod
    def hand_settings(self, workload: Workload) -> tuple[str, ...]:
        """Names of the baselines that a user could set by hand, without a compiler."""

    @property
    @abstractmethod
    def without_extras(self) -> tuple[str, ...]:
        """Names of the baselines that are this policy without what it adds to its table."""

    @abstractmethod
    def filling_mrps(self, workload: Workload, cut_off_us: int | None) -> int:
        """The rate that fills the machine however requests are run [thousandths a second].

        Raises TailcError where no capacity is stated.
        """

    @abstractmethod
    def engine(
        self, rate_mrps: int, most_in_system: int, cut_off_us: int | None = None
    ) -> Engine[OutcomeT]:
        """The policy as arrays; a replay is given up at `most_in_system` requests in the system.

        A table by rate is read at `rate_mrps`. With `cut_off_us` a request leaves once it has run
        that long, its work unfinished. Raises TailcError for what the engine does not do.
        """

    @abstractmethod
    def in_use(self, outcome: OutcomeT) -> float:
        """Threads, or power of cores, free ones included, that were in use in the mean."""

    @abstractmethod
    def cost_of_request(self, outcome: OutcomeT) -> float | None:
        """What a request costs besides time in the mean, free cores included.

        In units of power, or of batch work, times nanoseconds; None where it costs neither.
        """

    @abstractmethod
    def times(self, outcome: OutcomeT, work_ns: NDArray[np.int64]) -> TimesT:
        """What one replay shows of the machine; `work_ns` is of its requests, as they came."""

    @abstractmethod
    def usage(self, repeats: Sequence[TimesT]) -> Usage:
        """How the machine was used, over all replays."""

    @abstractmethod
    def occupancy_counts(
        self, outcome: OutcomeT, order: NDArray[np.int32]
    ) -> tuple[Counts | None, ...]:
        """How often a request was met in each cell, for each table of the policy."""

    @abstractmethod
    def occupancy(
        self, repeats: Iterable[tuple[Counts | None, ...]]
    ) -> tuple[Occupancy | None, ...]:
        """The counts of all replays together, for each table of the policy."""

    def default_baselines(self, workload: Workload) -> tuple[str, ...]:
        """Names of the baselines that say something about this policy."""
        # Imported where baselines are wanted: their folder is, too.
        from tailc.models.request_baselines import default_names

        return default_names(self, workload)

    def baseline(self, name: str, workload: Workload, search: Search) -> Self:
        """The baseline of that name on this machine; only those with something to choose search.

        Raises TailcError (USAGE) for a name that does not fit.
        """
        from tailc.models.request_baselines import made

        return made(name, self, workload, search)

    def check_baseline(self, name: str) -> None:
        """Raise TailcError (USAGE) for no baseline's name, and for what this machine cannot do."""
        from tailc.models.request_baselines import fitting

        fitting(name, self)


Subject: TypeAlias = ExecutionModel[Any, Any]
"""A policy or a baseline on a machine of any kind."""
SubjectT = TypeVar("SubjectT", bound=ExecutionModel[Any, Any])


@dataclass(frozen=True)
class Tried:
    """A candidate replayed: its percentile, and what a request cost besides time, if anything."""

    tail_us: int
    cost: float | None


@dataclass(frozen=True)
class Search:
    """How a baseline with something to choose tries candidates, and the SLO that it chooses by.

    tried_at: the same at each of the constant rates that a changing load takes, in ascending order;
    none where the rate does not change.
    """

    tried: Callable[[Subject], Tried]
    percentile_ppm: int
    target_us: int
    tried_at: Callable[[], tuple[tuple[int, Callable[[Subject], Tried]], ...]] = tuple

    def at_rates(self) -> tuple[tuple[int, Search], ...]:
        """A search at each of those rates."""
        return tuple(
            (rate_mrps, Search(tried, self.percentile_ppm, self.target_us))
            for rate_mrps, tried in self.tried_at()
        )

    def tail_us(self, subject: Subject) -> int:
        """The tail of a candidate."""
        return self.tried(subject).tail_us

    def least_energy(self, candidates: Iterable[SubjectT]) -> SubjectT:
        """The one that draws least of those that meet the target, else the one of the least tail.

        Of equally good ones the first.
        """
        found = [(self.tried(candidate), candidate) for candidate in candidates]
        meeting = [pair for pair in found if pair[0].tail_us <= self.target_us]
        if meeting:
            return min(meeting, key=lambda pair: pair[0].cost or 0.0)[1]
        return min(found, key=lambda pair: pair[0].tail_us)[1]
