"""How a compile handles a type of problem: solve it, check its SLOs, and describe it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Finding
from tailc.pipeline.slo_checks import check_attainable_slos, fastest_ns, undersampled_slos
from tailc.policies import KindSpec
from tailc.problems.problem import P, Problem, R, RequestProblem, S, Solution
from tailc.progress import Progress
from tailc.specs.load import LoadedSpec

SloCheck: TypeAlias = Callable[[P, KindSpec, LoadedSpec], tuple[Finding, ...]]


def without_slo_check(
    _problem: Problem, _spec: KindSpec, _loaded: LoadedSpec
) -> tuple[Finding, ...]:
    """Return no findings: a policy that serves no requests has no SLOs on latency."""
    return ()


def request_slo_check(alone_ns: Callable[[R], NDArray[np.int64]]) -> SloCheck[R]:
    """Make the SLO check of a problem with requests.

    alone_ns: gives the fastest time of each request without waiting. The check warns of SLOs that
    the trace is too small for, and raises TailcError (INFEASIBLE) for an SLO that no policy can
    meet.
    """

    def check(problem: R, spec: KindSpec, loaded: LoadedSpec) -> tuple[Finding, ...]:
        slos, profile = spec.slos, problem.profile
        missed = check_attainable_slos(slos, profile, alone_ns(problem), loaded)
        return (*missed, *undersampled_slos(slos, spec.end_to_ends, profile, loaded))

    return check


def fastest_service_ns(problem: RequestProblem) -> NDArray[np.int64]:
    """Time of each request without waiting, at its fastest degree [ns]."""
    return fastest_ns(problem.profile)


def _no_remarks(_problem: Problem, _solution: Solution) -> tuple[Finding, ...]:
    return ()


def _a_candidate(_problem: Problem) -> str:
    return "a candidate"


@dataclass(frozen=True)
class ProblemHandler(Generic[P, S]):
    """How a compile handles one type of problem.

    `solve(problem, threads, progress)` returns the solution, and `settings(problem, solution)` the
    numbers of the evidence. `check_slos(problem, spec, loaded)` warns of SLOs, and refuses those
    that no policy can meet. `remarks(problem, solution)` returns warnings about the solution.
    `candidate(problem)` names one of several candidates.
    """

    solve: Callable[[P, int, Progress], S]
    settings: Callable[[P, S], dict[str, int]]
    check_slos: SloCheck[P]
    remarks: Callable[[P, S], tuple[Finding, ...]] = _no_remarks
    candidate: Callable[[P], str] = _a_candidate
