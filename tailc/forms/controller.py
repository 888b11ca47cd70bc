"""The controller form: scale the ages of climbs by the measured tail, once per epoch.

A controller scales the ages at which requests climb: at output 1 the ladder's rows apply as
written, at 0 every request starts on its row's last rung. The law is a PID controller in velocity
form with gains that are scheduled by the arrival rate,

    e(k) = target - measured(k)
    u(k) = u(k-1) + kp (e(k) - e(k-1)) + ki e(k) + kd (e(k) - 2 e(k-1) + e(k-2)),

clamped to the output's range (after Haque et al., MICRO 2017, section 4.2, who leave the form and
the sign open: a larger threshold makes the tail longer, so the error is the target minus the
measured tail). Only changes are added, so neither a switch of gains nor a clamp makes the output
jump. All values are whole numbers and no step rounds, so every runtime computes the same.
"""

from __future__ import annotations

import enum
import itertools
from bisect import bisect_right
from dataclasses import dataclass, field, replace

from tailc.forms.ladder.table import Climb, Ladder, Row

PPM = 1_000_000
# The sum of a step is within 2^29 (2 + 1 + 4) (2^31 - 1) + 2^41, which is below 2^63.
LARGEST_ERROR_US = 2**31 - 1
LARGEST_GAIN = 2**29
# With these numbers of bits, millionths are distinct and survive a round trip.
FEWEST_FRACTION_BITS, MOST_FRACTION_BITS = 21, 40
# A runtime stores this many latencies, and sorts them once per epoch.
LARGEST_WINDOW = 1_000_000
# Ages up to this one, times an output, fit into 64 bits.
LARGEST_AGE_US = 2**43


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)


class Actuator(enum.Enum):
    """What the output of a feedback controller scales.

    It is the ages of a ladder's climbs, or the latency bound of a tail table.
    """

    CLIMB_AGES = "climb-ages"
    LATENCY_BOUND = "latency-bound"


LARGEST_OUTPUT_PPM = {Actuator.CLIMB_AGES: PPM, Actuator.LATENCY_BOUND: 2 * PPM}


@dataclass(frozen=True)
class GainRow:
    """Gains of a controller from an arrival rate (inclusive) up to that of the next row.

    kp, ki, kd: change of the output per microsecond of error, in units of 2^-fraction_bits; any may
    be negative.
    """

    first_rate_mrps: int
    kp: int
    ki: int
    kd: int

    def __post_init__(self) -> None:
        _require(self.first_rate_mrps >= 0, "`first_rate_mrps` must not be negative")
        gains = (self.kp, self.ki, self.kd)
        _require(
            all(abs(g) <= LARGEST_GAIN for g in gains), "`kp`, `ki` and `kd` must be -2^29 to 2^29"
        )


@dataclass(frozen=True)
class Controller:
    """A controller that sets an output from the measured tail, once per epoch of completions.

    After every `epoch_requests` completions the runtime measures the percentile of the last
    `window_requests` latencies, and the arrival rate since the last step, and takes a step.
    `percentile_ppm` and `target_us` are the percentile and its target. The output starts at
    `first_ppm` and stays between `least_ppm` and `most_ppm` [millionths].
    """

    acts_on: Actuator = field(metadata={"since": 2})
    percentile_ppm: int
    target_us: int
    epoch_requests: int
    window_requests: int
    first_ppm: int
    least_ppm: int
    most_ppm: int
    fraction_bits: int
    gains: tuple[GainRow, ...]

    def __post_init__(self) -> None:
        _require(0 < self.percentile_ppm < PPM, "`percentile_ppm` must be 1 to 999,999")
        _require(0 < self.target_us <= LARGEST_ERROR_US, "`target_us` must be 1 to 2^31 - 1")
        _require(self.epoch_requests > 0, "`epoch_requests` must be at least 1")
        held = self.epoch_requests <= self.window_requests <= LARGEST_WINDOW
        _require(held, "`window_requests` must be `epoch_requests` to 1,000,000")
        most_ppm = LARGEST_OUTPUT_PPM[self.acts_on]
        ordered = 0 <= self.least_ppm <= self.first_ppm <= self.most_ppm <= most_ppm
        message = f"0 <= `least_ppm` <= `first_ppm` <= `most_ppm` <= {most_ppm:,} must hold"
        _require(ordered, message)
        bits = self.fraction_bits
        _require(
            FEWEST_FRACTION_BITS <= bits <= MOST_FRACTION_BITS, "`fraction_bits` must be 21 to 40"
        )
        _require(bool(self.gains), "`gains` must not be empty")
        _require(
            self.gains[0].first_rate_mrps == 0, "`first_rate_mrps` of the first gains must be 0"
        )
        rates = [row.first_rate_mrps for row in self.gains]
        _require(
            all(a < b for a, b in itertools.pairwise(rates)),
            "`first_rate_mrps` must increase from gains to gains",
        )


