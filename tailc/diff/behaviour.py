"""Compare two policies on held-out requests: changed decisions, and the change of latency."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from tailc.artifact.envelope import Policy
from tailc.diff.change import PairedChange, compare
from tailc.diff.decisions import (
    DecisionRecords,
    Decisions,
    MatchingPolicies,
    decisions,
    match_policies,
    record_decisions,
)
from tailc.diff.paired_quantities import MeanCost
from tailc.errors import Code, Finding, TailcError
from tailc.experiment.compatibility import find_reasons_against
from tailc.experiment.experiment import experiment_for, no_tick
from tailc.experiment.options import VerifyOptions
from tailc.experiment.pairs import SubjectPairs
from tailc.experiment.server_use import is_overloaded
from tailc.experiment.sizes import DECISION_REPEATS
from tailc.experiment.spectrum import spectrum_tails
from tailc.experiment.tail_sample import Tail, tail_of
from tailc.models.arrivals import Arrivals, Poisson
from tailc.models.execution_model import CostQuantity, Subject
from tailc.models.subjects import subject_of
from tailc.tasks.engine import results_of
from tailc.threads import thread_count
from tailc.traces.profile import DemandProfile
from tailc.units import format_percentile

# Percentiles that are always reported, whatever the SLOs.
_ALWAYS_PPM = (500_000, 990_000)
# Quantities after the percentiles, in the order of comparison, with their units.
_MEANS = [("mean latency", "us"), ("threads", "milli"), ("utilization", "ppm")]


@dataclass(frozen=True)
class QuantityChange:
    """A percentile or mean of latency that two policies are compared by, with its change.

    unit: the unit of the integers. is_of_slo: whether it is the percentile of an SLO of either
    policy.
    """

    name: str
    unit: str
    change: PairedChange
    is_of_slo: bool = False


@dataclass(frozen=True)
class BehaviourPoint:
    """The change of every compared quantity under one arrival process; no changes in overload.

    spectrum: percentiles [ppm] of latency, ascending, only if pictures were requested.
    """

    arrivals: str
    rate_mrps: int
    old_is_overloaded: bool
    new_is_overloaded: bool
    quantities: tuple[QuantityChange, ...]
    spectrum: tuple[tuple[int, PairedChange], ...] = ()


_PointRecords: TypeAlias = tuple[BehaviourPoint, DecisionRecords | None]


@dataclass(frozen=True)
class Behaviour:
    """Result of replaying two policies: changed decisions, and the change of all quantities.

    held_out_digest, held_out_requests: the requests that were replayed. cut_off_us: run time at
    which requests were ended, or None.
    """

    held_out_digest: str
    held_out_requests: int
    seed: int
    requests_per_replay: int
    replicates: int
    decisions: Decisions
    points: tuple[BehaviourPoint, ...]
    cut_off_us: int | None = None


def behaviour(
    old: Policy, new: Policy, held_out: DemandProfile, options: VerifyOptions
) -> Behaviour:
    """Replay both policies on the same requests at the same times.

    Arrivals are those of the options, else Poisson at the rates of `new`, else of `old`. Raises
    TailcError if there is no rate, or the requests do not fit either policy.
    """
    _check(old, new, held_out, options)
    arrivals = _arrivals(old, new, options)
    comparison = _BehaviourComparison(old, new, held_out, options.of_task)
    points, records = zip(*_points(comparison, arrivals, options), strict=True)
    return Behaviour(
        held_out.digest,
        held_out.total_weight,
        options.seed,
        options.requests_for(held_out.total_weight),
        options.replicates,
        comparison.decisions(records),
        points,
        options.cut_off_us,
    )


def _points(
    comparison: _BehaviourComparison, arrivals: Sequence[Arrivals], options: VerifyOptions
) -> list[_PointRecords]:
    if options.engine is not None:
        work = partial(_point_alone, comparison)
        return results_of(options.engine, work, arrivals, options.progress)
    tick = _progress(len(arrivals), options)
    with ThreadPoolExecutor(thread_count(options.threads)) as workers:
        return [comparison.point(one, workers, tick) for one in arrivals]


def _point_alone(comparison: _BehaviourComparison, arrivals: Arrivals) -> _PointRecords:
    with ThreadPoolExecutor(1) as workers:
        return comparison.point(arrivals, workers, no_tick)


class _BehaviourComparison:
    """Two policies on the same requests."""

    def __init__(
        self,
        old: Policy,
        new: Policy,
        held_out: DemandProfile,
        options: VerifyOptions,
    ) -> None:
        self._options = options
        self._subjects = subject_of(old, held_out), subject_of(new, held_out)
        old_load, new_load = (subject.workload(held_out) for subject in self._subjects)
        self._workloads = old_load, new_load
        promised = [tail_of(slo, held_out) for slo in (*old.slos, *new.slos)]
        self._tails = _tails(promised, held_out, options.further_percentiles_ppm)
        self._of_slos = {name for name, tail in self._tails.items() if tail in promised}
        self._spectrum: tuple[Tail, ...] = ()
        if options.pictured:
            promised_ppm = [slo.percentile_ppm for slo in (*old.slos, *new.slos)]
            self._spectrum = spectrum_tails(promised_ppm, held_out.total_weight)
        self._cost = _cost_of_both(*self._subjects)
        self._places = match_policies(*self._subjects)

    def point(
        self, arrivals: Arrivals, workers: Executor, tick: Callable[[], None]
    ) -> _PointRecords:
        """Every quantity and the changed decisions under one arrival process."""
        pairs = self._pairs(arrivals, workers, tick)
        tails = (*self._tails.values(), *self._spectrum)
        changed_pairs = compare(pairs, tails, [MeanCost()] * (self._cost is not None))
        named, shown = len(self._tails), len(tails)
        quantities = (*changed_pairs.changes[:named], *changed_pairs.changes[shown:])
        spectrum = zip(self._spectrum, changed_pairs.changes[named:shown], strict=True)
        old, new = zip(*changed_pairs.pairs, strict=True)
        records = None
        if isinstance(self._places, MatchingPolicies):
            arguments = pairs.experiments[0], old, min(DECISION_REPEATS, len(old))
            records = record_decisions(self._places, *arguments)
        point = BehaviourPoint(
            arrivals.name,
            arrivals.rate_mrps,
            is_overloaded(arrivals, old),
            is_overloaded(arrivals, new),
            tuple(self._quantities(quantities, old[0].utilization, new[0].utilization)),
            tuple((tail.percentile_ppm, change) for tail, change in spectrum),
        )
        return point, records

    def _pairs(
        self, arrivals: Arrivals, workers: Executor, tick: Callable[[], None]
    ) -> SubjectPairs:
        old_load, new_load = self._workloads
        old = experiment_for(self._options, old_load, arrivals, workers, *self._subjects, tick=tick)
        return SubjectPairs(self._subjects, (old, old.with_workload(new_load)))

    def decisions(self, records: Sequence[DecisionRecords | None]) -> Decisions:
        """The changed decisions at all points."""
        if isinstance(self._places, MatchingPolicies):
            rungs = self._places.new.ladder.rungs
            return decisions(records, [rung.name for rung in rungs])
        return Decisions(unknown=self._places)

    def _quantities(
        self, changes: Sequence[PairedChange], *utilization: float | None
    ) -> Iterator[QuantityChange]:
        """Each change by name; no utilization if nothing limits a server."""
        cost = [] if self._cost is None else [(self._cost.name, self._cost.unit)]
        named = [(name, "us") for name in self._tails] + _MEANS + cost
        for (name, unit), change in zip(named, changes, strict=True):
            if unit != "ppm" or None not in utilization:
                yield QuantityChange(name, unit, change, name in self._of_slos)


def _cost_of_both(old: Subject, new: Subject) -> CostQuantity | None:
    """The cost of requests other than time, if it is the same quantity under both; else None."""
    return new.cost_quantity if new.cost_quantity == old.cost_quantity else None


def _tails(
    promised: Sequence[Tail], held_out: DemandProfile, also_ppm: Sequence[int]
) -> dict[str, Tail]:
    """The median, the 99th percentile, those of either policy's SLOs and of others, by name."""
    tails = {*(Tail(ppm) for ppm in (*_ALWAYS_PPM, *also_ppm)), *promised}
    ordered = sorted(tails, key=lambda tail: (-1 if tail.curve is None else tail.curve,
                                              tail.percentile_ppm))  # fmt: skip
    return {_name(tail, held_out): tail for tail in ordered}


