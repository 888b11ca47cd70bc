"""Small problems of malleable jobs, drawn from a seed."""

import math

import numpy as np
from tailc_solvers.green.parallel.problem import (
    ParallelJob,
    ParallelProblem,
    Shape,
    moves_of,
    whole,
)
from tailc_solvers.green.parallel.schedules import Column, ScheduleRule

from tests.reference import parallel_plain


def shape(draw: np.random.Generator, requested: int, vms: int, servers: int) -> Shape:
    counts = [n for n in range(1, servers + 1) if n <= vms <= 4 * n]
    picked = draw.random(len(counts)) < 0.7
    kept = [n for n, keep in zip(counts, picked, strict=True) if keep or n == requested]
    kept = kept or counts[:1]
    speed = [int(1_000 * n ** draw.uniform(0.5, 1.0)) for n in kept]
    return Shape.from_counts(vms, kept, np.maximum.accumulate(speed))


def job(draw: np.random.Generator, epochs: int, length_s: int, servers: int) -> ParallelJob:
    requested = int(draw.integers(1, 3))
    shapes = tuple(shape(draw, requested, f * requested, servers) for f in (2, 4))
    speed = int(1_000 * requested**0.8)
    work = int(draw.uniform(0.3, 2.2) * length_s * 1_000 * speed)
    slack = int(draw.choice([1_000, 1_100, 1_500, 2_500]))
    if draw.random() < 0.3:
        run_ms = int(draw.integers(1, 100_000))
        return ParallelJob(
            shapes[:1],
            work,
            requested,
            speed,
            slack,
            work_done=run_ms * speed,
            run_ms=run_ms,
            present=int(draw.integers(1, servers + 1)),
        )
    earliest = int(draw.integers(0, epochs - 1))
    latest = min(epochs - 1, earliest + int(draw.integers(0, 2)))
    return ParallelJob(shapes, work, requested, speed, slack, earliest, latest)


def small_problem(seed: int, *, forecasts: int = 1) -> ParallelProblem:
    """Two or three jobs on four servers in four epochs."""
    draw = np.random.default_rng(seed)
    T, C = 4, 4
    length = whole(draw.integers(60, 120, T)) if draw.random() < 0.5 else np.full(T, 100)
    jobs = tuple(job(draw, T, 100, C) for _ in range(int(draw.integers(2, 4))))
    power = np.concatenate([[0], np.sort(draw.integers(20_000, 120_000, C))]).astype(np.int64)
    moves = moves_of(
        np.arange(C + 1) * int(draw.choice([0, 300_000])), at_the_ends=bool(draw.random() < 0.5)
    )
    weights = np.full(forecasts, 1_000_000 // forecasts)
    weights[0] += 1_000_000 - weights.sum()
    return ParallelProblem(
        length_s=length.astype(np.int64),
        servers=C,
        power_mw=power,
        moves_mj=moves,
        green_mj=draw.integers(0, 16_000_000, (forecasts, T)),
        weight_ppm=weights.astype(np.int64),
        brown_cost=draw.integers(0, 300_000, T),
        run_cost=int(draw.choice([0, 20_000, 300_000])),
        jobs=jobs,
    )


def feasible_problem(seed: int) -> ParallelProblem:
    """The first small problem from a seed on whose jobs all have a schedule alone."""
    while True:
        problem = small_problem(seed)
        if all(any(parallel_plain.schedules(problem, job)) for job in problem.jobs):
            return problem
        seed += 1_000_003


def solvable_problem(seed: int) -> ParallelProblem:
    """The first small problem from a seed on that has a plan."""
    while math.isinf(parallel_plain.least_cost(feasible_problem(seed))):
        seed += 1
    return feasible_problem(seed)


def brimful_problem(seed: int) -> ParallelProblem:
    """Jobs of one count each, laid on nine servers first and then given windows around that.

    A schedule that is best by itself hardly ever leaves room for the others.
    """
    draw = np.random.default_rng(seed)
    T, C, length_s = 20, 9, 900
    speed = {2: 1_900, 3: 2_800, 4: 3_500, 5: 4_200}
    free, jobs = np.full(T, C), []
    for _ in range(300):
        n, epochs = int(draw.choice([*speed])), int(draw.integers(2, 7))
        begin = int(draw.integers(0, T - epochs + 1))
        if (free[begin : begin + epochs] < n).any():
            continue
        free[begin : begin + epochs] -= n
        earliest = max(0, begin - int(draw.integers(0, 5)))
        latest = min(T - epochs, begin + int(draw.integers(0, 5)))
        work = speed[n] * epochs * length_s * 1_000
        one = Shape.from_counts(2 * n, [n], [speed[n]])
        jobs.append(ParallelJob((one,), work, n, speed[n], 1_000, earliest, latest))
    sun = np.maximum(0.0, np.sin(np.linspace(0, np.pi, T)))
    return ParallelProblem(
        length_s=np.full(T, length_s),
        servers=C,
        power_mw=30_000 * np.arange(C + 1),
        moves_mj=moves_of(600_000 * np.arange(C + 1), at_the_ends=False),
        green_mj=whole([np.rint(sun * C * 30_000 * length_s).astype(np.int64)]),
        weight_ppm=whole([1_000_000]),
        brown_cost=np.full(T, 105_500),
        run_cost=2_500,
        jobs=tuple(jobs),
    )


def obeys(column: Column, rule: ScheduleRule) -> bool:
    """Whether a schedule is one that a rule on its job leaves."""
    return (
        rule.shape in (None, column.shape)
        and rule.least_epochs <= len(column.servers) <= rule.most_epochs
        and all(one.least <= column.servers_at(one.epoch) <= one.most for one in rule.counts)
    )
