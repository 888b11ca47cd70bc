"""Rule whether a plan keeps its promise, and estimate how many more windows would decide."""

from __future__ import annotations

import math

from tailc.experiment.ruling import Ruling
from tailc.experiment.window_means import FEWEST_WINDOWS, RULE_OF_THREE, WindowMean
from tailc.models.datacentre.quantities import QuantitySample


def ruling_of(broken: WindowMean, promised: float) -> Ruling:
    """Pass if the whole interval of the share of broken promises is below the promised share.

    Fail if it is above, or if no promise may be broken and one was. Otherwise undecided.
    """
    if not promised and broken.value:
        return Ruling.FAIL
    if broken.low is None or broken.high is None:
        return Ruling.UNDECIDED
    if broken.high <= promised:
        return Ruling.PASS
    return Ruling.FAIL if broken.low > promised else Ruling.UNDECIDED


def more_windows(sample: QuantitySample, broken: WindowMean, promised: float) -> int | None:
    """Number of windows after which the interval, which shrinks with their root, would decide.

    None if unknown or if no number would do: there was no job to judge, the estimate is on the
    promised share, or no promise may be broken.
    """
    count, total = len(sample.parts), float(sample.wholes.sum())
    fewest = max(FEWEST_WINDOWS - count, 1)
    if not promised or not total:
        return None
    if broken.low is None or broken.high is None:
        return fewest
    if not broken.value:
        wanted = math.ceil(RULE_OF_THREE / promised / (total / count))
        return max(wanted - count, fewest)
    apart = abs(broken.value - promised)
    if not apart:
        return None
    half = max(broken.high - broken.value, broken.value - broken.low)
    return max(math.ceil(count * (half / apart) ** 2) - count, fewest)
