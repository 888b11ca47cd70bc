"""Build a plan from places and prices; groups of racks become its pools."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.green.sla.problem import Groups
from tailc_solvers.green.sla.problem import Plan as Placements

from tailc.forms.plan.plan import Epoch, Plan, PlannedJob, Pool, PoolPrices
from tailc.forms.plan.spans import spans_of
from tailc.pipeline.rigid_jobs.formulation import places_of
from tailc.problems.rigid_jobs import RacksProblem


def racks_plan(
    problem: RacksProblem, groups: Groups, placed: Placements, prices: NDArray[np.int64]
) -> Plan:
    """Build the plan form from places and prices of servers, int64 (groups, epochs)."""
    supply = problem.supply
    first_green = (~groups.is_green).sum(axis=0).tolist()
    rows = zip(
        supply.green_mw.tolist(),
        supply.brown_udollars_per_kwh.tolist(),
        supply.brown_mg_per_kwh.tolist(),
        first_green,
        strict=True,
    )
    return Plan(
        start_unix_s=problem.start_unix_s,
        epoch_s=problem.epoch_s,
        pools=_pools(problem, groups),
        epochs=tuple(Epoch(*row) for row in rows),
        jobs=tuple(
            PlannedJob(named.name, spans_of(places_of(one, groups)), named.job.green_slots)
            for named, one in zip(problem.jobs, placed, strict=True)
            if one is not None
        ),
        prices=tuple(PoolPrices(tuple(row)) for row in prices.tolist()),
        terms=problem.terms,
        malleable=None,
        violations_ppm=problem.violations_ppm,
    )


def _pools(problem: RacksProblem, groups: Groups) -> tuple[Pool, ...]:
    racks = (groups.servers // problem.rack_servers).tolist()
    firsts = itertools.accumulate(racks, initial=1)
    return tuple(
        Pool(
            name=f"rack {first}" if count == 1 else f"racks {first}-{first + count - 1}",
            servers=count * problem.rack_servers,
            busy_mw=problem.busy_mw,
            asleep_mw=problem.asleep_mw,
            migration_mj=problem.migration_mj,
            racks=count,
        )
        for first, count in zip(firsts, racks, strict=False)
    )
