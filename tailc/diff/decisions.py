"""Find the requests of a trace that a runtime treats differently under two policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.diff import lookups
from tailc.diff.causes import Cause
from tailc.diff.rows import matched_labels
from tailc.experiment.experiment import Experiment
from tailc.experiment.replications import Replication
from tailc.experiment.scenario import Scenario
from tailc.forms.ladder.table import Ladder
from tailc.models.execution_model import Subject
from tailc.models.outcome import NS_PER_US, Outcome, nearest_us
from tailc.models.shared_cores.model import SharedCores
from tailc.percentiles import PPM

MOST_EXAMPLES = 5


_CAUSE_OF = {
    lookups.STARTS_EARLIER: Cause.STARTS_EARLIER,
    lookups.STARTS_LATER: Cause.STARTS_LATER,
    lookups.FIRST_RUNG: Cause.FIRST_RUNG,
    lookups.CLIMBS_EARLIER: Cause.CLIMBS_EARLIER,
    lookups.CLIMBS_LATER: Cause.CLIMBS_LATER,
}


@dataclass(frozen=True)
class Share:
    """Number of requests whose decisions changed under one arrival process, by first cause."""

    arrivals: str
    requests: int
    by_cause: tuple[tuple[Cause, int], ...]

    @property
    def changed_requests(self) -> int:
        """Number of requests with a changed decision of any cause."""
        return sum(count for _, count in self.by_cause)

    @property
    def share_ppm(self) -> int:
        """Share of requests with a changed decision, of all requests [1e-6]."""
        return round(self.changed_requests * PPM / self.requests)


@dataclass(frozen=True)
class Example:
    """An example of a changed decision: one request, at the first decision that differs.

    similar_requests: number of requests with the same kind of change. old, new: names of the rungs
    that both policies choose, or None if the decision was whether to start.
    """

    arrivals: str
    cause: Cause
    similar_requests: int
    demand_us: int
    in_system: int
    waited_us: int
    executed_us: int
    old: str | None
    new: str | None


@dataclass(frozen=True)
class Decisions:
    """Changed decisions of two policies by arrival process, with the most frequent examples.

    unknown: why no decisions can be compared; empty if they can.
    """

    shares: tuple[Share, ...] = ()
    examples: tuple[Example, ...] = ()
    unknown: str = ""

    @property
    def requests(self) -> int:
        """Number of replayed requests, over all arrival processes."""
        return sum(share.requests for share in self.shares)

    @property
    def changed_requests(self) -> int:
        """Number of requests with a changed decision, under all arrival processes."""
        return sum(share.changed_requests for share in self.shares)


@dataclass(frozen=True, eq=False)
class DecisionRecords:
    """Columns with one item per request that two policies treat differently, at its first change.

    what: number of the cause. load: number in the system. demand_ns, waited_ns, executed_ns: demand
    of the request, and its wait and run time up to the decision.
    """

    arrivals: str
    what: NDArray[np.int8]
    load: NDArray[np.int64]
    old_rung: NDArray[np.int32]
    new_rung: NDArray[np.int32]
    demand_ns: NDArray[np.int64]
    waited_ns: NDArray[np.int64]
    executed_ns: NDArray[np.int64]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DecisionRecords):
            return NotImplemented
        pairs = zip(astuple(self), astuple(other), strict=True)
        return all(np.array_equal(one, another) for one, another in pairs)

    def __hash__(self) -> int:
        return hash((self.arrivals, self.what.tobytes()))


@dataclass(frozen=True, eq=False)
class MatchingPolicies:
    """Two policies on the same rungs, so that each look-up of one can be repeated in the other.

    old, new: the policies, each with the server that it runs on.
    """

    old: SharedCores
    new: SharedCores


def match_policies(old: Subject, new: Subject) -> MatchingPolicies | str:
    """Pair two policies so that look-ups of one can be repeated in the other.

    Returns the reason as text if that is impossible.
    """
    if why := new.lookups_depend_on or old.lookups_depend_on:
        return why
    if not (isinstance(old, SharedCores) and isinstance(new, SharedCores)):
        return "the policies are for different execution models"
    return _describe_mismatch(old.ladder, new.ladder) or MatchingPolicies(old, new)


def _describe_mismatch(before: Ladder, after: Ladder) -> str:
    if before.quantum_us != after.quantum_us:
        return "requests look up their rung at different times, because the quanta differ"
    names, others = matched_labels(before, after)
    if names != others or before.cost_units != after.cost_units:
        return "the policies run requests on different rungs"
    if [rung.cost_ppm for rung in before.rungs] != [rung.cost_ppm for rung in after.rungs]:
        return "rungs of the same name have different costs"
    return ""


def record_decisions(
    places: MatchingPolicies, experiment: Experiment, outcomes: Sequence[Outcome], repeats: int
) -> DecisionRecords | None:
    """Find the first decision on each request in which NEW differs, along the replay of OLD.

    None if each of the first `repeats` replays was stopped early.
    """
    replications = experiment.replications.repeats[:repeats]
    whole = [
        pair
        for pair in zip(replications, outcomes[:repeats], strict=True)
        if not pair[1].was_cut_off
    ]
    if not whole:
        return None

    def one(replication: Replication, outcome: Outcome) -> DecisionRecords:
        return _record_replication(places, experiment.scenario, replication, outcome)

    parts = list(experiment.workers.map(one, *zip(*whole, strict=True)))
    names = ("what", "load", "old_rung", "new_rung", "demand_ns", "waited_ns", "executed_ns")
    columns = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
    return DecisionRecords(experiment.scenario.arrivals.name, *columns)


def _record_replication(
    places: MatchingPolicies, scenario: Scenario, replication: Replication, outcome: Outcome
) -> DecisionRecords:
    start_ns = outcome.arrival_ns + outcome.wait_ns
    order = replication.order
    history = lookups.History(
        outcome.arrival_ns,
        start_ns,
        outcome.arrival_ns + outcome.latency_ns,
        places.old.ladder_of_each(order),
        places.new.ladder_of_each(order),
    )
    limits = scenario.arrivals.rate_mrps, scenario.most_in_system, scenario.cut_off_us
    old, new = (one.engine(*limits).arrays for one in (places.old, places.new))
    noted = lookups.find_differences(history, old, new)
    part = outcome.measured
    return DecisionRecords(
        scenario.arrivals.name,
        noted.what[part],
        noted.load[part],
        noted.old_rung[part],
        noted.new_rung[part],
        scenario.workload.work_ns[order][part],
        np.minimum(noted.at_ns - outcome.arrival_ns, outcome.wait_ns)[part],
        np.maximum(noted.at_ns - start_ns, 0)[part],
    )


def decisions(points: Sequence[DecisionRecords | None], rung_names: Sequence[str]) -> Decisions:
    """Summarise how often the two compared policies decide differently, by arrival process.

    Arrival processes that overload OLD, the first policy, are left out.
    """
    records = [point for point in points if point is not None]
    if not records:
        return Decisions(unknown="the server is overloaded under the old policy")
    return Decisions(tuple(map(_share, records)), tuple(_examples(records, rung_names)))


def _share(point: DecisionRecords) -> Share:
    counts = np.bincount(point.what, minlength=len(_CAUSE_OF) + 1)
    by_cause = tuple((cause, int(counts[number])) for number, cause in _CAUSE_OF.items())
    return Share(point.arrivals, len(point.what), by_cause)


def _examples(points: Sequence[DecisionRecords], rung_names: Sequence[str]) -> list[Example]:
    """The request of median demand of each of the most frequent kinds.

    A kind is a cause and the two answers. Ties go to the lower kind, and to the earlier request.
    """
    rungs = len(rung_names)
    kinds = [
        (point.what.astype(np.int64) * rungs + point.old_rung) * rungs + point.new_rung
        for point in points
    ]
    pooled = np.concatenate(
        [kind[point.what != lookups.SAME] for kind, point in zip(kinds, points, strict=True)]
    )
    distinct, counts = np.unique(pooled, return_counts=True)
    chosen = np.lexsort((distinct, -counts))[:MOST_EXAMPLES]
    return [
        _example(points, kinds, int(distinct[place]), int(counts[place]), rung_names)
        for place in chosen
    ]


def _example(
    points: Sequence[DecisionRecords],
    kinds: Sequence[NDArray[np.int64]],
    kind: int,
    count: int,
    rung_names: Sequence[str],
) -> Example:
    where = [np.flatnonzero(of_kind == kind) for of_kind in kinds]
    demand_ns = np.concatenate(
        [point.demand_ns[places] for point, places in zip(points, where, strict=True)]
    )
    middle = int(np.argsort(demand_ns, kind="stable")[(count - 1) // 2])
    for point, places in zip(points, where, strict=True):
        if middle < len(places):
            return _format_example(point, int(places[middle]), count, rung_names)
        middle -= len(places)
    raise AssertionError


def _format_example(
    point: DecisionRecords, number: int, count: int, rung_names: Sequence[str]
) -> Example:
    cause = _CAUSE_OF[int(point.what[number])]
    is_start = cause in (Cause.STARTS_EARLIER, Cause.STARTS_LATER)
    return Example(
        point.arrivals,
        cause,
        count,
        nearest_us(int(point.demand_ns[number])),
        int(point.load[number]),
        int(point.waited_ns[number]) // NS_PER_US,
        int(point.executed_ns[number]) // NS_PER_US,
        None if is_start else rung_names[int(point.old_rung[number])],
        None if is_start else rung_names[int(point.new_rung[number])],
    )
