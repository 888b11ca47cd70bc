"""Replayed estimates of a policy by rate, as its compile stores them in the evidence."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Sample(enum.Enum):
    """Which requests an estimate replays.

    They are held out from every search, or are those of the compile.
    """

    KEPT_BACK = "kept-back"
    IN_SAMPLE = "in-sample"


class Standing(enum.Enum):
    """Result of comparing an estimate with its SLO by its 95 % interval.

    PASS, FAIL: the whole interval meets or misses the SLO. UNDECIDED: it includes the SLO.
    OVERLOADED: the server cannot keep up.
    """

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"
    OVERLOADED = "overloaded"


@dataclass(frozen=True)
class ByHand:
    """The best fixed setting that a user could choose at a rate, and its percentile of latency.

    change_ppm: percentile of the policy relative to that of this setting, minus 1 [1e-6].
    cost_change_ppm: the same for the cost of a request; None if requests cost only time.
    is_overloaded: 1 if the server is overloaded with this setting, so that all other fields are
    meaningless; else 0.
    """

    name: str
    tail_us: int
    change_ppm: int
    is_overloaded: int
    cost_change_ppm: int | None

    def __post_init__(self) -> None:
        if self.is_overloaded not in (0, 1):
            raise ValueError("`is_overloaded` must be 0 or 1")


@dataclass(frozen=True)
class RateEstimate:
    """Estimate of the latency percentile of an SLO under one arrival process; not a verdict.

    slo: number of the SLO from 0. low_us, high_us: the 95 % interval of the percentile; None if
    there are too few requests for an upper limit. by_hand: the best fixed setting for comparison;
    None if the policy has nothing that a user could set.
    """

    slo: int
    arrivals: str
    rate_mrps: int
    tail_us: int
    low_us: int
    high_us: int | None
    standing: Standing
    by_hand: ByHand | None


@dataclass(frozen=True)
class Estimates:
    """Estimated percentiles of a policy at every rate, with the number of requests and replays."""

    sample: Sample
    requests: int
    repeats: int
    replicates: int
    requests_per_replay: int
    rows: tuple[RateEstimate, ...]
