"""Helpers of test_judge.py that other tests use too."""

import dataclasses

from tailc.experiment.options import VerifyOptions
from tailc.models.arrivals import Poisson
from tailc.specs.slo import Slo

P99 = Slo(990_000, 100_000)
QUICK = VerifyOptions(requests_per_replay=2000, replicates=60, repeats=8, baselines=("seq",))


def options_at(*rates_mrps: int) -> VerifyOptions:
    return dataclasses.replace(QUICK, arrivals=tuple(map(Poisson, rates_mrps)))
