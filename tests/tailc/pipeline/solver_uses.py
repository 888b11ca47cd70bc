"""Every use that a compile makes of a general solver's answers, with each adapter that it may ask.

The page docs/solvers.md lists them, and `test_lying_solvers` changes the answers of each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tailc.problems.plan import PlanMethod, PlanSearch
from tailc.problems.thresholds import ThresholdMethod
from tests.tailc.pipeline.cores import MS, problem, profile
from tests.tailc.pipeline.malleable_jobs.instances import long_cluster, random_cluster
from tests.tailc.pipeline.rigid_jobs.problems import drawn, named, supply
from tests.tailc.pipeline.rigid_jobs.problems import problem as racks

Use = Callable[[str], Any]
"""From the name of a solver to a problem."""

WHOLE = ("highs", "scip", "cp-sat", "gurobi")
"""Those that take whole variables."""
WITH_MULTIPLIERS = ("highs", "gurobi")
ARRIVAL, ANNEAL, COLUMNS = PlanMethod.ARRIVAL, PlanMethod.ANNEAL, PlanMethod.COLUMNS

OWN_SPEEDS = profile([100.0, 80.0, 60.0], ((1.0, 1.25), (1.0, 4.0)), [0, 1, 1])
MANY_JOBS = [named(n, n % 3, 1 + n % 2, 1 + n % 2, 50 * (n % 3)) for n in range(14)]
SUN_W = [250, 120, 400, 90]


def plans(method: PlanMethod, solver: str) -> PlanSearch:
    return PlanSearch(method, solver=solver, steps=20)


def thresholds(solver: str, **changes: Any) -> Any:
    return problem(method=ThresholdMethod.MIP, solver=solver, **changes)


def other_days(solver: str) -> Any:
    expected = (tuple(MANY_JOBS[3:8]), ())
    search = plans(ARRIVAL, solver)
    return racks(*MANY_JOBS[:3], green_w=SUN_W, expected=expected, search=search)


def with_scenarios(method: PlanMethod, solver: str) -> Any:
    ways = np.array([[250, 100, 400, 0], [300, 0, 200, 90]], np.int64) * 1_000
    asked = racks(*MANY_JOBS[:3], green_w=SUN_W, search=plans(method, solver))
    return replace(asked, supply=replace(supply(SUN_W), scenarios_mw=ways))


def cluster(seed: int, method: PlanMethod, solver: str, **changes: Any) -> Any:
    return replace(random_cluster(seed), search=plans(method, solver), **changes)


BY_USE: dict[str, tuple[tuple[str, ...], Use]] = {
    "thresholds of common speeds, `convex`": (
        ("clarabel",),
        lambda _: problem(method=ThresholdMethod.CONVEX),
    ),
    "thresholds of common speeds, `mip`": (WHOLE, thresholds),
    "thresholds of speeds by request, `mip`": (
        WHOLE,
        lambda solver: thresholds(solver, profile=OWN_SPEEDS, target_us=90 * MS),
    ),
    "racks: jobs to admit and their bound, `arrival`": (
        WITH_MULTIPLIERS,
        lambda solver: drawn(3, jobs=4, epochs=4, search=plans(ARRIVAL, solver)),
    ),
    "racks: jobs to admit and their bound, `anneal`": (
        WITH_MULTIPLIERS,
        lambda solver: drawn(5, jobs=4, epochs=4, search=plans(ANNEAL, solver)),
    ),
    "racks: jobs to admit of more than 12": (
        WHOLE,
        lambda solver: racks(*MANY_JOBS, green_w=SUN_W, search=plans(ARRIVAL, solver)),
    ),
    "racks: all jobs at once, `mip`": (
        WHOLE,
        lambda solver: drawn(7, jobs=4, epochs=4, search=plans(PlanMethod.MIP, solver)),
    ),
    "racks: prices from past days": (WITH_MULTIPLIERS, other_days),
    "racks: bounds by scenario, `arrival`": (
        WITH_MULTIPLIERS,
        lambda solver: with_scenarios(ARRIVAL, solver),
    ),
    "racks: all scenarios at once, `mip`": (
        WHOLE,
        lambda solver: with_scenarios(PlanMethod.MIP, solver),
    ),
    "clusters: schedules by columns": (
        WITH_MULTIPLIERS,
        lambda solver: cluster(1, COLUMNS, solver),
    ),
    "clusters: schedules of long jobs by columns": (
        ("highs",),
        lambda _: long_cluster(1),
    ),
    "clusters: all jobs at once, `mip`": (
        WHOLE,
        lambda solver: cluster(1, PlanMethod.MIP, solver),
    ),
    "clusters: prices from past days": (
        WITH_MULTIPLIERS,
        lambda solver: cluster(4, COLUMNS, solver, expected=(random_cluster(1).jobs,)),
    ),
}

USES: dict[str, Callable[[], Any]] = {
    f"{use}, by {solver}": lambda solver=solver, ask=ask: ask(solver)
    for use, (solvers, ask) in BY_USE.items()
    for solver in solvers
}
