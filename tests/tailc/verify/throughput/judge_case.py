"""Helpers of test_judge.py that other tests use too."""

from __future__ import annotations

import numpy as np

from tailc.artifact.envelope import Evidence, Input, InputRole, Policy
from tailc.experiment.options import VerifyOptions
from tailc.forms.shares import Machine
from tailc.traces.profile import Measure
from tailc.traces.reading import Rows, ThroughputColumns, ThroughputReading, TimeUnit, ValueMeaning
from tailc.traces.throughput import Series, ThroughputTrace
from tests.tailc.models.cpu_shares.hosts import shares_of

STEP_US = 750_000
READING = ThroughputReading(
    ValueMeaning(Measure.THROUGHPUT, "a host", TimeUnit.S),
    Rows(),
    ThroughputColumns("throughput", "time", "machine", "share"),
)
QUICK = VerifyOptions(replicates=60)


def series(name: str, a: float, b: float, noise: float, steps: int = 200, seed: int = 1) -> Series:
    rng = np.random.default_rng(seed)
    share = rng.uniform(0.1, 0.6, steps)
    now, throughput = b / 3 / (1 - a), []
    for part in share:
        now = (a * now + b * part) * (1 + rng.uniform(-noise, noise))
        throughput.append(now)
    times = STEP_US * np.arange(1, steps + 1)
    rows, always = np.arange(1, steps + 1), np.ones(steps, np.bool_)
    return Series(name, times, np.array(throughput), share, rows, always)


def trace(*parts: Series) -> ThroughputTrace:
    return ThroughputTrace(tuple(parts), "heldout.csv", READING)


def policy(*machines: Machine, digest: str = "0" * 64, **changed: object) -> Policy:
    return Policy(
        name="host",
        kind="autopro",
        generation=1,
        slos=(),
        rates_mrps=(),
        forms=(shares_of(*machines, **changed),),
        inputs=(Input(InputRole.DESIGN, digest, 10, 10),),
        reading=READING,
        evidence=Evidence("squared-error", "least-squares", "by-definition", "x", (), 1, (), ()),
    )


ONE = Machine("one", 10_000, 200_000, 30_000)
