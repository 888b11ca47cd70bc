"""Helpers of test_usage.py that other tests use too."""

import numpy as np

from tailc.artifact.envelope import Policy
from tailc.forms.controller import Actuator, Controller, GainRow
from tailc.specs.slo import Slo
from tailc.traces.profile import DemandProfile, Measure
from tests.tailc.models.core_types.servers import PPM
from tests.tailc.verify.policies import EVIDENCE, READING

STILL = Controller(
    Actuator.CLIMB_AGES, 990_000, 80_000, 100, 200, PPM // 2, 0, PPM, 32, (GainRow(0, 0, 0, 0),)
)


def policy(*forms) -> Policy:
    slos = (Slo(990_000, 80_000),)
    return Policy("amp", "slow-to-fast", 1, slos, (20_000,), forms, (), READING, EVIDENCE)


def alike(work_ms: float = 100, requests: int = 2000) -> DemandProfile:
    return DemandProfile(
        np.full(requests, work_ms),
        np.ones(requests, np.int64),
        np.ones((1, 1)),
        np.zeros(requests, np.int32),
        (),
        Measure.DEMAND_BUSY,
        "core",
    )