def _name(tail: Tail, held_out: DemandProfile) -> str:
    name = format_percentile(tail.percentile_ppm)
    return name if tail.curve is None else f"{name} of class {held_out.curve_names[tail.curve]}"


def _arrivals(old: Policy, new: Policy, options: VerifyOptions) -> Sequence[Arrivals]:
    if options.arrivals is not None:
        return options.arrivals
    return [Poisson(rate_mrps) for rate_mrps in sorted(set(new.rates_mrps or old.rates_mrps))]


def _check(old: Policy, new: Policy, held_out: DemandProfile, options: VerifyOptions) -> None:
    """Raise TailcError with every reason why the two cannot be replayed on these requests."""
    findings = [
        finding
        for policy in (old, new)
        for finding in find_reasons_against(policy, held_out, options)
    ]
    if any(
        ladder.overload and ladder.overload.shed_from for ladder in (*old.ladders, *new.ladders)
    ):
        message = "a policy refuses requests, whose latencies cannot be compared one by one"
        hint = "remove `--trace`, and verify each policy"
        findings.append(Finding(Code.METHOD_UNFIT, message, help=hint))
    if not _arrivals(old, new, options):
        findings.append(
            Finding(
                Code.USAGE,
                f"policy `{new.name}` has no arrival rates, and none is given",
                help="give rates with `--rate`, or add `rates` to the spec and compile again",
            )
        )
    if findings:
        raise TailcError(list(dict.fromkeys(findings)))


def _progress(points: int, options: VerifyOptions) -> Callable[[], None]:
    total = points * (options.repeats + options.replicates)
    done = 0

    def tick() -> None:
        nonlocal done
        done += 1
        if options.progress is not None:
            options.progress(done, total)

    return tick
