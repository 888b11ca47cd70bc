"""The interface of all execution models of requests, which experiments use.

An instance is a machine of one kind together with a policy or a baseline that runs on it.
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
    """A policy in the form of flat arrays, ready to replay requests in compiled code."""

    def replay(
        self,
        workload: Workload,
        order: NDArray[np.integer],
        arrival_ns: NDArray[np.int64],
        measured_from: int = 0,
    ) -> OutcomeT_co:
        """Replay requests under the policy, and return the outcome.

        order: record of each arrival in `workload`. arrival_ns: ascending arrival times [ns].
        measured_from: number of the first request that is measured.
        """
        ...


@dataclass(frozen=True)
class TailWindow:
    """The window over which a machine measures a latency percentile at run time.

    requests: number of last latencies in the window. epoch: number of exits between two
    measurements.
    """

    requests: int
    epoch: int


@dataclass(frozen=True)
class CostQuantity:
    """Name and unit of what a request costs other than time, such as energy.

    Used in comparisons.
    """

    name: str
    unit: str


@dataclass(frozen=True, eq=False)
class ExecutionModel(ABC, Generic[OutcomeT, TimesT]):
    """A policy or a baseline on a simulated machine of one kind, ready for a replay.

    name: name in reports. note: what was chosen for it, such as "threshold 225 ms", or empty.
    """

    name: str
    note: str = field(default="", kw_only=True)

    @property
    @abstractmethod
    def capacity_ppm(self) -> int | None:
        """Capacity of the machine's largest limited resource [1e-6]; None if none is limited."""

    @property
    @abstractmethod
    def shared_resource(self) -> str:
        """The resource that requests compete for, as reports name it, such as `threads`."""

    @property
    @abstractmethod
    def settling_requests(self) -> int:
        """Number of requests until the feedback controller has settled; 0 without a controller."""

    @property
    @abstractmethod
    def measures_warm_up(self) -> bool:
        """Whether replays also measure requests before the simulated machine has settled."""

    @property
    @abstractmethod
    def window(self) -> TailWindow | None:
        """The window of latencies over which the machine measures a percentile at run time.

        None if it does not measure one.
        """

    @property
    @abstractmethod
    def cost_quantity(self) -> CostQuantity | None:
        """The quantity that requests cost other than time, such as energy; None if none."""

    @property
    @abstractmethod
    def lookups_depend_on(self) -> str:
        """A sentence on what a look-up depends on in addition to load and age; empty if nothing."""

    @abstractmethod
    def workload(self, profile: DemandProfile) -> Workload:
        """Convert the profile to the work of its requests and their speeds on this machine."""

    @abstractmethod
    def hand_settings(self, workload: Workload) -> tuple[str, ...]:
        """Names of the baselines that a user could set by hand, without a compiler."""

    @property
    @abstractmethod
    def without_extras(self) -> tuple[str, ...]:
        """Names of the baselines that are this policy without its controller or boosting."""

    @abstractmethod
    def filling_mrps(self, workload: Workload, cut_off_us: int | None) -> int:
        """Arrival rate at which the machine is full under its most efficient policy [1/1000 s].

        Raises TailcError if the machine has no stated capacity.
        """

    @abstractmethod
    def engine(
        self, rate_mrps: int, most_in_system: int, cut_off_us: int | None = None
    ) -> Engine[OutcomeT]:
        """Prepare a replay of the policy; it stops at `most_in_system` requests in the system.

        A table by rate is read at `rate_mrps`. With `cut_off_us` a request leaves after running for
        that time, its work unfinished. Raises TailcError for a policy that the engine does not
        support.
        """

    @abstractmethod
    def in_use(self, outcome: OutcomeT) -> float:
        """Mean threads in use, or mean power of cores (including free ones), in one replay."""

    @abstractmethod
    def cost_of_request(self, outcome: OutcomeT) -> float | None:
        """Mean cost of a request other than time, such as energy, including that of free cores.

        In units of power, or of batch work given up, times nanoseconds; or energy [J] of the server
        for a unit of batch work, on cores that have some. None if there is no such cost.
        """

    @abstractmethod
    def times(self, outcome: OutcomeT, work_ns: NDArray[np.int64]) -> TimesT:
        """Figures of one replay that only this kind of machine has, such as the time on each rung.

        work_ns: work of each request, in order of arrival.
        """

    @abstractmethod
    def usage(self, repeats: Sequence[TimesT]) -> Usage:
        """Summarize how the machine was used over all replications."""

    @abstractmethod
    def occupancy_counts(
        self, outcome: OutcomeT, order: NDArray[np.int32]
    ) -> tuple[Counts | None, ...]:
        """Count how often requests were observed in each cell, for each table of the policy.

        order: record of each request.
        """

    @abstractmethod
    def occupancy(
        self, repeats: Iterable[tuple[Counts | None, ...]]
    ) -> tuple[Occupancy | None, ...]:
        """Share of run time in each cell of each table, from the counts of all replications."""

    def default_baselines(self, workload: Workload) -> tuple[str, ...]:
        """Names of the baselines that are compared with this policy by default."""
        # Imported here because the import scans the folder of baselines.
        from tailc.models.request_baselines import default_names

        return default_names(self, workload)

    def baseline(self, name: str, workload: Workload, search: BaselineSearch) -> Self:
        """Make the baseline with this name on the policy's machine.

        Only baselines with a choice use `search`. Raises TailcError (USAGE) for a name that does
        not fit.
        """
        from tailc.models.request_baselines import make_baseline

        return make_baseline(name, self, workload, search)

    def check_baseline(self, name: str) -> None:
        """Raise TailcError (USAGE) for an unknown baseline, or one that this machine cannot run."""
        from tailc.models.request_baselines import fitting

        fitting(name, self)


