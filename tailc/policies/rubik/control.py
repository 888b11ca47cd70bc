"""Convert the feedback of a rubik spec to a controller of the latency bound."""

from __future__ import annotations

from fractions import Fraction

from tailc.forms.controller import (
    FEWEST_FRACTION_BITS,
    LARGEST_GAIN,
    LARGEST_WINDOW,
    MOST_FRACTION_BITS,
    PPM,
    Actuator,
    Controller,
    GainRow,
)
from tailc.policies.rubik.spec import RubikSpec
from tailc.specs.load import LoadedSpec

# A rate in thousandths of a request per second times microseconds.
_PER_REQUEST = 10**9


def control(spec: RubikSpec, _loaded: LoadedSpec) -> Controller | None:
    """The PI controller that the spec states; None if the bound never changes.

    Its error is the target, a share of the SLO's bound, minus the measured tail. Its output, which
    begins at 1, is the share of the bound for which frequencies are chosen. An epoch and a window
    have the number of requests that arrive in their time at the highest rate, so they are no
    shorter at any other rate.
    """
    if not spec.is_steered:
        return None
    own = spec.feedback
    bound_us = spec.slos[0].latency_us
    kp, ki = own.kp / bound_us, own.ki / bound_us
    bits = _fraction_bits(max(kp, ki))
    rate_mrps = max(spec.rates_mrps)
    epoch = _requests(rate_mrps, own.epoch_us)
    return Controller(
        acts_on=Actuator.LATENCY_BOUND,
        percentile_ppm=spec.slos[0].percentile_ppm,
        target_us=max(bound_us * own.target_ppm // PPM, 1),
        epoch_requests=epoch,
        window_requests=max(epoch, _requests(rate_mrps, own.window_us)),
        first_ppm=PPM,
        least_ppm=own.least_ppm,
        most_ppm=own.most_ppm,
        fraction_bits=bits,
        gains=(GainRow(0, round(kp * 2**bits), round(ki * 2**bits), 0),),
    )


def _requests(rate_mrps: int, time_us: int) -> int:
    return min(max(rate_mrps * time_us // _PER_REQUEST, 1), LARGEST_WINDOW)


def _fraction_bits(largest: Fraction) -> int:
    """The most bits at which the largest gain is within its limit."""
    bits = range(MOST_FRACTION_BITS, FEWEST_FRACTION_BITS - 1, -1)
    return next(each for each in bits if largest * 2**each <= LARGEST_GAIN)
