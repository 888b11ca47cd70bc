"""Helpers of test_tail_loop.py that other tests use too."""

from __future__ import annotations

from tailc.experiment.tuning_objective import OptionalRule, TuningObjective
from tailc.tuning.sample_split import SampleSplit
from tailc.tuning.shared_cores_space import MOST_STARTS, shared_cores_space
from tailc.tuning.tuning_problem import TuningProblem, ladder_subject
from tests.tailc.tuning.case import CORES, MS, exponential, ladder

FREE = (OptionalRule.START_BELOW,)
LOAD = exponential(2_000, 30.0)
PARTS = SampleSplit(LOAD, LOAD)
ALONE = ladder((10_000 * MS, 20_000 * MS))
GOOD = ladder((0 + 1, 2), (5 * MS, 40 * MS), (60 * MS, 120 * MS), (120 * MS, 240 * MS))
HASTY = ladder((1, 2))


def problem_for(aim: TuningObjective) -> TuningProblem:
    return TuningProblem(
        base=ALONE,
        load=LOAD,
        cores=CORES,
        capacity_of=lambda _load: float(CORES),
        capacity_condition="",
        subject_of=ladder_subject,
        search_space=lambda tail_us: shared_cores_space(
            ALONE, tail_us, CORES, optional_rules=aim.optional_rules
        ),
        starts=MOST_STARTS,
    )
