"""Which requests of a trace a runtime would run otherwise, and what it would do."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.diff import lookups
from tailc.diff.causes import Cause
from tailc.diff.paired import Replays
from tailc.diff.rows import matched_labels
from tailc.experiment.setting import Draw
from tailc.forms.ladder.table import Rule
from tailc.models.outcome import Outcome, nearest_us
from tailc.models.shared_cores.arrays import NS_PER_US, Lowered
from tailc.models.subject import Subject
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
    """How many of the requests replayed under one arrival process run otherwise, by first cause."""

    arrivals: str
    requests: int
    by_cause: tuple[tuple[Cause, int], ...]

    @property
    def otherwise(self) -> int:
        """Of all causes."""
        return sum(count for _, count in self.by_cause)

    @property
    def share_ppm(self) -> int:
        """Of all requests."""
        return round(self.otherwise * PPM / self.requests)


@dataclass(frozen=True)
class Example:
    """One request at its first different answer.

    stands_for: how many requests differ in the same way. old, new: the rungs' names, or None where
    the question was whether it may start.
    """

    arrivals: str
    cause: Cause
    stands_for: int
    demand_us: int
    in_system: int
    waited_us: int
    executed_us: int
    old: str | None
    new: str | None


@dataclass(frozen=True)
class Decisions:
    """By arrival process, and examples of the most frequent kinds of difference.

    `unknown` says why nothing is told, or is empty.
    """

    shares: tuple[Share, ...] = ()
    examples: tuple[Example, ...] = ()
    unknown: str = ""

    @property
    def requests(self) -> int:
        """Under all arrival processes."""
        return sum(share.requests for share in self.shares)

    @property
    def otherwise(self) -> int:
        """Requests that run otherwise, under all arrival processes."""
        return sum(share.otherwise for share in self.shares)


@dataclass(frozen=True, eq=False)
class Asked:
    """What was noted under one arrival process: one entry a request, of all replays."""

    arrivals: str
    what: NDArray[np.int8]
    load: NDArray[np.int64]
    old_rung: NDArray[np.int32]
    new_rung: NDArray[np.int32]
    demand_ns: NDArray[np.int64]
    waited_ns: NDArray[np.int64]
    executed_ns: NDArray[np.int64]


def incomparable(old: Subject, new: Subject) -> str:
    """Why the look-ups of one policy cannot be asked of the other; empty where they can."""
    if old.clocks is not None or new.clocks is not None:
        return "at which frequency a core runs hangs on all requests that it holds"
    before, after = old.ladders[0], new.ladders[0]
    if Rule.CORE_PER_REQUEST in (*before.rules, *after.rules):
        return "what a request on a core of its own does hangs on which others are free"
    if before.quantum_us != after.quantum_us:
        return "requests look up their rung at other times, for the quanta differ"
    names, others = matched_labels(before, after)
    if names != others or before.cost_units != after.cost_units:
        return "the policies run requests on different rungs"
    if [rung.cost_ppm for rung in before.rungs] != [rung.cost_ppm for rung in after.rungs]:
        return "rungs of the same name cost otherwise"
    return ""


def asked(
    replays: Replays,
    draws: Sequence[Draw],
    outcomes: Sequence[Outcome],
    subjects: tuple[Subject, Subject],
    workers: Executor,
) -> Asked | None:
    """What NEW answers to OLD's replays; None where every replay of OLD was given up."""

    def one(draw: Draw, outcome: Outcome) -> Asked:
        return _asked(replays, draw, outcome, subjects)

    whole = [pair for pair in zip(draws, outcomes, strict=False) if not pair[1].was_cut_off]
    if not whole:
        return None
    parts = list(workers.map(one, *zip(*whole, strict=True)))
    names = ("what", "load", "old_rung", "new_rung", "demand_ns", "waited_ns", "executed_ns")
    columns = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
    return Asked(replays.setting.arrivals.name, *columns)


def _asked(
    replays: Replays, draw: Draw, outcome: Outcome, subjects: tuple[Subject, Subject]
) -> Asked:
    start_ns = outcome.arrival_ns + outcome.wait_ns
    order = draw.order
    history = lookups.History(
        outcome.arrival_ns,
        start_ns,
        outcome.arrival_ns + outcome.latency_ns,
        *(_ladder_of(subject, order) for subject in subjects),
    )
    old, new = replays.tables
    assert isinstance(old, Lowered)
    assert isinstance(new, Lowered)
    noted = lookups.ask(history, old, new)
    part = outcome.measured
    return Asked(
        replays.setting.arrivals.name,
        noted.what[part],
        noted.load[part],
        noted.old_rung[part],
        noted.new_rung[part],
        replays.setting.load.work_ns[order][part],
        np.minimum(noted.at_ns - outcome.arrival_ns, outcome.wait_ns)[part],
        np.maximum(noted.at_ns - start_ns, 0)[part],
    )


def _ladder_of(subject: Subject, order: NDArray[np.int32]) -> NDArray[np.int32]:
    if subject.ladder_of is None:
        return np.zeros(len(order), np.int32)
    return subject.ladder_of[order]


def decisions(points: Sequence[Asked | None], rung_names: Sequence[str]) -> Decisions:
    """Shares and examples; a point where OLD never keeps up is left out."""
    told = [point for point in points if point is not None]
    if not told:
        return Decisions(unknown="the server is overloaded under the old policy")
    return Decisions(tuple(map(_share, told)), tuple(_examples(told, rung_names)))


def _share(point: Asked) -> Share:
    counts = np.bincount(point.what, minlength=len(_CAUSE_OF) + 1)
    by_cause = tuple((cause, int(counts[number])) for number, cause in _CAUSE_OF.items())
    return Share(point.arrivals, len(point.what), by_cause)


def _examples(points: Sequence[Asked], rung_names: Sequence[str]) -> list[Example]:
    """Of each of the most frequent kinds the request of median demand.

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
    found, counts = np.unique(pooled, return_counts=True)
    chosen = np.lexsort((found, -counts))[:MOST_EXAMPLES]
    return [
        _example(points, kinds, int(found[place]), int(counts[place]), rung_names)
        for place in chosen
    ]


def _example(
    points: Sequence[Asked],
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
            return _told(point, int(places[middle]), count, rung_names)
        middle -= len(places)
    raise AssertionError


def _told(point: Asked, number: int, count: int, rung_names: Sequence[str]) -> Example:
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
