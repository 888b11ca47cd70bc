"""Helpers of test_energy.py that other tests use too."""

from __future__ import annotations

from typing import Any

from tailc.forms.controller import scaled_ladder
from tailc.tuning.core_types_space import STARTS, core_types_space
from tailc.tuning.tuning_problem import TuningProblem, ladder_subject
from tests.tailc.tuning.core_case import (
    MS,
    clocked,
    exponential,
)

MEAN_MS = 20.0
TARGET_US = 75 * MS
LOAD = exponential(2_000, MEAN_MS)
SLOW, FAST = clocked(10_000 * MS), clocked(0)


def tuning_problem(earlier=scaled_ladder, base: Any = SLOW) -> TuningProblem:
    return TuningProblem(
        base=base,
        load=LOAD,
        cores=1,
        capacity_of=lambda _load: 2.0,
        capacity_condition="",
        subject_of=ladder_subject,
        search_space=lambda _tail_us: core_types_space(base, TARGET_US, 1),
        starts=STARTS,
        earlier=earlier,
    )
