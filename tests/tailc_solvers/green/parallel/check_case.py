"""Helpers of test_check.py that other tests use too."""

from tailc_solvers.green.parallel.problem import (
    ParallelJob,
    ParallelProblem,
    Shape,
    moves_of,
    whole,
)

HOUR = 3_600
SHAPE = Shape.from_counts(2, [1, 2], [1_000, 2_000])
JOB = ParallelJob((SHAPE,), 3 * HOUR * 1_000_000, 1, 1_000, 1_000, 0, 1)
PROBLEM = ParallelProblem(
    length_s=whole([HOUR] * 5),
    servers=2,
    power_mw=whole([0, 10_000, 20_000]),
    moves_mj=moves_of([0, 360_000, 720_000], at_the_ends=False),
    green_mj=whole([[0, 18_000_000, 36_000_000, 0, 0]]),
    weight_ppm=whole([1_000_000]),
    brown_cost=whole([100_000] * 5),
    run_cost=1_000,
    jobs=(JOB,),
)
