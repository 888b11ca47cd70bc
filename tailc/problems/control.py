"""What a controller shall do, before its gains are known."""

from __future__ import annotations

import enum
import itertools
from dataclasses import dataclass

from tailc.errors import Place

# The measured tail is noisy, and thresholds that follow its noise cost energy: a quarter more than
# fixed ones at 1.6 on a server of eight slow cores and a fast one, a sixth at 1.2.
MAX_SENSITIVITY = 1.2


class Structure(enum.Enum):
    """Which terms a controller has."""

    PI = "pi"
    PID = "pid"


@dataclass(frozen=True)
class Gains:
    """Change of what is set by ms of error, at each epoch.

    The user's set the first threshold, in ms; those of a loop the output that scales all.
    """

    kp: float
    ki: float
    kd: float

    @property
    def parts(self) -> tuple[float, float, float]:
        """kp, ki, kd."""
        return self.kp, self.ki, self.kd


@dataclass(frozen=True)
class ControlProblem:
    """Hold the percentile at `target_us` at all rates up to the largest of `rates_mrps`.

    Gains are scheduled by the rate: one set for each interval between the `boundaries_mrps`, or
    for each of so many equal parts of the rates from 0 to the largest. `gains` are the user's own,
    one set for each interval, written at `gains_at`; None: to be found, with a loop whose largest
    sensitivity is `max_sensitivity` at most. The rates are written at `rates_at`; `dropped` names
    the rungs that the spec has and the ladder has not.
    """

    percentile_ppm: int
    target_us: int
    epoch_requests: int
    window_requests: int
    structure: Structure
    rates_mrps: tuple[int, ...]
    intervals: int
    boundaries_mrps: tuple[int, ...] | None = None
    gains: tuple[Gains, ...] | None = None
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
        """The rate from which each set of gains holds; 0 first."""
        if self.boundaries_mrps is not None:
            return (0, *self.boundaries_mrps)
        top = self.rates_mrps[-1]
        parts = min(self.intervals, top)
        return tuple(_nearest(top * part, parts) for part in range(parts))

    @property
    def middle_rates_mrps(self) -> tuple[int, ...]:
        """The rate half-way through each interval, the last of which ends at the largest rate."""
        firsts = self.first_rates_mrps
        ends = (*firsts[1:], max(self.rates_mrps[-1], firsts[-1]))
        return tuple(_nearest(first + end, 2) for first, end in zip(firsts, ends, strict=True))


def _nearest(above: int, below: int) -> int:
    """The nearest whole number to the fraction; halves go up."""
    return (2 * above + below) // (2 * below)
