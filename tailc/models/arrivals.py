"""Open-loop arrival processes: sources of ascending arrival times."""

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
    """A law or a recording of arrival times, which can generate them for a replay.

    `is_recorded` is true if the times are measured data, which would differ on another day.
    Generated times follow a known law, so more replications reduce their noise without limit.
    """

    @property
    def name(self) -> str:
        """Name of the arrival process in reports, such as `40/s`."""
        ...

    @property
    def rate_mrps(self) -> int:
        """Mean rate, in thousandths of a request per second."""
        ...

    @property
    def is_recorded(self) -> bool:
        """Whether the arrival times were measured rather than generated."""
        ...

    @property
    def has_constant_rate(self) -> bool:
        """Whether the distribution of the arrival times does not change over time."""
        ...

    @property
    def record_of(self) -> NDArray[np.int32] | None:
        """Number of the trace record (request) of each arrival.

        None if records come in random order.
        """
        ...

    @property
    def stretches(self) -> tuple[tuple[int, int], ...]:
        """Ranges of arrivals (first, last + 1); a percentile is reported for each range."""
        ...

    def arrival_ns(self, state: NDArray[np.uint64], requests: int) -> NDArray[np.int64]:
        """Return ascending arrival times [ns].

        requests: number of arrivals to return; a process with a fixed end returns its own number.
        state: state of the random generator.
        """
        ...

    def warm_up(self, requests: int) -> int:
        """Number of warm-up arrivals, which are not measured, if a replay has `requests`."""
        ...


class Pattern(Protocol):
    """An arrival process without its mean rate, such as bursts with their burstiness."""

    @property
    def words(self) -> str:
        """The pattern in command-line syntax, such as `bursty:idc=8,spell=2s,busy=20%`."""
        ...

    def with_rate(self, rate_mrps: int) -> Arrivals:
        """The arrival process with this mean rate.

        Raises TailcError if the pattern is impossible at this rate.
        """
        ...


# One in this many requests is warm-up from an empty server and is not measured.
WARM_UP_PART = 20
# The last requests of a burst show the steady state (Haque et al., ASPLOS 2015, section 6).
SETTLED_REQUESTS = 100
# A rate profile with more arrivals is cut off here. One with fewer expected arrivals is refused.
MOST_ARRIVALS = 1_000_000
FEWEST_ARRIVALS = 100
# Times [ns] up to this fit into 64 bits. A longer replay is a mistake of the user.
LONGEST_YEARS = 10
LONGEST_NS = LONGEST_YEARS * 366 * 86_400 * 10**9
# A Poisson count never exceeds its mean by this many standard deviations.
_BEYOND_ANY_COUNT = 10
_US_PER_S_IN_MRPS = streams.NS_PER_S_IN_MRPS // NS_PER_US


def is_too_long(requests: float, rate_mrps: float) -> bool:
    """Whether a number of requests at a mean rate take more than `LONGEST_YEARS`."""
    return requests * streams.NS_PER_S_IN_MRPS > rate_mrps * LONGEST_NS


@dataclass(frozen=True)
class Poisson:
    """Poisson arrivals: independent requests at a constant mean rate, of any number."""

    rate_mrps: int
    is_recorded = False
    has_constant_rate = True
    record_of = None
    stretches = ()

    def __post_init__(self) -> None:
        assert self.rate_mrps > 0

    @property
    def name(self) -> str:
        return format_mrps(self.rate_mrps)

    def arrival_ns(self, state: NDArray[np.uint64], requests: int) -> NDArray[np.int64]:
        times_ns = np.empty(requests, np.int64)
        streams.poisson_arrivals(state, self.rate_mrps, times_ns)
        return times_ns

    def warm_up(self, requests: int) -> int:
        """Number of warm-up requests of a replay, which are not measured: one twentieth of all."""
        return requests // WARM_UP_PART


