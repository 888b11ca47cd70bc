"""Replayed estimates of a policy by rate, as its compile stores them in the evidence."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Sample(enum.Enum):
    """Which requests were replayed: those withheld from every search, or those of the compile."""

    KEPT_BACK = "kept-back"
    IN_SAMPLE = "in-sample"


class Standing(enum.Enum):
    """How an estimate and its 95 % interval compare with the SLO; or the server is overloaded."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"
    OVERLOADED = "overloaded"


@dataclass(frozen=True)
class ByHand:
    """The best setting that a user could choose by hand at a rate, and its percentile.

    change_ppm: change of the policy's percentile from this one. cost_change_ppm: the same for the
    cost of a request; None if there is no cost other than time. is_overloaded: 1 if the server is
    overloaded with this setting, so that the other figures are meaningless; else 0.
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
    """Estimate of the percentile of an SLO under one arrival process; it is not a verdict.

    slo: number of the SLO from 0. low_us, high_us: its 95 % interval; None if there are too few
    requests for an upper limit. by_hand: None if nothing can be set by hand.
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
    """Estimates at every rate, with the number of requests and of replications."""

    sample: Sample
    requests: int
    repeats: int
    replicates: int
    requests_per_replay: int
    rows: tuple[RateEstimate, ...]
