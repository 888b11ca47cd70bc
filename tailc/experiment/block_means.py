"""Mean errors over successive steps of a replay, with intervals from resampled blocks.

Errors of successive steps depend on each other, so whole blocks of steps are resampled. There are
about as many blocks as there are steps in a block (moving blocks; Kunsch, Annals of Statistics
1989).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.models import streams
from tailc.models.streams import Purpose
from tailc.percentiles import PPM


@dataclass(frozen=True)
class MeanError:
    """A mean of absolute errors or of differences, in millionths, with its 95 % interval."""

    ppm: int
    low_ppm: int
    high_ppm: int

    def __post_init__(self) -> None:
        assert self.low_ppm <= self.ppm <= self.high_ppm


# For a 95 % interval.
LOW, HIGH = 0.025, 0.975


def mean_error(errors: NDArray[np.float64], seed: int, number: int, replicates: int) -> MeanError:
    """Mean of errors by step, with the bootstrap interval of that mean.

    replicates: number of bootstrap samples. number: selects one of several random streams of one
    seed.
    """
    means = [
        float(errors[at].mean()) for at in bootstrap_blocks(len(errors), seed, number, replicates)
    ]
    mean = float(errors.mean())
    low, high = np.quantile(means, [LOW, HIGH])
    return MeanError(to_ppm(mean), min(to_ppm(low), to_ppm(mean)), max(to_ppm(high), to_ppm(mean)))


def bootstrap_blocks(
    steps: int, seed: int, number: int, replicates: int
) -> Iterator[NDArray[np.int64]]:
    """Draw the steps of each bootstrap replicate, in blocks of successive steps; int64 (steps,)."""
    length = max(math.isqrt(steps), 1)
    blocks = -(-steps // length)
    drawn = streams.stream(seed, number, Purpose.RESAMPLE)
    for _ in range(replicates):
        starts = [int(streams.uniform(drawn) * (steps - length + 1)) for _ in range(blocks)]
        yield (np.array(starts)[:, None] + np.arange(length)).ravel()[:steps]


def to_ppm(value: float) -> int:
    """Round a fraction to whole millionths."""
    return round(float(value) * PPM)
