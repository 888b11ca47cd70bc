"""The problem of tuning a controller that keeps a percentile at its target."""

from __future__ import annotations

import enum
import itertools
from dataclasses import dataclass

from tailc.errors import Place

# The measured tail is noisy, and thresholds that follow its noise cost energy. Compared with fixed
# ones, a server of eight slow cores and a fast one needs 1/4 more at 1.6 and 1/6 more at 1.2.
MAX_SENSITIVITY = 1.2


class ControllerTerms(enum.Enum):
    """Terms of a feedback controller: PI or PID."""

    PI = "pi"
    PID = "pid"


@dataclass(frozen=True)
class LoopGains:
    """Gains of a PID controller: change of its output in each epoch per ms of error.

    Gains that a user states change the first climb age [ms]. Gains of a tuned loop change the
    factor by which all ages are scaled.
    """

    kp: float
    ki: float
    kd: float

    @property
    def parts(self) -> tuple[float, float, float]:
        """The gains kp, ki and kd of a controller as a tuple."""
        return self.kp, self.ki, self.kd


@dataclass(frozen=True)
class ControlProblem:
    """The problem of tuning a controller that keeps a latency percentile at `target_us`.

    It must do so at all rates up to the largest. Gains are scheduled by the rate: one set for each
    interval between the `boundaries_mrps`, or for each of `intervals` equal parts of the rates from
    0 to the largest.

    Attributes:
        epoch_requests, window_requests: completions between two steps, and latencies in a
            measurement.
        structure: PI or PID.
        gains: the user's own, one set for each interval; None: to be tuned.
        gains_at, rates_at: places of the gains and of the rates in the spec.
        max_sensitivity: limit for a tuned loop.
        dropped: names of rungs that the spec has and the ladder has not.
    """

    percentile_ppm: int
    target_us: int
    epoch_requests: int
    window_requests: int
    structure: ControllerTerms
    rates_mrps: tuple[int, ...]
    intervals: int
    boundaries_mrps: tuple[int, ...] | None = None
    gains: tuple[LoopGains, ...] | None = None
    gains_at: tuple[Place, ...] = ()
    max_sensitivity: float = MAX_SENSITIVITY
    rates_at: Place | None = None
    dropped: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        assert self.rates_mrps
        assert all(a < b for a, b in itertools.pairwise(self.rates_mrps))
        assert self.intervals > 0
        assert self.gains is None or len(self.gains) == len(self.first_rates_mrps)

    @property
    def first_rates_mrps(self) -> tuple[int, ...]:
        """First arrival rate at which each set of gains applies [1/1000 s]; 0 for the first set."""
        if self.boundaries_mrps is not None:
            return (0, *self.boundaries_mrps)
        top = self.rates_mrps[-1]
        parts = min(self.intervals, top)
        return tuple(_nearest(top * part, parts) for part in range(parts))

    @property
    def middle_rates_mrps(self) -> tuple[int, ...]:
        """The middle rate of each interval; the last interval ends at the largest rate."""
        firsts = self.first_rates_mrps
        ends = (*firsts[1:], max(self.rates_mrps[-1], firsts[-1]))
        return tuple(_nearest(first + end, 2) for first, end in zip(firsts, ends, strict=True))


def _nearest(above: int, below: int) -> int:
    """The fraction rounded to the nearest whole number, halves up."""
    return (2 * above + below) // (2 * below)
