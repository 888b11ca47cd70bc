"""Helpers of test_borrowing.py that other tests use too."""

import numpy as np

from tailc.problems.borrowing import (
    Borrowing,
    BorrowingProblem,
)
from tailc.traces.profile import DemandProfile, Measure

MS = 1_000
MEAN_MS = 6.0


def exponential(count: int = 1_000) -> DemandProfile:
    return alike(-MEAN_MS * np.log(1 - (np.arange(count) + 0.5) / count))


def alike(demand_ms: np.ndarray) -> DemandProfile:
    count = len(demand_ms)
    parts = np.ones(count, np.int64), np.ones((1, 1)), np.zeros(count, np.int32), ()
    return DemandProfile(demand_ms, *parts, Measure.DEMAND_BUSY, "a core")


def problem(**changes) -> BorrowingProblem:
    parts = {
        "profile": exponential(),
        "cores": 1,
        "interference": 400_000,
        "batch_slowdown_ppm": None,
        "borrowing": Borrowing.FIXED,
        "budget_us": None,
        "is_by_load": False,
        "keeps_last": False,
        "charges_harm": False,
        "release_us": 2,
        "percentile_ppm": 990_000,
        "target_us": 100 * MS,
        "rates_mrps": (40_000, 100_000),
    }
    return BorrowingProblem(**(parts | changes))
