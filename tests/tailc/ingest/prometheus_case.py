"""Helpers of test_prometheus.py that other tests use too."""

from pathlib import Path

import numpy as np

from tailc.ingest.ingest import ingest
from tailc.percentiles import percentile_rank
from tests.tailc.ingest.refusal import OPEN, options

SAMPLES = Path(__file__).parent / "samples"
RELATIVE_ERROR = 2**-11
SEARCH = ("handler", "/search")
OK = ("code", "200")


def taken(name, **given):
    path = SAMPLES / name if isinstance(name, str) else name
    (found,) = ingest([str(path)], options(**given), OPEN).inputs
    assert found.times is not None
    return found.times


def assert_answers(histogram, answers_s):
    """Its order statistics around each rank lie around what Prometheus answers for it."""
    reached = np.cumsum(histogram.count)
    for ppm, answer_s in answers_s.items():
        rank = percentile_rank(ppm, histogram.requests)
        before, at = histogram.demand_ns[np.searchsorted(reached, [max(rank - 1, 1), rank])] / 1e9
        assert before * (1 - RELATIVE_ERROR) <= answer_s <= at * (1 + RELATIVE_ERROR), ppm
