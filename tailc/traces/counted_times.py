"""Demands counted from measurements, with their origin: the content of a profile."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace

from tailc.traces.histogram import Histogram, merge_histograms
from tailc.traces.profile import Measure

# INVARIANT: policies carry it in the note of their reading.
_POINTS_ALONE = "only some points of the distribution"


class Grain(enum.Enum):
    """Resolution of the times in an input; the value is its name in a profile.

    The last two members are histograms with wide buckets, by how requests are distributed between
    the bounds of a bucket.
    """

    REQUESTS = "requests"
    BUCKETS = "buckets"
    PERCENTILES = "percentiles"
    LINEAR = "linear in buckets"
    EXPONENTIAL = "exponential in buckets"


_SPREAD = (Grain.LINEAR.value, Grain.EXPONENTIAL.value)


@dataclass(frozen=True)
class Origin:
    """Where a profile's requests come from: how one kind of input was measured and counted.

    It names no files, so a profile does not depend on how rows are divided among files.

    format: of the inputs, such as `wrk2 output`. taken: which times of the inputs were counted,
    such as `recorded latency`. unit: of these times. grain: a value of `Grain`. requests: number of
    requests in the profile from these inputs. left_out: number of failed requests that are not in
    the profile. estimator: how missing requests of a closed loop were estimated; None if they were
    not. estimated: number of `requests` that the estimator added. because: the user's reason for
    using a response time as demand; None without one.
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
            raise ValueError("the number of requests must be whole")
        if self.estimated and self.estimator is None:
            raise ValueError("estimated requests need the name of the estimator")

    @property
    def sentence(self) -> str:
        """Format where a profile's requests come from as a sentence, without the counts."""
        said = f"`{self.taken}` of {self.format}"
        if self.grain == Grain.PERCENTILES.value:
            said += f", {_POINTS_ALONE}"
        if self.grain in _SPREAD:
            said += f", {self.grain}"
        if self.estimator is not None:
            said += f", corrected by {self.estimator}"
        return said if self.because is None else f"{said}, as demand because {self.because}"


@dataclass(frozen=True)
class CountedTimes:
    """A histogram of request times, what they measure, and their origins.

    origins: sorted, without duplicates; their numbers of requests add up to that of the histogram.
    """

    histogram: Histogram
    measure: Measure
    origins: tuple[Origin, ...]

    @property
    def is_of_points(self) -> bool:
        """Whether a part of the profile comes from percentiles only."""
        return any(origin.grain == Grain.PERCENTILES.value for origin in self.origins)

    def __post_init__(self) -> None:
        if tuple(_add_counts(self.origins)) != self.origins:
            raise ValueError("origins must be sorted and different")
        if sum(origin.requests for origin in self.origins) != self.histogram.requests:
            raise ValueError("origins and histogram differ in their number of requests")


def tells_points(note: str | None) -> bool:
    """Whether the note of a reading says that an input had only percentiles."""
    return note is not None and _POINTS_ALONE in note


def together(parts: Sequence[CountedTimes]) -> CountedTimes:
    """Merge histograms of request times that measure the same quantity; at least one is needed."""
    measures = {part.measure for part in parts}
    if len(measures) != 1:
        raise ValueError("profiles with different measures cannot be added")
    origins = [origin for part in parts for origin in part.origins]
    histogram = merge_histograms([part.histogram for part in parts])
    return CountedTimes(histogram, measures.pop(), tuple(_add_counts(origins)))


def _add_counts(origins: Sequence[Origin]) -> list[Origin]:
    """The different origins, with their counts added."""
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
