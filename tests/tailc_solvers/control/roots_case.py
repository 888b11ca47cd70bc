"""Helpers of test_roots.py that other tests use too."""

from tailc_solvers.control.plant import SampledPlant

LOW_LOAD = SampledPlant((0.125,) * 4)
PUBLISHED_GAINS = ((0.11, 0.49, 0.0), (0.15, 0.25, 0.0), (0.19, 0.17, 0.03))
