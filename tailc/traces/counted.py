"""Demands that were counted from measurements, with where they are from: what a profile holds."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace

from tailc.traces.histogram import Histogram, merged
from tailc.traces.profile import Measure

# INVARIANT: policies carry it in the note of their reading.
_POINTS_ALONE = "points of the distribution alone"


class Grain(enum.Enum):
    """How finely an input tells its times; the value is its name in a profile.

    The last two are of wide buckets, and how requests are put between the bounds of theirs.
    """

    REQUESTS = "requests"
    BUCKETS = "buckets"
    PERCENTILES = "percentiles"
    LINEAR = "linear in buckets"
    EXPONENTIAL = "exponential in buckets"


_SPREAD = (Grain.LINEAR.value, Grain.EXPONENTIAL.value)


@dataclass(frozen=True)
class Origin:
    """What was taken from inputs of one kind, and how: never which files, or how many.

    A profile of rows is the same in whatever files they stood, so this counts rows alone.

    Attributes:
        format: what the inputs were, such as `wrk2 output`.
        taken: which of their times, such as `recorded latency`.
        unit: of those times, as the inputs have them.
        grain: a value of `Grain`.
        requests: how many of the requests in the profile are from there.
        left_out: how many there were besides, which had failed.
        estimator: what made up for requests that were not sent, and how; None: nothing did.
        estimated: how many of `requests` the estimator added.
        because: why a response time was taken for demand, in the user's words; None: it was not.
    """

    format: str
    taken: str
    unit: str
    grain: str
    requests: int
    left_out: int = 0
    estimator: str | None = None
    estimated: int = 0
    because: str | None = None

    def __post_init__(self) -> None:
        Grain(self.grain)
        if self.requests < 1 or self.left_out < 0 or not 0 <= self.estimated < self.requests:
            raise ValueError("requests are counted")
        if self.estimated and self.estimator is None:
            raise ValueError("an estimator has a name")

    @property
    def sentence(self) -> str:
        """The origin in words, without its counts."""
        said = f"`{self.taken}` of {self.format}"
        if self.grain == Grain.PERCENTILES.value:
            said += f", {_POINTS_ALONE}"
        if self.grain in _SPREAD:
            said += f", {self.grain}"
        if self.estimator is not None:
            said += f", corrected by {self.estimator}"
        return said if self.because is None else f"{said}, as demand because {self.because}"


@dataclass(frozen=True, eq=False)
class Counted:
    """Requests counted by their times, what those measure, and where they are from.

    origins: sorted, each kind once; their requests add up to those of the histogram.
    """

    histogram: Histogram
    measure: Measure
    origins: tuple[Origin, ...]

    @property
    def is_of_points(self) -> bool:
        """Whether some of it tells points of its distribution alone."""
        return any(origin.grain == Grain.PERCENTILES.value for origin in self.origins)

    def __post_init__(self) -> None:
        if tuple(_added(self.origins)) != self.origins:
            raise ValueError("origins are sorted, and each is there once")
        if sum(origin.requests for origin in self.origins) != self.histogram.requests:
            raise ValueError("the origins have other numbers of requests than the histogram")


def tells_points(note: str | None) -> bool:
    """Whether the note of a reading, which has origins in words, names one of percentiles."""
    return note is not None and _POINTS_ALONE in note


def together(parts: Sequence[Counted]) -> Counted:
    """All the requests of profiles that measure the same thing, one or more."""
    measures = {part.measure for part in parts}
    if len(measures) != 1:
        raise ValueError("profiles that measure different things have no sum")
    origins = [origin for part in parts for origin in part.origins]
    histogram = merged([part.histogram for part in parts])
    return Counted(histogram, measures.pop(), tuple(_added(origins)))


def _added(origins: Sequence[Origin]) -> list[Origin]:
    """One of each kind, with the counts added."""
    groups = itertools.groupby(sorted(origins, key=_order), key=_kind)
    return [_sum_of(list(group)) for _, group in groups]


def _sum_of(group: list[Origin]) -> Origin:
    return replace(
        group[0],
        requests=sum(origin.requests for origin in group),
        left_out=sum(origin.left_out for origin in group),
        estimated=sum(origin.estimated for origin in group),
    )


def _kind(origin: Origin) -> Origin:
    return replace(origin, requests=1, left_out=0, estimated=0)


def _order(origin: Origin) -> tuple[str, ...]:
    return tuple(str(part) for part in astuple(_kind(origin)))
