"""Turn a solver's server counts into a plan, checked without the solver's code.

Each job is followed second by second as in a replay: it runs without a break, on server counts that
have a speed-up, and ends within its slowdown. The plan's energy must equal that of the solution. A
violation is a bug of tailc, so it is an assertion.
"""

from __future__ import annotations

import numpy as np
from tailc_solvers.green.parallel.plan import ServerPlan as ParallelPlan
from tailc_solvers.green.parallel.solution import CostedPlan

from tailc.errors import Code, Finding, TailcError
from tailc.forms.plan.plan import (
    LARGEST_UDOLLARS,
    LARGEST_WORTH_UDOLLARS,
    Epoch,
    Malleable,
    Plan,
    PlannedJob,
    Pool,
    PoolPrices,
)
from tailc.forms.plan.spans import spans_of
from tailc.pipeline.malleable_jobs.formulation import ClusterFormulation
from tailc.pipeline.malleable_jobs.shadow_prices import ServerPrices
from tailc.problems.malleable_jobs import ClusterProblem, NamedMalleable, PlannedRun
from tailc.problems.plan import Whole
from tailc.units import plain_ppm

POOL = "cluster"


def plan_of(problem: ClusterProblem, servers: Whole, priced: ServerPrices) -> Plan:
    """Build the plan form from servers by job and epoch, int64 (jobs, epochs), and prices.

    Raises TailcError for prices larger than a plan can store.
    """
    supply = problem.supply
    _check_prices(problem, priced)
    series = (supply.green_mw, supply.brown_udollars_per_kwh, supply.brown_mg_per_kwh)
    columns = [one.tolist() for one in series]
    return Plan(
        start_unix_s=problem.start_unix_s,
        epoch_s=problem.epoch_s,
        pools=(Pool(POOL, problem.servers, problem.busy_mw, problem.asleep_mw, problem.change_mj),),
        epochs=tuple(
            Epoch(green_mw, price, carbon_mg, None)
            for green_mw, price, carbon_mg in zip(*columns, strict=True)
        ),
        jobs=tuple(
            PlannedJob(job.name, spans_of(row[None, : supply.epochs]), 0)
            for job, row in zip(problem.jobs, servers, strict=True)
        ),
        prices=(PoolPrices(tuple(priced.udollars.tolist())),),
        terms=None,
        malleable=Malleable(priced.delay_udollars, problem.slowdown_ppm),
        violations_ppm=problem.violations_ppm,
        grid_mw=problem.grid_mw,
    )


def check_placements(problem: ClusterProblem, solved: ParallelPlan) -> tuple[PlannedRun, ...]:
    """Check each job's schedule, and return its run; AssertionError if the job is too slow."""
    epochs = problem.supply.epochs
    return tuple(
        _check_placement(problem, job, row.tolist(), sorted(job.shapes)[shape], epochs)
        for job, row, shape in zip(problem.jobs, solved.servers, solved.shape.tolist(), strict=True)
    )


def check_books(formulation: ClusterFormulation, solved: CostedPlan, plan: Plan) -> None:
    """Check that the plan draws as much energy in each epoch as the solver's solution says.

    Raises AssertionError otherwise. Changes of server counts in the first epoch are not compared
    for jobs that have begun, because the plan form does not contain them.
    """
    problem = formulation.problem
    asleep_mj = problem.servers * problem.asleep_mw * problem.epoch_s
    drawn = [sum(pools) for pools in plan.drawn_mj]
    expected_mj = (solved.ledger.energy_mj[: len(drawn)] + asleep_mj).tolist()
    pairs = zip(formulation.parallel.jobs, solved.plan.servers[:, 0].tolist(), strict=True)
    moves_mj = formulation.parallel.moves_mj
    expected_mj[0] -= sum(int(moves_mj[job.present, count]) for job, count in pairs)
    assert drawn == expected_mj, "the plan uses other energy than its solution"


def _check_placement(
    problem: ClusterProblem, job: NamedMalleable, servers: list[int], vms: int, epochs: int
) -> PlannedRun:
    runs = [epoch for epoch, count in enumerate(servers) if count]
    first, past = runs[0], runs[-1] + 1
    begins = -(-job.submit_s // problem.epoch_s)
    assert begins <= first <= begins + job.may_wait, f"`{job.name}` starts at another time"
    assert len(runs) == past - first, f"`{job.name}` pauses"
    left, run_s = job.work_left, 0 if job.begun is None else job.begun.ran_s
    for count in servers[first:past]:
        speed = job.speedup_ppm[vms][count]
        assert left > 0, f"`{job.name}` runs after its end"
        took_s = min(problem.epoch_s, -(-left // speed))
        left, run_s = left - speed * took_s, run_s + took_s
    assert left <= 0, f"`{job.name}` is not finished"
    keeps = run_s <= job.longest_s(problem.slowdown_ppm)
    assert keeps or job.begun is not None, f"`{job.name}` takes longer than allowed"
    return PlannedRun(vms, run_s, past > epochs)


def _check_prices(problem: ClusterProblem, priced: ServerPrices) -> None:
    """Raise TailcError for prices above 2^28, or a total worth of 2^53 or more."""
    highest = max(int(np.max(priced.udollars)), priced.delay_udollars)
    worth = problem.servers * problem.supply.epochs * highest
    if highest <= LARGEST_UDOLLARS and worth <= LARGEST_WORTH_UDOLLARS:
        return
    message = (
        f"a server would cost {plain_ppm(highest)} dollars in an epoch, but a plan can state "
        f"{plain_ppm(LARGEST_UDOLLARS)} at most"
    )
    hint = "lower the weights, prices and the cost of run time, all by the same factor"
    raise TailcError(Finding(Code.BAD_VALUE, message, help=hint, about=("weights",)))
