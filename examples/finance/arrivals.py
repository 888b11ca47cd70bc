"""Which requests come, and when: Poisson, at a steady rate or one that jumps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

HELD_OUT = Path(__file__).parent / "heldout.parquet"
SEED = 100
US_PER_S = 1e6


def steady(rate: int, seconds: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows of `heldout.parquet`, and whole times [us]; as many as are expected."""
    rng = np.random.default_rng(SEED + rate)
    arrival_us = np.cumsum(rng.exponential(US_PER_S / rate, round(rate * seconds)))
    return rows(rng, len(arrival_us)), arrival_us.round()


def jumping(phases: Sequence[tuple[int, int]]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The same at a rate for some seconds, then at the next, and so on."""
    rng = np.random.default_rng(SEED)
    rates, seconds = np.array(phases).T
    due = np.concatenate([[0], np.cumsum(rates * seconds)])
    begins_us = np.concatenate([[0], np.cumsum(seconds)]) * US_PER_S
    # At rate 1 they come like this; the time that passes is stretched so that rates are theirs.
    at = np.cumsum(rng.exponential(1.0, 2 * due[-1]))
    arrival_us = np.interp(at[at < due[-1]], due, begins_us)
    return rows(rng, len(arrival_us)), arrival_us.round()


def rows(rng: np.random.Generator, count: int) -> NDArray[np.int64]:
    """All held-out requests, each once, in a drawn order; and again until there are enough."""
    held_out = pq.read_table(HELD_OUT).num_rows
    passes = [rng.permutation(held_out) for _ in range(-(-count // held_out))]
    return np.concatenate(passes)[:count]
