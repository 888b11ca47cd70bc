"""What a policy carries of the replays that its compile judged it by, rate by rate."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Sample(enum.Enum):
    """Which requests were replayed: some that no search saw, or those that it was made from."""

    KEPT_BACK = "kept-back"
    IN_SAMPLE = "in-sample"


class Standing(enum.Enum):
    """How an estimate stands to the SLO: its whole interval within or beyond it, or neither."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"
    OVERLOADED = "overloaded"


@dataclass(frozen=True)
class ByHand:
    """The best setting that a user could pick by hand at a rate, and its percentile.

    change_ppm: of the policy's percentile relative to this one's. cost_change_ppm: likewise of what
    a request costs besides time; None where that is nothing. Neither tells anything where
    `is_overloaded`, 1 if the server does not keep up with it, is not 0.
    """

    name: str
    tail_us: int
    change_ppm: int
    is_overloaded: int
    cost_change_ppm: int | None

    def __post_init__(self) -> None:
        if self.is_overloaded not in (0, 1):
            raise ValueError("a setting by hand is overloaded, 1, or not, 0")


@dataclass(frozen=True)
class RateEstimate:
    """The percentile of an SLO, by its number from 0, under one arrival process: no verdict.

    low_us, high_us: its 95 % interval; None where the requests are too few to have an upper limit.
    by_hand: None where nothing could be set by hand.
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
    """Every rate, and how many requests were replayed how often."""

    sample: Sample
    requests: int
    repeats: int
    replicates: int
    requests_per_replay: int
    rows: tuple[RateEstimate, ...]
