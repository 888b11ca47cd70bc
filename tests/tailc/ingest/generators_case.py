"""Helpers of test_generators.py that other tests use too."""

import numpy as np
import pytest

from tailc.ingest.ingest import ingest
from tests.tailc.ingest.refusal import OPEN, options


def written(folder, text, name="run"):
    path = folder / name
    path.write_text(text)
    return path


def read(path, stated=OPEN, **given):
    """The times in ms as the profile has them, what was read, and the warnings' codes."""
    found = ingest([str(path)], options(**given), stated)
    histogram = found.counted.histogram
    times = np.repeat(histogram.demand_ns, histogram.count) / 1e6
    return times.tolist(), found.inputs[0].times, [each.code for each in found.warnings]


def near(times):
    # A bucket is 1/1024 of its value wide.
    return pytest.approx(times, rel=2**-10)
