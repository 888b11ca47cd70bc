"""Many percentiles of latency for plots, between and beyond those of the SLOs."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.experiment.interval import interval
from tailc.experiment.quantile import Quantile
from tailc.experiment.tail_sample import Tail, TailSample
from tailc.models.outcome import nearest_us
from tailc.percentiles import PPM

# About evenly spaced by 1 / (1 - q), which is the axis of a spectrum.
_PERCENTILES_PPM = (
    *(100_000, 250_000, 400_000, 500_000, 600_000, 700_000, 750_000, 800_000, 850_000),
    *(900_000, 925_000, 940_000, 950_000, 960_000, 970_000, 975_000, 980_000, 985_000),
    *(990_000, 992_500, 994_000, 995_000, 996_000, 997_000, 997_500, 998_000, 998_500),
    *(999_000, 999_500, 999_750, 999_900, 999_950, 999_975, 999_990),
)


def spectrum_tails(promised_ppm: Sequence[int], requests: int) -> tuple[Tail, ...]:
    """Choose the percentiles to plot: those that the sample can estimate, and those of the SLOs.

    promised_ppm: percentiles of the SLOs. requests: size of the sample.
    """
    estimable = (ppm for ppm in _PERCENTILES_PPM if (PPM - ppm) * requests >= PPM)
    return tuple(Tail(ppm) for ppm in sorted({*estimable, *promised_ppm}))


def spectrum(samples: Sequence[TailSample]) -> tuple[Quantile, ...]:
    """Compute many percentiles of latency from the same replays, each with its confidence interval.

    The estimates ascend with the percentile. The limits of separate intervals may descend; such a
    limit is moved outward, so that limits ascend too.
    """
    estimable: list[Quantile] = []
    for one in sorted(samples, key=lambda each: each.percentile_ppm):
        limits = interval(one)
        low_us, high_us = limits.low_us, limits.high_us
        if estimable and estimable[-1].low_us is not None:
            low_us = max(low_us, estimable[-1].low_us)
        if high_us is not None and estimable and estimable[-1].high_us is not None:
            high_us = max(high_us, estimable[-1].high_us)
        estimable.append(Quantile(one.percentile_ppm, limits.estimate_us, low_us, high_us))
    return tuple(estimable)


def estimates(samples: Sequence[TailSample]) -> tuple[Quantile, ...]:
    """Compute many percentiles of latency without intervals, which is much faster."""
    in_order = sorted(samples, key=lambda each: each.percentile_ppm)
    return tuple(
        Quantile(one.percentile_ppm, nearest_us(one.estimate_ns), None, None) for one in in_order
    )