Subject: TypeAlias = ExecutionModel[Any, Any]
"""A policy or a baseline on a machine of any kind."""
SubjectT = TypeVar("SubjectT", bound=ExecutionModel[Any, Any])


@dataclass(frozen=True)
class CandidateResult:
    """Result of a candidate's replay: a latency percentile, and the cost other than time.

    The cost is None if requests cost only time.
    """

    tail_us: int
    cost: float | None


@dataclass(frozen=True)
class BaselineSearch:
    """What a baseline may use to choose its setting: replays of candidates, and the SLO to meet.

    evaluate: replays a candidate. percentile_ppm, target_us: the SLO. evaluate_at_rates: such a
    function for each rate of a changing load, ascending by rate [1/1000 s]; empty if the rate does
    not change.
    """

    evaluate: Callable[[Subject], CandidateResult]
    percentile_ppm: int
    target_us: int
    evaluate_at_rates: Callable[
        [], tuple[tuple[int, Callable[[Subject], CandidateResult]], ...]
    ] = tuple

    def at_rates(self) -> tuple[tuple[int, BaselineSearch], ...]:
        """Each rate of a changing load [1/1000 s], with a search of settings at that rate."""
        return tuple(
            (rate_mrps, BaselineSearch(evaluate, self.percentile_ppm, self.target_us))
            for rate_mrps, evaluate in self.evaluate_at_rates()
        )

    def tail_us(self, subject: Subject) -> int:
        """Replay a candidate and return its tail latency [us]."""
        return self.evaluate(subject).tail_us

    def least_energy(self, candidates: Iterable[SubjectT]) -> SubjectT:
        """The candidate of least energy that meets the target, else the one with the least tail.

        Ties go to the first candidate.
        """
        results = [(self.evaluate(candidate), candidate) for candidate in candidates]
        meeting = [pair for pair in results if pair[0].tail_us <= self.target_us]
        if meeting:
            return min(meeting, key=lambda pair: pair[0].cost or 0.0)[1]
        return min(results, key=lambda pair: pair[0].tail_us)[1]
