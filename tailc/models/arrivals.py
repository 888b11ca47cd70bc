"""When requests arrive: open-loop processes, each a source of ascending times."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, TailcError
from tailc.models import streams
from tailc.models.outcome import NS_PER_US
from tailc.units import format_mrps


class Arrivals(Protocol):
    """An arrival process.

    `is_recorded` says that the times are data, of which another day would bring others; what is
    generated follows a known law, and more replays make its noise as small as one likes.
    """

    @property
    def name(self) -> str:
        """How reports call it, such as `40/s`."""
        ...

    @property
    def rate_mrps(self) -> int:
        """Mean rate, in thousandths of a request per second."""
        ...

    @property
    def is_recorded(self) -> bool:
        """Whether the times are measured ones."""
        ...

    @property
    def has_constant_rate(self) -> bool:
        """Whether the law of the times is the same at every time."""
        ...

    @property
    def record_of(self) -> NDArray[np.int32] | None:
        """The record that each arrival is of; None: records come in random order."""
        ...

    @property
    def stretches(self) -> tuple[tuple[int, int], ...]:
        """Ranges of arrivals, first and one past the last, to tell a percentile of its own for."""
        ...

    def arrival_ns(self, state: NDArray[np.uint64], requests: int) -> NDArray[np.int64]:
        """Ascending times. `requests` is how many are wanted; a process that has an end of its
        own gives its own number.
        """
        ...

    def warm_up(self, requests: int) -> int:
        """How many of the first `requests` arrivals only fill the server and are not measured."""
        ...


class Pattern(Protocol):
    """How requests arrive, whatever their mean rate is."""

    @property
    def words(self) -> str:
        """As the command line takes it, such as `bursty:idc=8,spell=2s,busy=20%`."""
        ...

    def at(self, rate_mrps: int) -> Arrivals:
        """With this mean rate; raises TailcError where that cannot be."""
        ...


# One request in so many is warm-up, from an empty server, and is not counted.
WARM_UP_PART = 20
# What a burst has settled to is told by its last requests (Haque et al., ASPLOS 2015, section 6).
SETTLED_REQUESTS = 100
# A longer rate profile is cut here; one with fewer arrivals in the mean is not replayed.
MOST_ARRIVALS = 1_000_000
FEWEST_ARRIVALS = 100
# Times in ns fit into 64 bits with room to spare; a replay of more years is a slip of the pen.
LONGEST_YEARS = 10
LONGEST_NS = LONGEST_YEARS * 366 * 86_400 * 10**9
# A Poisson count is never seen so many standard deviations above its mean.
_BEYOND_ANY_COUNT = 10
_US_PER_S_IN_MRPS = streams.NS_PER_S_IN_MRPS // NS_PER_US


def is_too_long(requests: float, rate_mrps: float) -> bool:
    """Whether so many requests at this mean rate take more than `LONGEST_YEARS`."""
    return requests * streams.NS_PER_S_IN_MRPS > rate_mrps * LONGEST_NS


@dataclass(frozen=True)
class Poisson:
    """Independent arrivals at a constant rate, for as many requests as wanted."""

    rate_mrps: int
    is_recorded = False
    has_constant_rate = True
    record_of = None
    stretches = ()

    def __post_init__(self) -> None:
        assert self.rate_mrps > 0

    @property
    def name(self) -> str:
        """The rate."""
        return format_mrps(self.rate_mrps)

    def arrival_ns(self, state: NDArray[np.uint64], requests: int) -> NDArray[np.int64]:
        """As many as wanted."""
        times_ns = np.empty(requests, np.int64)
        streams.poisson_arrivals(state, self.rate_mrps, times_ns)
        return times_ns

    def warm_up(self, requests: int) -> int:
        """A twentieth."""
        return requests // WARM_UP_PART


@dataclass(frozen=True)
class Burst:
    """So many requests, arriving at this rate."""

    requests: int
    rate_mrps: int

    def __post_init__(self) -> None:
        assert self.requests > 0
        assert self.rate_mrps > 0

    def __str__(self) -> str:
        return f"{self.requests}@{format_mrps(self.rate_mrps)}"


@dataclass(frozen=True)
class Bursts:
    """Bursts one after another, Poisson in each (Haque et al., ASPLOS 2015, section 6)."""

    bursts: tuple[Burst, ...]
    settled: int = SETTLED_REQUESTS
    is_recorded = False
    has_constant_rate = False
    record_of = None

    def __post_init__(self) -> None:
        assert self.bursts
        assert self.settled > 0

    @property
    def name(self) -> str:
        """The bursts."""
        return "bursts " + ", ".join(str(burst) for burst in self.bursts)

    @property
    def requests(self) -> int:
        """Of all bursts."""
        return sum(burst.requests for burst in self.bursts)

    @property
    def rate_mrps(self) -> int:
        """All requests over the time they take in the mean."""
        span = sum(Fraction(burst.requests, burst.rate_mrps) for burst in self.bursts)
        return round(self.requests / span)

    @property
    def stretches(self) -> tuple[tuple[int, int], ...]:
        """The last `settled` requests of each burst, or all of a shorter one."""
        ends = itertools.accumulate(burst.requests for burst in self.bursts)
        return tuple(
            (end - min(self.settled, burst.requests), end)
            for burst, end in zip(self.bursts, ends, strict=True)
        )

    def arrival_ns(self, state: NDArray[np.uint64], requests: int) -> NDArray[np.int64]:  # noqa: ARG002
        """The requests of all bursts, however many are wanted."""
        times_ns = np.empty(self.requests, np.int64)
        first, now_ns = 0, 0
        for burst in self.bursts:
            part = times_ns[first : first + burst.requests]
            streams.poisson_arrivals(state, burst.rate_mrps, part)
            part += now_ns
            first, now_ns = first + burst.requests, int(part[-1])
        return times_ns

    def warm_up(self, requests: int) -> int:  # noqa: ARG002
        """None: the first burst meets an empty server."""
        return 0


@dataclass(frozen=True)
class Step:
    """A rate for a time; 0 is silence."""

    duration_us: int
    rate_mrps: int

    def __post_init__(self) -> None:
        assert self.duration_us > 0
        assert self.rate_mrps >= 0


def mean_requests(steps: tuple[Step, ...]) -> float:
    """How many requests arrive in the mean."""
    return sum(step.duration_us * step.rate_mrps for step in steps) / _US_PER_S_IN_MRPS


@dataclass(frozen=True)
class RateProfile:
    """Poisson arrivals whose rate changes in steps, over the whole length of the profile.

    At most `most_requests`; what would come after them is left out.
    """

    steps: tuple[Step, ...]
    most_requests: int = MOST_ARRIVALS
    is_recorded = False
    has_constant_rate = False
    record_of = None
    stretches = ()

    def __post_init__(self) -> None:
        assert self.mean_requests >= FEWEST_ARRIVALS

    @property
    def name(self) -> str:
        """Number of steps, least and greatest rate."""
        rates = [step.rate_mrps for step in self.steps]
        span = f"{format_mrps(min(rates))} to {format_mrps(max(rates))}"
        return f"profile of {len(self.steps)} step{'s' * (len(self.steps) > 1)}, {span}"

    @property
    def mean_requests(self) -> float:
        """How many requests arrive in the mean."""
        return mean_requests(self.steps)

    @property
    def rate_mrps(self) -> int:
        """Mean over the time of the profile, at least 1."""
        length_us = sum(step.duration_us for step in self.steps)
        return max(round(self.mean_requests * _US_PER_S_IN_MRPS / length_us), 1)

    def arrival_ns(self, state: NDArray[np.uint64], requests: int) -> NDArray[np.int64]:  # noqa: ARG002
        """Those of the profile, however many are wanted."""
        room = self.mean_requests + _BEYOND_ANY_COUNT * math.sqrt(self.mean_requests)
        times_ns = np.empty(min(math.ceil(room), self.most_requests), np.int64)
        length_ns = np.array([step.duration_us * NS_PER_US for step in self.steps], np.int64)
        rate_mrps = np.array([step.rate_mrps for step in self.steps], np.int64)
        count = streams.stepwise_arrivals(state, length_ns.cumsum(), rate_mrps, times_ns)
        return times_ns[:count]

    def warm_up(self, requests: int) -> int:  # noqa: ARG002
        """None: the profile is judged over its whole length."""
        return 0


@dataclass(frozen=True, eq=False)
class Recorded:
    """Measured arrivals: ascending times from 0, and the record that each is of.

    record_of: int32 (arrivals,); None: records come in random order.
    source: what they are called, such as the column that they were read from.
    """

    times_ns: NDArray[np.int64]
    record_of: NDArray[np.int32] | None
    source: str
    asked_mrps: int | None = None
    is_recorded = True
    has_constant_rate = False
    stretches = ()

    def __post_init__(self) -> None:
        assert len(self.times_ns) > 1
        assert self.times_ns[0] == 0 < self.times_ns[-1]
        assert (np.diff(self.times_ns) >= 0).all()
        assert self.record_of is None or len(self.record_of) == len(self.times_ns)

    @property
    def name(self) -> str:
        """The source, and the rate where it was chosen."""
        at = "" if self.asked_mrps is None else f" at {format_mrps(self.asked_mrps)}"
        return f"recorded `{self.source}`{at}"

    @property
    def rate_mrps(self) -> int:
        """Gaps over the time from the first to the last arrival."""
        if self.asked_mrps is not None:
            return self.asked_mrps
        return round((len(self.times_ns) - 1) * streams.NS_PER_S_IN_MRPS / int(self.times_ns[-1]))

    def rescaled_to(self, rate_mrps: int) -> Recorded:
        """The same arrivals with time stretched or shrunk so that this becomes the mean rate.

        Raises TailcError where they would take too long.
        """
        assert rate_mrps > 0
        gaps = len(self.times_ns) - 1
        if is_too_long(gaps, rate_mrps):
            message = f"{gaps} gaps at {format_mrps(rate_mrps)} take over {LONGEST_YEARS} years"
            raise TailcError(Finding(Code.USAGE, message, help="rescale to a higher rate"))
        span_ns = max(gaps * streams.NS_PER_S_IN_MRPS / rate_mrps, 1.0)
        times_ns = np.rint(self.times_ns * (span_ns / int(self.times_ns[-1]))).astype(np.int64)
        return replace(self, times_ns=times_ns, asked_mrps=rate_mrps)

    def arrival_ns(self, state: NDArray[np.uint64], requests: int) -> NDArray[np.int64]:  # noqa: ARG002
        """Those recorded, however many are wanted."""
        return self.times_ns

    def warm_up(self, requests: int) -> int:
        """A twentieth: the recording began on a server at work."""
        return requests // WARM_UP_PART


def check_times(arrival_ns: NDArray[np.int64]) -> None:
    """Raise TailcError (USAGE) for times that go on for over `LONGEST_YEARS`.

    The last time tells, but where so late ones have left 64 bits it is early again.
    """
    latest_ns = int(arrival_ns.max(initial=0))
    if latest_ns > LONGEST_NS:
        message = f"`{len(arrival_ns)}` requests at these arrivals take over {LONGEST_YEARS} years"
        hint = "replay fewer requests, or a higher rate"
        raise TailcError(Finding(Code.USAGE, message, help=hint))
