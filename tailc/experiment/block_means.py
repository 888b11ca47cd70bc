"""Means of what follows one another, with intervals from resampled blocks.

Blocks are as many steps long as there are blocks, about: a phase spans steps, and blocks keep them
together (moving blocks; Kunsch, Annals of Statistics 1989).
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
class ErrorOf:
    """A mean, of absolute errors or of what differs, in millionths, and its 95 % interval."""

    ppm: int
    low_ppm: int
    high_ppm: int

    def __post_init__(self) -> None:
        assert self.low_ppm <= self.ppm <= self.high_ppm


# Of a 95 % interval.
LOW, HIGH = 0.025, 0.975


def error_of(errors: NDArray[np.float64], seed: int, number: int, replicates: int) -> ErrorOf:
    """The mean of the errors, with its interval; `number` tells draws with one seed apart."""
    means = [float(errors[at].mean()) for at in resampled(len(errors), seed, number, replicates)]
    mean = float(errors.mean())
    low, high = np.quantile(means, [LOW, HIGH])
    return ErrorOf(in_ppm(mean), min(in_ppm(low), in_ppm(mean)), max(in_ppm(high), in_ppm(mean)))


def resampled(steps: int, seed: int, number: int, replicates: int) -> Iterator[NDArray[np.int64]]:
    """For each replicate the steps that it is made of, as many as there are."""
    length = max(math.isqrt(steps), 1)
    blocks = -(-steps // length)
    drawn = streams.stream(seed, number, Purpose.RESAMPLE)
    for _ in range(replicates):
        starts = [int(streams.uniform(drawn) * (steps - length + 1)) for _ in range(blocks)]
        yield (np.array(starts)[:, None] + np.arange(length)).ravel()[:steps]


def in_ppm(value: float) -> int:
    """In whole millionths."""
    return round(float(value) * PPM)
