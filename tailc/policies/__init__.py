"""The kinds of policies, one folder each, found by a scan; no kind imports another."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from tailc.specs.auto_settings import AutoChoice, AutoTuning
    from tailc.specs.clocked_demand import ClockedDemandSpec
    from tailc.specs.common import DemandSpec, SpeedupSpec
    from tailc.specs.days import DaysSettings
    from tailc.specs.fields import SpecModel
    from tailc.specs.load import LoadedSpec
    from tailc.specs.serial_spec import SerialSpec
    from tailc.specs.slo import EndToEnd, Slo
    from tailc.specs.throughput import ThroughputSpec
    from tailc.specs.tokens import TokensSpec


class KindSpec(Protocol):
    """Protocol: what the spec of every kind of policy provides to a compile."""

    @property
    def name(self) -> str:
        """Name of the policy that the spec describes."""
        ...

    @property
    def kind(self) -> str:
        """Name of the spec's kind of policy."""
        ...

    @property
    def demand(
        self,
    ) -> DemandSpec | ClockedDemandSpec | ThroughputSpec | DaysSettings | TokensSpec:
        """What the spec reads: demand, throughput, tokens, or days of jobs and energy to plan."""
        ...

    @property
    def speedup(self) -> SpeedupSpec | None:
        """Speed-ups in a spec; None if `demand` has them as measured times, or if none."""
        ...

    @property
    def slos(self) -> tuple[Slo, ...]:
        """SLOs on latency in a spec; the search uses the first. Empty for kinds without latency."""
        ...

    @property
    def end_to_ends(self) -> tuple[EndToEnd | None, ...]:
        """For each of `slos`, the end-to-end SLO over several servers, or None."""
        ...

    @property
    def rates_mrps(self) -> tuple[int, ...]:
        """Arrival rates that the policy is compiled for."""
        ...

    @property
    def max_degree(self) -> int | None:
        """Largest degree of parallelism that is read from the trace; None: all."""
        ...

    @property
    def serial(self) -> SerialSpec | None:
        """The serial beginning and end of requests; None: they have none."""
        ...

    def with_search(self, overrides: Mapping[str, object]) -> KindSpec:
        """Return the spec with some fields of its search replaced."""
        ...


EVERY = "*"


@dataclass(frozen=True)
class SoftLine:
    """A limit in a spec that may be relaxed to explain why no policy meets the spec.

    path: keys of the line; EVERY means each item of a list. is_raised: whether a larger value is
    less strict. below: path of a line whose value this value may not exceed. furthest: largest
    factor by which the limit is relaxed.
    """

    path: tuple[str, ...]
    is_raised: bool = True
    below: tuple[str | int, ...] | None = None
    furthest: int = 8


# A latency in a wrong unit can be a thousand times too strict.
LATENCIES = SoftLine(("slo", EVERY, "latency"), furthest=1_000_000)
TARGET = SoftLine(("target",), below=("slo", 0, "latency"), furthest=1_000_000)


def as_written(spec: Any, loaded: LoadedSpec, folder: Path | None) -> Any:  # noqa: ARG001
    """Return a spec that names no files unchanged, without warnings."""
    return spec, ()


def without_state(spec: KindSpec, days: Any, resumption: Any) -> None:  # noqa: ARG001
    """Raise TailcError (METHOD_UNFIT), because only plans of jobs can continue from a state."""
    from tailc.errors import Code, Finding, TailcError

    message = f"a policy of kind `{spec.kind}` has no state, so it cannot be planned again"
    hint = "compile the spec with `tailc compile`"
    raise TailcError(Finding(Code.METHOD_UNFIT, message, help=hint))


def without_controller(spec: Any, loaded: LoadedSpec) -> None:
    """Return None: this kind of policy has no feedback controller."""


def no_setting(spec: Any) -> None:
    """Return None: this kind of policy does not have the setting."""


@dataclass(frozen=True)
class TunableTables:
    """How the tables of a kind of policy are tuned by simulation.

    aim(spec): what tuning minimises (a TuningObjective); None if the spec requests no tuning.
    best(spec): settings of the method `auto`; None for other methods.
    """

    aim: Callable[..., Any]
    best: Callable[..., AutoChoice | AutoTuning | None] = no_setting
    is_possible: ClassVar[bool] = True


@dataclass(frozen=True)
class FixedTables:
    """Marks a kind of policy whose tables are not tuned by simulation."""

    is_possible: ClassVar[bool] = False

    def aim(self, spec: Any) -> None:
        """Return None: this kind of policy is not tuned, so it has no objective of tuning."""

    def best(self, spec: Any) -> None:
        """Return None: this kind of policy does not have the method `auto`."""


@dataclass(frozen=True)
class Kind:
    """A policy kind: each folder here exposes one as `KIND`.

    name: the kind's name in specs.
    spec_model: type of its specs.
    candidates(spec): the specs of a sweep.
    reduce(spec, design): formulate the problem of one spec on the measured data.
    resume(spec, days, resumption): formulate the problem that continues from a plan's state.
    later_jobs(spec): the LaterJobs of a plan, or None.
    emit(spec, problem, solution): convert the solution to the form of the policy.
    complete(spec, loaded, folder): read the files that the spec names; returns spec and warnings.
    control(spec, loaded): the ControlProblem of a controller to be tuned, or the Controller, or
    None.
    tuning: whether tables can be tuned by simulation, and for which objective.
    overload(spec): the OverloadObjective, or None.
    robust(spec): the Ambiguity (uncertainty set), or None.
    soft_lines: limits that may be relaxed when a conflict is explained.
    speeds_by_degree: whether speed-ups are by degree of parallelism; otherwise by rung.
    """

    name: str
    spec_model: type[SpecModel]
    candidates: Callable[..., Any]
    reduce: Callable[..., Any]
    emit: Callable[..., Any]
    resume: Callable[..., Any] = without_state
    later_jobs: Callable[..., Any] = no_setting
    complete: Callable[..., Any] = as_written
    control: Callable[..., Any] = without_controller
    tuning: TunableTables | FixedTables = FixedTables()
    overload: Callable[..., Any] = no_setting
    robust: Callable[..., Any] = no_setting
    soft_lines: tuple[SoftLine, ...] = ()
    speeds_by_degree: bool = True


class Kinds(Mapping[str, Kind]):
    """All kinds of policies by name, in order; a kind is imported when it is looked up."""

    def __getitem__(self, name: str) -> Kind:
        if name not in _names_in(tuple(__path__)):
            raise KeyError(name)
        module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
        kind: Kind = module.KIND
        return kind

    def __iter__(self) -> Iterator[str]:
        return iter(_names_in(tuple(__path__)))

    def __len__(self) -> int:
        return len(_names_in(tuple(__path__)))


@cache
def _names_in(folders: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(folders)))


KINDS = Kinds()
