"""Policy kinds: one folder each, found by a scan; kinds never import one another."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from tailc.specs.clocked import ClockedDemandSpec
from tailc.specs.common import DemandSpec, SpeedupSpec
from tailc.specs.days import DaysAsked
from tailc.specs.fields import SpecModel
from tailc.specs.serial_spec import SerialSpec
from tailc.specs.slo import EndToEnd, Slo
from tailc.specs.throughput import ThroughputSpec

if TYPE_CHECKING:
    from pathlib import Path

    from tailc.specs.load import LoadedSpec


class KindSpec(Protocol):
    """What a compile asks of a spec, whatever its kind."""

    @property
    def name(self) -> str:
        """Name of the policy."""
        ...

    @property
    def kind(self) -> str:
        """Name of the kind."""
        ...

    @property
    def demand(self) -> DemandSpec | ClockedDemandSpec | ThroughputSpec | DaysAsked:
        """Where demand, or throughput, was measured, or which days of jobs and energy to plan."""
        ...

    @property
    def speedup(self) -> SpeedupSpec | None:
        """None where `demand` gives it, by timings, or has none."""
        ...

    @property
    def slos(self) -> tuple[Slo, ...]:
        """Of latency; the first is the search's. None for throughput."""
        ...

    @property
    def end_to_ends(self) -> tuple[EndToEnd | None, ...]:
        """For each of `slos` what users are promised whose requests wait for several servers."""
        ...

    @property
    def rates_mrps(self) -> tuple[int, ...]:
        """Arrival rates that the policy is for."""
        ...

    @property
    def max_degree(self) -> int | None:
        """The largest degree that the trace is read for; None: all there are."""
        ...

    @property
    def serial(self) -> SerialSpec | None:
        """The serial beginning and end of requests; None: they have none."""
        ...

    def with_search(self, overrides: Mapping[str, object]) -> KindSpec:
        """The spec with some fields of its search replaced."""
        ...


EVERY = "*"


@dataclass(frozen=True)
class SoftLine:
    """A line of a spec that its writer may give way on where no policy meets all of them.

    path: its keys; EVERY is each item of a list. is_raised: whether a larger value is less strict.
    below: a line that it may not exceed; how far it gives ends there. furthest: how many times as
    much, or as little, is thought of.
    """

    path: tuple[str, ...]
    is_raised: bool = True
    below: tuple[str | int, ...] | None = None
    furthest: int = 8


# A latency in another unit than was meant is a thousand times too strict.
LATENCIES = SoftLine(("slo", EVERY, "latency"), furthest=1_000_000)
TARGET = SoftLine(("target",), below=("slo", 0, "latency"), furthest=1_000_000)


def as_written(spec: Any, loaded: LoadedSpec, folder: Path | None) -> Any:  # noqa: ARG001
    """A spec that names no files is complete, and warns of nothing."""
    return spec, ()


def without_controller(spec: Any, loaded: LoadedSpec) -> None:
    """What is chosen stays, whatever is measured."""


def not_asked(spec: Any) -> None:
    """No spec of the kind can ask for it."""


@dataclass(frozen=True)
class AutoChoice:
    """What a spec says of the method `auto`: its effort, and in which part of resamples of the
    trace the table may lose to a setting that could be picked by hand.
    """

    effort: str
    risk_ppm: int


@dataclass(frozen=True)
class AutoTuning:
    """What a spec says of the method `auto` where its candidates are the settings by hand: the
    effort with which the best of them is tuned on replays.
    """

    effort: str


@dataclass(frozen=True)
class Tuned:
    """Tables of the kind can be tuned on the replay.

    `aim(spec)` is what a spec asks them to be tuned for (a TuningObjective), or None; `best(spec)`
    is an AutoChoice or an AutoTuning where that is by the method `auto`, else None.
    """

    aim: Callable[..., Any]
    best: Callable[..., AutoChoice | AutoTuning | None] = not_asked
    is_possible: ClassVar[bool] = True


@dataclass(frozen=True)
class Untuned:
    """Nothing of the kind is tuned on the replay."""

    is_possible: ClassVar[bool] = False

    def aim(self, spec: Any) -> None:
        """No spec of the kind can ask for it."""

    def best(self, spec: Any) -> None:
        """No spec of the kind can ask for it."""


@dataclass(frozen=True)
class Kind:
    """What a folder here exposes as `KIND`: the name that specs use, and what the compiler calls.

    `candidates(spec)` are the specs of a sweep, `reduce(spec, design)` states the problem of one on
    what was measured, `emit(spec, problem, solution)` turns its solution into the kind's form.

    `complete(spec, loaded, folder)` fills a spec in from files that it names, which gives the spec
    and warnings. `control(spec, loaded)` says what a controller shall do (a ControlProblem, to be
    tuned for) or is the Controller; None where there shall be none. `tuning` says what a table
    shall be tuned for on the replay, `overload(spec)` what it shall hold under overload (an
    OverloadObjective), or None, and `robust(spec)` how far off its inputs may be (an Ambiguity), or
    None. `soft_lines` are those that may give where no policy meets the spec. `speeds_by_degree`:
    whether a speed-up curve goes by degrees of parallelism; else by rungs.
    """

    name: str
    spec_model: type[SpecModel]
    candidates: Callable[..., Any]
    reduce: Callable[..., Any]
    emit: Callable[..., Any]
    complete: Callable[..., Any] = as_written
    control: Callable[..., Any] = without_controller
    tuning: Tuned | Untuned = Untuned()
    overload: Callable[..., Any] = not_asked
    robust: Callable[..., Any] = not_asked
    soft_lines: tuple[SoftLine, ...] = ()
    speeds_by_degree: bool = True


class Kinds(Mapping[str, Kind]):
    """The kinds by name, in order of name; each is imported when it is looked up."""

    def __getitem__(self, name: str) -> Kind:
        if name not in self._names():
            raise KeyError(name)
        module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
        kind: Kind = module.KIND
        return kind

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def _names(self) -> list[str]:
        return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__))


KINDS = Kinds()
