"""Match a problem with what a compile does for its type: solve it, and tell of it.

A new type of problem is one entry here, and a module that solves it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.backends.adapters import Backend

from tailc.errors import Finding
from tailc.pipeline.borrowing import solve_for_budgets
from tailc.pipeline.clusters.solved import solve_for_clusters
from tailc.pipeline.clusters.told import cluster_remarks, cluster_settings
from tailc.pipeline.ladders import solve_for_schedules
from tailc.pipeline.lane_evidence import borrowing_settings, predicted_misses
from tailc.pipeline.plan_solvers import plan_backends
from tailc.pipeline.progress import Progress, silent
from tailc.pipeline.promises import fastest_ns
from tailc.pipeline.racks.solved import solve_for_racks
from tailc.pipeline.racks.told import racks_remarks, racks_settings
from tailc.pipeline.remarks import dominated_degrees
from tailc.pipeline.settings import ladder_settings, swept_target, threshold_settings
from tailc.pipeline.shares import host_remarks, shares_settings, solve_for_shares
from tailc.pipeline.tails import hopeful_sums, least_ns, solve_for_tails, tail_settings
from tailc.pipeline.threshold_methods import threshold_backends
from tailc.pipeline.thresholds import solve_for_ages
from tailc.problems.borrowing import BorrowingProblem, BorrowingSolution
from tailc.problems.ladder import LadderProblem
from tailc.problems.malleable_jobs import ClusterProblem, ClusterSolution
from tailc.problems.rigid_jobs import PlanSolution, RacksProblem
from tailc.problems.schedule import LadderSolution
from tailc.problems.shares import SharesProblem, SharesSolution
from tailc.problems.tail_table import TailProblem, TailSolution
from tailc.problems.thresholds import ThresholdProblem, ThresholdSolution

Problem: TypeAlias = (
    LadderProblem
    | ThresholdProblem
    | BorrowingProblem
    | TailProblem
    | SharesProblem
    | RacksProblem
    | ClusterProblem
)
Solution: TypeAlias = (
    LadderSolution
    | ThresholdSolution
    | BorrowingSolution
    | TailSolution
    | SharesSolution
    | PlanSolution
    | ClusterSolution
)


@dataclass(frozen=True)
class Approach:
    """What a compile does with one type of problem.

    `solve(problem, threads, progress)` gives its solution, and `settings(problem, solution)` the
    numbers that the evidence names. `remarks(problem, solution)` are warnings about a solved
    problem, and `swept(problem)` is what tells a candidate of a sweep from the others.
    `backends(problem)` are the general solvers that may be asked.
    `alone_ns(problem)` is the time of each request of its profile that never waits, at its fastest;
    None where nothing is promised of requests.
    """

    solve: Callable[[Any, int, Progress], Any]
    settings: Callable[[Any, Any], dict[str, int]]
    remarks: Callable[[Any, Any], tuple[Finding, ...]] = lambda *_: ()
    swept: Callable[[Any], str] = lambda _: "a candidate"
    backends: Callable[[Any], frozenset[Backend]] = lambda _: frozenset()
    alone_ns: Callable[[Any], NDArray[np.int64]] | None = lambda problem: fastest_ns(
        problem.profile
    )


APPROACHES: Mapping[type[Problem], Approach] = {
    LadderProblem: Approach(solve_for_schedules, ladder_settings, dominated_degrees, swept_target),
    ThresholdProblem: Approach(solve_for_ages, threshold_settings, backends=threshold_backends),
    BorrowingProblem: Approach(solve_for_budgets, borrowing_settings, predicted_misses),
    TailProblem: Approach(solve_for_tails, tail_settings, hopeful_sums, alone_ns=least_ns),
    SharesProblem: Approach(solve_for_shares, shares_settings, host_remarks, alone_ns=None),
    RacksProblem: Approach(
        solve_for_racks, racks_settings, racks_remarks, backends=plan_backends, alone_ns=None
    ),
    ClusterProblem: Approach(
        solve_for_clusters, cluster_settings, cluster_remarks, backends=plan_backends, alone_ns=None
    ),
}


def approach_to(problem: Problem) -> Approach:
    """What a compile does with problems of this type."""
    return APPROACHES[type(problem)]


@overload
def solve(
    problem: LadderProblem, threads: int = 1, progress: Progress = silent
) -> LadderSolution: ...


@overload
def solve(
    problem: ThresholdProblem, threads: int = 1, progress: Progress = silent
) -> ThresholdSolution: ...


@overload
def solve(
    problem: BorrowingProblem, threads: int = 1, progress: Progress = silent
) -> BorrowingSolution: ...


@overload
def solve(problem: TailProblem, threads: int = 1, progress: Progress = silent) -> TailSolution: ...


@overload
def solve(
    problem: SharesProblem, threads: int = 1, progress: Progress = silent
) -> SharesSolution: ...


@overload
def solve(problem: RacksProblem, threads: int = 1, progress: Progress = silent) -> PlanSolution: ...


@overload
def solve(
    problem: ClusterProblem, threads: int = 1, progress: Progress = silent
) -> ClusterSolution: ...


def solve(problem: Problem, threads: int = 1, progress: Progress = silent) -> Solution:
    """The answer to a problem of any form, evaluated in the whole numbers of an artifact.

    Raises TailcError for what cannot be met (INFEASIBLE), a search that ended without an answer
    (BUDGET_ENDED), and a method that cannot solve the problem (METHOD_UNFIT).
    """
    return approach_to(problem).solve(problem, threads, progress)
