"""Configurations of cores that are compared for one service, and the climb ages of each.

A climb moves a running request to a faster core when it reaches an age.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, cast, runtime_checkable

import numpy as np

from tailc.errors import Code, ExitCode, Finding, Place, TailcError
from tailc.forms.ladder.table import Climb, Ladder, Rule
from tailc.pipeline.solve import solve
from tailc.pipeline.spec import OpenedSpec, open_kind
from tailc.pipeline.thresholds import solve_for_ages
from tailc.pipeline.trace import open_trace, split_trace
from tailc.policies import KindSpec
from tailc.problems.thresholds import ThresholdMethod, ThresholdObjective, ThresholdProblem
from tailc.progress import silent
from tailc.specs.cores import Cores
from tailc.traces.profile import DemandProfile
from tailc.units import format_ppm, printable

US_PER_MS = 1_000
# Number of equal steps from age 0 to the age of least energy at low load.
PARTS = 64

Ages = tuple[Climb, ...]


@runtime_checkable
class CoreSpec(Protocol):
    """A spec whose server has cores of one or more types."""

    @property
    def all_cores(self) -> Cores:
        """Every core of the spec's server."""
        ...


@dataclass(frozen=True, eq=False)
class Configuration:
    """A configuration to compare: a server's cores, and the demand of the service on them.

    path: the spec as the user named it. ladder: its rungs (core types). profile: demand of the
    service, and its speeds on the rungs. problem: the problem to find climb ages of least energy.
    """

    name: str
    path: str
    cores: Cores
    percentile_ppm: int
    profile: DemandProfile
    ladder: Ladder
    problem: ThresholdProblem


def read_configurations(paths: Sequence[str]) -> tuple[Configuration, ...]:
    """Read configurations for the same requests, percentile and unit of power.

    Raises TailcError for an invalid spec, a kind without cores, or a spec that differs from the
    first.
    """
    opened = [open_kind(path) for path in paths]
    configurations = [_configuration(each) for each in opened]
    faults = [
        fault
        for each, one in zip(opened[1:], configurations[1:], strict=True)
        for fault in _differences(configurations[0], one, each)
    ]
    faults += _duplicate_names(configurations, opened)
    if faults:
        raise TailcError(faults)
    return tuple(configurations)


def _configuration(opened: OpenedSpec) -> Configuration:
    spec = opened.spec
    if not isinstance(spec, CoreSpec):
        message = f"the kind `{printable(spec.kind)}` has no cores to choose between"
        place = opened.loaded.place("kind")
        raise TailcError(
            Finding(
                Code.METHOD_UNFIT,
                message,
                place,
                "give specs with core types, such as `slow-to-fast`",
            )
        )
    profile = design_of(opened)
    problem = cast(ThresholdProblem, opened.kind.reduce(spec, profile))
    fixed_problem = replace(
        problem,
        objective=ThresholdObjective.EFFICIENCY,
        target_us=None,
        method=ThresholdMethod.FIXED,
        solver=None,
    )
    ladder: Ladder = opened.kind.emit(spec, fixed_problem, solve(fixed_problem))
    assert Rule.CORE_PER_REQUEST in ladder.rules
    slo = cast(KindSpec, spec).slos[0]
    named = spec.name, opened.path, spec.all_cores, slo.percentile_ppm
    return Configuration(*named, profile, ladder, _for_energy(problem))


def design_of(opened: OpenedSpec) -> DemandProfile:
    """Read the requests of a spec's trace that are not held out."""
    read = open_trace(opened)
    return read.trace.profile if read.reading.rows.split is None else split_trace(opened, read)[0]


def _for_energy(problem: ThresholdProblem) -> ThresholdProblem:
    """The problem with the objective of least energy; its target is a placeholder."""
    if problem.objective is ThresholdObjective.ENERGY:
        return problem
    exact = problem.profile.has_common_curve
    method = ThresholdMethod.DUAL if exact else ThresholdMethod.GRID
    return replace(problem, objective=ThresholdObjective.ENERGY, target_us=1, method=method)


