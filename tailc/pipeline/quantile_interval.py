"""Which order statistics bracket a quantile at 95 % confidence."""

from __future__ import annotations

import math

from tailc.percentiles import PPM

# Two-sided 95 % of the normal law.
Z_95 = 1.959963984540054


def quantile_ppm_interval(percentile_ppm: int, total: int) -> tuple[int, int | None]:
    """Percentiles [ppm] of a sample of `total` that bracket the true percentile at 95 %.

    The number of values below the true percentile is binomial; its normal limits are p plus and
    minus z * sqrt(p (1 - p) / n). The upper one is None where it would lie beyond the largest
    value: the sample is too small to bound the percentile from above.
    """
    share = percentile_ppm / PPM
    spread_ppm = Z_95 * math.sqrt(share * (1 - share) / total) * PPM
    low = max(math.floor(percentile_ppm - spread_ppm), 1)
    high = math.ceil(percentile_ppm + spread_ppm) + PPM // total
    return low, (high if high <= PPM else None)