@dataclass(frozen=True)
class Burst:
    """One burst: a number of requests and the rate at which they arrive."""

    requests: int
    rate_mrps: int

    def __post_init__(self) -> None:
        assert self.requests > 0
        assert self.rate_mrps > 0

    def __str__(self) -> str:
        return f"{self.requests}@{format_mrps(self.rate_mrps)}"


@dataclass(frozen=True)
class Bursts:
    """Successive bursts at different rates, with Poisson arrivals in each.

    settled: number of requests at the end of a burst for which percentiles are reported.

    Source: Haque et al., ASPLOS 2015, section 6.
    """

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
        return "bursts " + ", ".join(str(burst) for burst in self.bursts)

    @property
    def requests(self) -> int:
        """Number of requests in all bursts of the arrival process."""
        return sum(burst.requests for burst in self.bursts)

    @property
    def rate_mrps(self) -> int:
        """Mean arrival rate [requests in 1,000 s]: requests of all bursts / mean duration."""
        span = sum(Fraction(burst.requests, burst.rate_mrps) for burst in self.bursts)
        return round(self.requests / span)

    @property
    def stretches(self) -> tuple[tuple[int, int], ...]:
        """Ranges of the requests for which a percentile is reported, one for each burst.

        Each has the last `settled` requests of the burst, or all if it has fewer.
        """
        ends = itertools.accumulate(burst.requests for burst in self.bursts)
        return tuple(
            (end - min(self.settled, burst.requests), end)
            for burst, end in zip(self.bursts, ends, strict=True)
        )

    def arrival_ns(self, state: NDArray[np.uint64], requests: int) -> NDArray[np.int64]:  # noqa: ARG002
        """Draw the arrival times of all bursts [ns], the first burst first.

        requests: ignored; the bursts determine the number. state: state of the random generator.
        """
        times_ns = np.empty(self.requests, np.int64)
        first, now_ns = 0, 0
        for burst in self.bursts:
            part = times_ns[first : first + burst.requests]
            streams.poisson_arrivals(state, burst.rate_mrps, part)
            part += now_ns
            first, now_ns = first + burst.requests, int(part[-1])
        return times_ns

    def warm_up(self, requests: int) -> int:  # noqa: ARG002
        """Number of warm-up requests: 0, because the first burst should find an empty server."""
        return 0


@dataclass(frozen=True)
class RateStep:
    """A constant arrival rate and how long it lasts. Rate 0 means no arrivals."""

    duration_us: int
    rate_mrps: int

    def __post_init__(self) -> None:
        assert self.duration_us > 0
        assert self.rate_mrps >= 0


def mean_requests(steps: tuple[RateStep, ...]) -> float:
    """Expected number of arrivals in all steps of an arrival rate."""
    return sum(step.duration_us * step.rate_mrps for step in steps) / _US_PER_S_IN_MRPS


@dataclass(frozen=True)
class RateProfile:
    """Poisson arrivals whose rate changes in steps; a replay always runs the whole profile.

    most_requests: largest number of arrivals; later ones are left out.
    """

    steps: tuple[RateStep, ...]
    most_requests: int = MOST_ARRIVALS
    is_recorded = False
    has_constant_rate = False
    record_of = None
    stretches = ()

    def __post_init__(self) -> None:
        assert self.mean_requests >= FEWEST_ARRIVALS

    @property
    def name(self) -> str:
        """Name of the arrival process in reports: number of steps, lowest and highest rate."""
        rates = [step.rate_mrps for step in self.steps]
        span = f"{format_mrps(min(rates))} to {format_mrps(max(rates))}"
        return f"profile of {len(self.steps)} step{'s' * (len(self.steps) > 1)}, {span}"

    @property
    def mean_requests(self) -> float:
        """Expected number of arrivals in the whole rate profile."""
        return mean_requests(self.steps)

    @property
    def rate_mrps(self) -> int:
        """Mean rate of the whole profile in thousandths per second, at least 1."""
        length_us = sum(step.duration_us for step in self.steps)
        return max(round(self.mean_requests * _US_PER_S_IN_MRPS / length_us), 1)

    def arrival_ns(self, state: NDArray[np.uint64], requests: int) -> NDArray[np.int64]:  # noqa: ARG002
        """Draw the arrival times of the whole rate profile [ns]; their number is random.

        requests: ignored. state: state of the random generator.
        """
        room = self.mean_requests + _BEYOND_ANY_COUNT * math.sqrt(self.mean_requests)
        times_ns = np.empty(min(math.ceil(room), self.most_requests), np.int64)
        length_ns = np.array([step.duration_us * NS_PER_US for step in self.steps], np.int64)
        rate_mrps = np.array([step.rate_mrps for step in self.steps], np.int64)
        count = streams.stepwise_arrivals(state, length_ns.cumsum(), rate_mrps, times_ns)
        return times_ns[:count]

    def warm_up(self, requests: int) -> int:  # noqa: ARG002
        """Number of warm-up requests: 0, because the whole profile of rates is measured."""
        return 0