def _differences(first: Configuration, one: Configuration, opened: OpenedSpec) -> Iterator[Finding]:
    def fault(message: str, help_: str, *keys: str | int) -> Finding:
        return Finding(Code.CONFLICT, message, opened.loaded.place(*keys), help_)

    other = f"`{printable(first.path)}`"
    if not _same_demand(first.profile, one.profile):
        yield fault(f"has a different trace than {other}", "name the same trace", "demand", "trace")
    if one.percentile_ppm != first.percentile_ppm:
        message = (
            f"has the percentile `{format_ppm(one.percentile_ppm)}`, which differs from that of "
            f"{other}"
        )
        yield fault(
            message, "use the same percentile in the first SLO of each spec", "slo", 0, "percentile"
        )
    if one.cores.unit is not first.cores.unit:
        message = f"has powers in {one.cores.unit.value}, and {other} in {first.cores.unit.value}"
        yield fault(message, "give all powers in one unit", "cores")


def _same_demand(one: DemandProfile, other: DemandProfile) -> bool:
    same = np.array_equal(one.demand_ms, other.demand_ms)
    return same and np.array_equal(one.weight, other.weight)


def _duplicate_names(
    configurations: Sequence[Configuration], opened: Sequence[OpenedSpec]
) -> Iterator[Finding]:
    names: dict[str, Place | None] = {}
    for one, each in zip(configurations, opened, strict=True):
        if one.name in names:
            message = f"two configurations have the name `{printable(one.name)}`"
            yield Finding(Code.CONFLICT, message, each.loaded.place("name"), "rename one")
        names[one.name] = None


def never_climb(configuration: Configuration) -> Ages:
    """The only row of a policy that never moves running requests to a faster core.

    A new request starts on the slowest type that has a free core.
    """
    return configuration.ladder.rows[0].climbs[:1]


def ages_at_low_load(configuration: Configuration, target_us: int) -> tuple[int, ...] | None:
    """Climb ages of least energy for a request alone: when it leaves each rung but the last [us].

    None if even the fastest cores miss the target. A climb that never happens has an age after the
    end of every request, so that the ages can be multiplied by a fraction.
    """
    try:
        problem = replace(configuration.problem, target_us=target_us)
        solution = solve_for_ages(problem, 1, silent)
    except TailcError as error:
        if error.exit_code is not ExitCode.INFEASIBLE:
            raise
        return None
    done_us = _all_done_us(configuration)
    ages_us, latest_us = [], 0
    for age_us in solution.age_us:
        latest_us = max(latest_us, done_us) if age_us is None else age_us
        ages_us.append(latest_us)
    return tuple(ages_us)


def _all_done_us(configuration: Configuration) -> int:
    """When the longest request ends on the slowest cores, without any other load [us]."""
    profile = configuration.profile
    alone_ms = profile.demand_ms / profile.curves[profile.curve_of, 0]
    return int(np.ceil(alone_ms.max() * US_PER_MS))


def scaled_climbs(ages_us: Sequence[int], part: int) -> Ages:
    """Make climbs at the fraction `part` / `PARTS` of the given ages [us].

    A climb moves a request to a faster core at an age. ages_us: ages at which requests leave each
    rung but the last. Of several climbs at one age only the highest remains.
    """
    by_age = {0: 0}
    for rung, age_us in enumerate(ages_us, start=1):
        by_age[age_us * part // PARTS] = rung
    return tuple(Climb(age_us, rung) for age_us, rung in sorted(by_age.items()))


def with_ages(configuration: Configuration, ages: Ages) -> Ladder:
    """Make a ladder for a configuration of cores that has these climbs at every load."""
    row = replace(configuration.ladder.rows[0], climbs=ages)
    return replace(configuration.ladder, rows=(row,))


def capacity(configuration: Configuration) -> float:
    """Work that all cores of a configuration do per ms [ms at reference speed], by mean speeds."""
    speeds = configuration.profile.mean_curve()
    cores = configuration.cores
    if cores.is_in_place:
        return cores.count * float(speeds[-1])
    used = [each for each in cores.types if each.name in _names(configuration.ladder)]
    return sum(each.count * float(speed) for each, speed in zip(used, speeds, strict=True))


def _names(ladder: Ladder) -> set[str]:
    return {rung.name for rung in ladder.rungs}