@dataclass(frozen=True)
class ControlState:
    """State of a controller: its output in units of 2^-fraction_bits, and the last two errors [us].

    Errors are None before the first step.
    """

    output: int
    error_us: int | None = None
    error_before_us: int | None = None


def first_state(controller: Controller) -> ControlState:
    """Make the state of a controller before its first measurement."""
    return ControlState(_fixed_point(controller, controller.first_ppm))


def step(
    controller: Controller, state: ControlState, measured_us: int, rate_mrps: int
) -> ControlState:
    """Take a step of a feedback controller, after an epoch with the tail `measured_us`.

    `rate_mrps` is the arrival rate since the last step (`arrival_rate_mrps`). The first step
    assumes that earlier errors were the same. Raises ValueError for negative arguments.
    """
    if min(measured_us, rate_mrps) < 0:
        raise ValueError("the measured tail and the rate must not be negative")
    error = max(controller.target_us - measured_us, -LARGEST_ERROR_US)
    before = error if state.error_us is None else state.error_us
    earlier = before if state.error_before_us is None else state.error_before_us
    gains = gains_at(controller, rate_mrps)
    moved = gains.kp * (error - before) + gains.ki * error
    moved += gains.kd * (error - 2 * before + earlier)
    least, most = (_fixed_point(controller, c) for c in (controller.least_ppm, controller.most_ppm))
    return ControlState(max(min(state.output + moved, most), least), error, before)


def gains_at(controller: Controller, rate_mrps: int) -> GainRow:
    """Gains of a controller that apply at an arrival rate [1/1000 s]."""
    firsts = [row.first_rate_mrps for row in controller.gains]
    return controller.gains[bisect_right(firsts, rate_mrps) - 1]


def percent_per_ms(gain: int, fraction_bits: int) -> float:
    """Convert a gain for display: percent of the output per ms of error."""
    return gain * 100 * 1_000 / (1 << fraction_bits)


def arrival_rate_mrps(arrivals: int, elapsed_us: int) -> int:
    """Arrival rate of a number of requests in a time, rounded down [1/1000 s].

    elapsed_us: the time [us]; 0 counts as 1.
    """
    return arrivals * 10**9 // max(elapsed_us, 1)


def output_ppm(controller: Controller, state: ControlState) -> int:
    """The output of a controller in millionths, rounded to the nearest, halves up.

    At the limits it is exactly `least_ppm` or `most_ppm`, before the first step `first_ppm`, and it
    never exceeds the limits: fraction bits separate millionths, and rounding preserves their order.
    """
    half = 1 << (controller.fraction_bits - 1)
    return (state.output * PPM + half) >> controller.fraction_bits


def scaled_age_us(age_us: int, by_ppm: int) -> int:
    """Scale a climb age by a controller's output, rounded down to a microsecond."""
    return age_us * by_ppm // PPM


def scaled_row(row: Row, by_ppm: int) -> Row:
    """Scale the climb ages of a row; of equal ages the climb to the highest rung remains."""
    rung_at = {scaled_age_us(climb.age_us, by_ppm): climb.rung for climb in row.climbs}
    return replace(row, climbs=tuple(Climb(*pair) for pair in rung_at.items()))


def scaled_ladder(ladder: Ladder, by_ppm: int) -> Ladder:
    """Scale the climb ages of a ladder, in which a runtime then looks up."""
    return replace(ladder, rows=tuple(scaled_row(row, by_ppm) for row in ladder.rows))


def _fixed_point(controller: Controller, share_ppm: int) -> int:
    return (share_ppm << controller.fraction_bits) // PPM
