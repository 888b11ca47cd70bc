"""What a compile does with one type of problem: solve it, check its SLOs, and describe it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Finding
from tailc.pipeline.promises import check_promises, fastest_ns, untold
from tailc.policies import KindSpec
from tailc.problems.problem import P, Problem, R, RequestProblem, S, Solution
from tailc.progress import Progress
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


def at_best_degree(problem: RequestProblem) -> NDArray[np.int64]:
    """The time of each request that never waits, at its fastest degree."""
    return fastest_ns(problem.profile)


def _no_remarks(_problem: Problem, _solution: Solution) -> tuple[Finding, ...]:
    return ()


def _a_candidate(_problem: Problem) -> str:
    return "a candidate"


@dataclass(frozen=True)
class ProblemHandler(Generic[P, S]):
    """What a compile does with one type of problem.

    `solve(problem, threads, progress)` gives its solution, and `settings(problem, solution)` the
    numbers that the evidence names. `check_slos(problem, spec, loaded)` warns of SLOs, and refuses
    those that no policy can meet. `remarks(problem, solution)` are warnings about a solved
    problem. `candidate(problem)` names a candidate of several.
    """

    solve: Callable[[P, int, Progress], S]
    settings: Callable[[P, S], dict[str, int]]
    check_slos: SloCheck[P]
    remarks: Callable[[P, S], tuple[Finding, ...]] = _no_remarks
    candidate: Callable[[P], str] = _a_candidate
