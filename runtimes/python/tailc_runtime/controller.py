"""Controller: converts the tail of each epoch to a factor on ages of climbs or on the bound."""

from __future__ import annotations

import itertools
from bisect import bisect_right

from tailc_runtime.errors import BadMeaning
from tailc_runtime.raw import RawController

PPM = 1_000_000
LARGEST_ERROR_US = 2**31 - 1
LARGEST_GAIN = 2**29
FEWEST_FRACTION_BITS, MOST_FRACTION_BITS = 21, 40
LARGEST_AGE_US = 2**43
LARGEST_WINDOW = 1_000_000
CLIMB_AGES, LATENCY_BOUND = "climb-ages", "latency-bound"
LARGEST_OUTPUT_PPM = {CLIMB_AGES: PPM, LATENCY_BOUND: 2 * PPM}


class Controller:
    """The controller of a policy; a server calls `step` once in `epoch_requests` completions.

    The tail [us] is the percentile `percentile_ppm` of the last `window_requests` latencies; the
    rate [thousandths of a request per second] counts arrivals since the last step. `output_ppm` is
    the factor, in millionths, on the ages of climbs or on the bound of a tail table, as `acts_on`
    says; `output` is its exact value in units of 2^-`fraction_bits`.
    """

    def __init__(self, raw: RawController) -> None:
        _check(raw)
        self.acts_on = raw.acts_on
        self.percentile_ppm = raw.percentile_ppm
        self.target_us = raw.target_us
        self.epoch_requests = raw.epoch_requests
        self.window_requests = raw.window_requests
        self.fraction_bits = raw.fraction_bits
        self._least = self._fixed_point(raw.least_ppm)
        self._most = self._fixed_point(raw.most_ppm)
        self._first_rates = [row[0] for row in raw.gains]
        self._gains = [row[1:] for row in raw.gains]
        self._errors_us: tuple[int, int] | None = None
        self.output = self._fixed_point(raw.first_ppm)
        self.output_ppm = raw.first_ppm

    def step(self, measured_us: int, rate_mrps: int) -> int:
        """Make one step after an epoch with this tail and arrival rate; returns the new
        `output_ppm`.

        Raises ValueError for negative arguments and NaN, and then the state is unchanged.
        """
        if not (measured_us >= 0 and rate_mrps >= 0):
            raise ValueError("the measured tail and the rate must not be negative, nor NaN")
        error = max(self.target_us - measured_us, -LARGEST_ERROR_US)
        before, earlier = self._errors_us or (error, error)
        kp, ki, kd = self._gains[bisect_right(self._first_rates, rate_mrps) - 1]
        moved = kp * (error - before) + ki * error + kd * (error - 2 * before + earlier)
        self.output = max(min(self.output + moved, self._most), self._least)
        self._errors_us = error, before
        half = 1 << (self.fraction_bits - 1)
        self.output_ppm = (self.output * PPM + half) >> self.fraction_bits
        return self.output_ppm

    def _fixed_point(self, share_ppm: int) -> int:
        return (share_ppm << self.fraction_bits) // PPM


def _check(raw: RawController) -> None:
    _require(raw.acts_on in LARGEST_OUTPUT_PPM, f"unknown value `{raw.acts_on}` of `acts_on`")
    _require(0 < raw.percentile_ppm < PPM, "`percentile_ppm` must be 1 to 999,999")
    _require(0 < raw.target_us <= LARGEST_ERROR_US, "`target_us` must be 1 to 2^31 - 1")
    held = 0 < raw.epoch_requests <= raw.window_requests <= LARGEST_WINDOW
    _require(held, "`window_requests` must be `epoch_requests` to 1,000,000")
    top_ppm = LARGEST_OUTPUT_PPM[raw.acts_on]
    ordered = 0 <= raw.least_ppm <= raw.first_ppm <= raw.most_ppm <= top_ppm
    _require(ordered, f"0 <= `least_ppm` <= `first_ppm` <= `most_ppm` <= {top_ppm:,} must hold")
    bits = FEWEST_FRACTION_BITS <= raw.fraction_bits <= MOST_FRACTION_BITS
    _require(bits, f"`fraction_bits` must be {FEWEST_FRACTION_BITS} to {MOST_FRACTION_BITS}")
    _require(
        bool(raw.gains) and raw.gains[0][0] == 0, "`first_rate_mrps` of the first gains must be 0"
    )
    rates = [row[0] for row in raw.gains]
    _require(
        all(a < b for a, b in itertools.pairwise(rates)),
        "`first_rate_mrps` must increase from gains to gains",
    )
    largest = max(abs(gain) for row in raw.gains for gain in row[1:])
    _require(largest <= LARGEST_GAIN, "`kp`, `ki` and `kd` must be -2^29 to 2^29")


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BadMeaning(otherwise)
