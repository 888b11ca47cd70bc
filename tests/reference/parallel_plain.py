"""Malleable jobs on green energy as they are told: all plans, one by one, in exact fractions.

Haque (PhD dissertation, Rutgers 2016), Appendix B, Figure B.3. A job runs without a break from its
start; it ends in the epoch in which its work is done, and no later than its deadline.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import inf

Schedule = tuple[int, tuple[int, ...]]


def schedules(problem, job) -> Iterator[Schedule]:
    """Every shape and row of server counts with which a job may run."""
    for at, shape in enumerate(job.shapes):
        speed = dict(zip(shape.servers.tolist(), shape.speed_ppt.tolist(), strict=True))
        for start in range(job.earliest, job.latest + 1):
            for counts in _counts(problem, job, speed, start, Fraction(job.work_left), Fraction(0)):
                yield at, (0,) * start + counts + (0,) * (problem.epochs - start - len(counts))


def _counts(problem, job, speed, epoch, left, ran_s) -> Iterator[tuple[int, ...]]:
    """All ways to run from an epoch on. Work is in thousandths times ms: speed times seconds."""
    if epoch == problem.epochs:
        return
    for servers, ppt in speed.items():
        length = int(problem.length_s[epoch])
        takes_s = left / (ppt * 1_000)
        if takes_s <= length:
            if (ran_s + takes_s) * 1_000 <= job.deadline_ms:
                yield (servers,)
        else:
            for rest in _counts(
                problem, job, speed, epoch + 1, left - ppt * 1_000 * length, ran_s + length
            ):
                yield (servers, *rest)


def cost(problem, rows) -> Fraction:
    """Of one row of server counts for each job, in micro-units."""
    total = Fraction(0)
    for t in range(problem.epochs):
        energy = Fraction(0)
        for job, row in zip(problem.jobs, rows, strict=True):
            before = row[t - 1] if t else job.present
            energy += int(problem.power_mw[row[t]]) * int(problem.length_s[t])
            energy += int(problem.moves_mj[before, row[t]])
        for green, weight in zip(problem.green_mj[:, t], problem.weight_ppm, strict=True):
            brown_kwh = max(Fraction(0), energy - int(green)) / 3_600_000_000
            total += Fraction(int(weight), 1_000_000) * brown_kwh * int(problem.brown_cost[t])
    hours = Fraction(
        sum(int(problem.length_s[t]) for row in rows for t in range(problem.epochs) if row[t]),
        3_600,
    )
    return total + problem.run_cost * hours / len(problem.jobs)


def fits(problem, rows) -> bool:
    return all(sum(row[t] for row in rows) <= problem.servers for t in range(problem.epochs))


def least_cost(problem) -> Fraction | float:
    """Of all plans; infinite if there is none."""
    every = [list(schedules(problem, job)) for job in problem.jobs]
    rows = ([row for _, row in chosen] for chosen in product(*every))
    return min((cost(problem, plan) for plan in rows if fits(problem, plan)), default=inf)
