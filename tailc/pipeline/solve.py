"""Match a problem with what a compile does for its type: solve it, and describe it.

A new type of problem is one handler here, and a module that solves it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Finding
from tailc.pipeline.borrowing import solve_for_budgets
from tailc.pipeline.clusters.solved import solve_for_clusters
from tailc.pipeline.clusters.told import cluster_remarks, cluster_settings
from tailc.pipeline.ladders import solve_for_schedules
from tailc.pipeline.lane_evidence import borrowing_settings, predicted_misses
from tailc.pipeline.progress import Progress, silent
from tailc.pipeline.promises import check_promises, fastest_ns, untold
from tailc.pipeline.racks.solved import solve_for_racks
from tailc.pipeline.racks.told import racks_remarks, racks_settings
from tailc.pipeline.remarks import dominated_degrees
from tailc.pipeline.settings import ladder_settings, swept_target, threshold_settings
from tailc.pipeline.shares import host_remarks, shares_settings, solve_for_shares
from tailc.pipeline.tails import hopeful_sums, least_ns, solve_for_tails, tail_settings
from tailc.pipeline.thresholds import solve_for_ages
from tailc.policies import KindSpec
from tailc.problems.borrowing import BorrowingProblem
from tailc.problems.ladder import LadderProblem
from tailc.problems.malleable_jobs import ClusterProblem
from tailc.problems.problem import P, Problem, R, RequestProblem, S, Solution
from tailc.problems.rigid_jobs import RacksProblem
from tailc.problems.shares import SharesProblem
from tailc.problems.tail_table import TailProblem
from tailc.problems.thresholds import ThresholdProblem
from tailc.specs.load import LoadedSpec

SloCheck: TypeAlias = Callable[[P, KindSpec, LoadedSpec], tuple[Finding, ...]]


def no_requests(_problem: Problem, _spec: KindSpec, _loaded: LoadedSpec) -> tuple[Finding, ...]:
    """Nothing is promised of requests."""
    return ()


def for_requests(alone_ns: Callable[[R], NDArray[np.int64]]) -> SloCheck[R]:
    """Check the SLOs on the problem's requests.

    alone_ns: the time of each that never waits, at its fastest. The check warns of SLOs that the
    requests cannot tell of, and raises TailcError (INFEASIBLE) for one that no policy can meet.
    """

    def check(problem: R, spec: KindSpec, loaded: LoadedSpec) -> tuple[Finding, ...]:
        slos, profile = spec.slos, problem.profile
        missed = check_promises(slos, profile, alone_ns(problem), loaded)
        return (*missed, *untold(slos, spec.end_to_ends, profile, loaded))

    return check


def _at_best_degree(problem: RequestProblem) -> NDArray[np.int64]:
    return fastest_ns(problem.profile)


def _no_remarks(_problem: Problem, _solution: Solution) -> tuple[Finding, ...]:
    return ()


def _a_candidate(_problem: Problem) -> str:
    return "a candidate"


@dataclass(frozen=True)
class ProblemHandler(Generic[P, S]):
    """What a compile does with one type of problem, `problem`.

    `solve(problem, threads, progress)` gives its solution, and `settings(problem, solution)` the
    numbers that the evidence names. `check_slos(problem, spec, loaded)` warns of SLOs, and refuses
    those that no policy can meet. `remarks(problem, solution)` are warnings about a solved
    problem. `candidate(problem)` names a candidate of several.
    """

    problem: type[P]
    solve: Callable[[P, int, Progress], S]
    settings: Callable[[P, S], dict[str, int]]
    check_slos: SloCheck[P]
    remarks: Callable[[P, S], tuple[Finding, ...]] = _no_remarks
    candidate: Callable[[P], str] = _a_candidate


LADDERS = ProblemHandler(
    LadderProblem,
    solve_for_schedules,
    ladder_settings,
    for_requests(_at_best_degree),
    dominated_degrees,
    candidate=swept_target,
)
THRESHOLDS = ProblemHandler(
    ThresholdProblem,
    solve_for_ages,
    threshold_settings,
    for_requests(_at_best_degree),
)
BUDGETS = ProblemHandler(
    BorrowingProblem,
    solve_for_budgets,
    borrowing_settings,
    for_requests(_at_best_degree),
    predicted_misses,
    candidate=lambda problem: f"the policy `{problem.borrowing.value}`",
)
TAILS = ProblemHandler(
    TailProblem, solve_for_tails, tail_settings, for_requests(least_ns), hopeful_sums
)
SHARES = ProblemHandler(SharesProblem, solve_for_shares, shares_settings, no_requests, host_remarks)
RACKS = ProblemHandler(RacksProblem, solve_for_racks, racks_settings, no_requests, racks_remarks)
CLUSTERS = ProblemHandler(
    ClusterProblem,
    solve_for_clusters,
    cluster_settings,
    no_requests,
    cluster_remarks,
)

HANDLERS: Mapping[type[Problem], ProblemHandler[Any, Any]] = {
    handler.problem: handler
    for handler in (LADDERS, THRESHOLDS, BUDGETS, TAILS, SHARES, RACKS, CLUSTERS)
}


def handler_of(problem: P) -> ProblemHandler[P, Any]:
    """What a compile does with problems of this type."""
    return HANDLERS[type(problem)]


def solve(problem: Problem, threads: int = 1, progress: Progress = silent) -> Solution:
    """The solution of a problem of any type, evaluated in the whole numbers of an artifact.

    Raises TailcError for what cannot be met (INFEASIBLE), a search that ended without an answer
    (BUDGET_ENDED), and a method that cannot solve the problem (METHOD_UNFIT).
    """
    return handler_of(problem).solve(problem, threads, progress)
