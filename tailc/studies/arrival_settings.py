"""The arrival processes under which policies are compared: Poisson, bursty, daily, recorded."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from tailc.artifact.envelope import Policy
from tailc.experiment.tuned_arrivals import pattern_from_settings
from tailc.models.arrivals import Arrivals, Poisson, RecordedArrivals
from tailc.models.dispersion import FEWEST_LENGTHS, fit_bursty, window_lengths_us
from tailc.models.diurnal import DayCurve, fitted_day
from tailc.models.modulated_arrivals import Burstiness
from tailc.percentiles import PPM

# Default bursts: 50 % more requests for a fifth of the time, in spells of 50 mean gaps. The rate's
# variance is a sixteenth of its square, and its correlation time is 40 gaps.
_USUAL_IDC_PPM, _USUAL_SPELL_GAPS = 6 * PPM, 50
_US_PER_S_IN_MRPS = 10**9
# Default day: 25 % fewer requests at night and 25 % more at noon.
_USUAL_DAY = DayCurve((750_000, 1_250_000))


def comparison_arrivals(
    policy: Policy, rates_mrps: Iterable[int], recorded: RecordedArrivals | None
) -> tuple[Arrivals, ...]:
    """Make Poisson, bursty, daily and, if known, recorded arrivals, each at every rate.

    Bursts and day are those that the policy was tuned for, else those fitted to the recorded
    arrivals if there are enough, else defaults.
    """
    pattern = pattern_from_settings(dict(policy.evidence.settings))
    day = pattern if isinstance(pattern, DayCurve) else None
    if day is None and recorded is not None:
        day = fitted_day(recorded.times_ns)
    bursts = pattern if isinstance(pattern, Burstiness) else None
    rates = sorted(set(rates_mrps))
    return (
        *(Poisson(rate_mrps) for rate_mrps in rates),
        *((bursts or _bursts_at(rate_mrps, recorded)).with_rate(rate_mrps) for rate_mrps in rates),
        *((day or _USUAL_DAY).with_rate(rate_mrps) for rate_mrps in rates),
        *_recorded_at(rates, recorded),
    )


def _bursts_at(rate_mrps: int, recorded: RecordedArrivals | None) -> Burstiness:
    """Bursts with the fitted number of requests per burst, scaled to the rate."""
    usual = Burstiness(_USUAL_IDC_PPM, _round_us(_USUAL_SPELL_GAPS * _US_PER_S_IN_MRPS / rate_mrps))
    if recorded is None or len(window_lengths_us(recorded.times_ns)) < FEWEST_LENGTHS:
        return usual
    fitted = fit_bursty(recorded.times_ns).process
    stretch = fitted.rate_mrps / rate_mrps
    return replace(fitted.burstiness, spell_us=_round_us(fitted.burstiness.spell_us * stretch))


def _round_us(time_us: float) -> int:
    """Round up to three digits: a shorter spell may not reach the index of dispersion."""
    step = 10 ** max(len(str(int(time_us))) - 3, 0)
    return math.ceil(time_us / step) * step


def _recorded_at(
    rates_mrps: Sequence[int], recorded: RecordedArrivals | None
) -> Iterator[RecordedArrivals]:
    if recorded is not None:
        yield from (recorded.rescaled_to(rate_mrps) for rate_mrps in rates_mrps)
