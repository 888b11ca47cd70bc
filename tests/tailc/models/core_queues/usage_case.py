"""Helpers of test_usage.py that other tests use too."""

import numpy as np

from tailc.artifact.envelope import Policy
from tailc.forms.tail_table import Sleep
from tailc.specs.slo import Slo
from tailc.traces.profile import DemandProfile, Measure
from tests.tailc.models.core_queues.servers import tail_table
from tests.tailc.verify.policies import EVIDENCE, READING

# 10 ms at 1 GHz; two requests at once need 2 GHz.
TABLE = tail_table(
    (0, 10_000_000, 20_000_000, 30_000_000), bound_us=20_000, cores=2, sleep=Sleep(100, 0)
)


def policy(*forms, slos: tuple[Slo, ...] = (Slo(950_000, 20_000),), reading=READING) -> Policy:
    return Policy("clocks", "rubik", 1, slos, (50_000,), forms or (TABLE,), (), reading, EVIDENCE)


def alike(work_ms: float = 10, memory_ms: float | None = None, requests: int = 2000):
    memory = None if memory_ms is None else np.full(requests, memory_ms)
    return DemandProfile(
        np.full(requests, work_ms),
        np.ones(requests, np.int64),
        np.ones((1, 1)),
        np.zeros(requests, np.int32),
        (),
        Measure.DEMAND_BUSY,
        "core",
        memory,
    )
