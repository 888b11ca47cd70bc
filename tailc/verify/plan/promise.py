"""Whether a plan keeps its promise, and how many more windows would tell."""

from __future__ import annotations

import math

from tailc.experiment.ruling import Ruling
from tailc.experiment.window_means import FEWEST_WINDOWS, RULE_OF_THREE, MeanOf
from tailc.models.datacentre.quantities import Sample


def ruling_of(broken: MeanOf, promised: float) -> Ruling:
    """Pass where the share of broken promises lies below the promised one with its whole interval,
    fail where it lies above; so it does where none was to be broken and one was.
    """
    if not promised and broken.value:
        return Ruling.FAIL
    if broken.low is None or broken.high is None:
        return Ruling.UNDECIDED
    if broken.high <= promised:
        return Ruling.PASS
    return Ruling.FAIL if broken.low > promised else Ruling.UNDECIDED


def more_windows(sample: Sample, broken: MeanOf, promised: float) -> int | None:
    """Windows until the interval, which shrinks with their root, leaves the promise out.

    None where it is not known, or no number would do: there was no job to judge, the estimate is on
    the promise, or none at all may be broken.
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