@dataclass(frozen=True, eq=False)
class RecordedArrivals:
    """Measured arrivals that replays repeat exactly.

    times_ns: arrival times, ascending from 0. record_of: number of the trace record (request) of
    each arrival, int32 (arrivals,); None if records come in random order. source: name of the data
    in reports, such as the column that they were read from. chosen_mrps: rate to which a user
    scaled the times [1/1000 s]; None: the recorded rate.
    """

    times_ns: NDArray[np.int64]
    record_of: NDArray[np.int32] | None
    source: str
    chosen_mrps: int | None = None
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
        """Name in reports: the source, and the rate if the user chose one."""
        at = "" if self.chosen_mrps is None else f" at {format_mrps(self.chosen_mrps)}"
        return f"recorded `{self.source}`{at}"

    @property
    def rate_mrps(self) -> int:
        """Mean rate of the recording, in thousandths of a request per second."""
        if self.chosen_mrps is not None:
            return self.chosen_mrps
        return round((len(self.times_ns) - 1) * streams.NS_PER_S_IN_MRPS / int(self.times_ns[-1]))

    def rescaled_to(self, rate_mrps: int) -> RecordedArrivals:
        """Scale the times so that the mean rate is `rate_mrps`.

        Raises TailcError if the arrivals then take more than `LONGEST_YEARS`.
        """
        assert rate_mrps > 0
        gaps = len(self.times_ns) - 1
        if is_too_long(gaps, rate_mrps):
            message = f"{gaps} gaps at {format_mrps(rate_mrps)} take over {LONGEST_YEARS} years"
            raise TailcError(Finding(Code.USAGE, message, help="rescale to a higher rate"))
        span_ns = max(gaps * streams.NS_PER_S_IN_MRPS / rate_mrps, 1.0)
        times_ns = np.rint(self.times_ns * (span_ns / int(self.times_ns[-1]))).astype(np.int64)
        return replace(self, times_ns=times_ns, chosen_mrps=rate_mrps)

    def arrival_ns(self, state: NDArray[np.uint64], requests: int) -> NDArray[np.int64]:  # noqa: ARG002
        """The recorded arrival times [ns]; both arguments are ignored."""
        return self.times_ns

    def warm_up(self, requests: int) -> int:
        """Number of warm-up requests: one twentieth, as the recorded server was already busy."""
        return requests // WARM_UP_PART


def check_times(arrival_ns: NDArray[np.int64]) -> None:
    """Raise TailcError (USAGE) if the arrivals span more than `LONGEST_YEARS`.

    Checks the greatest time, not the last: times beyond 64 bits wrap round to early ones.
    """
    latest_ns = int(arrival_ns.max(initial=0))
    if latest_ns > LONGEST_NS:
        message = f"`{len(arrival_ns)}` requests at these arrivals take over {LONGEST_YEARS} years"
        hint = "replay fewer requests, or a higher rate"
        raise TailcError(Finding(Code.USAGE, message, help=hint))
