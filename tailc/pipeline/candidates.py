"""Solve the candidates of a compile: the spec itself, or one spec for each value of a sweep."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias

from tailc.artifact.envelope import Evidence, Input, Policy
from tailc.errors import ExitCode, Finding, Severity, TailcError
from tailc.forms.budget_table import BudgetTable
from tailc.forms.ladder.table import Ladder
from tailc.forms.plan.plan import Plan
from tailc.forms.shares import Shares
from tailc.forms.tail_table import TailTable
from tailc.pipeline.compilation import Compilation
from tailc.pipeline.parts import D, TraceParts
from tailc.pipeline.settings import end_to_end_settings
from tailc.pipeline.solve import handler_of, solve
from tailc.pipeline.versions import versions
from tailc.policies import KindSpec
from tailc.problems.problem import P, Problem, S, Solution
from tailc.traces.reading import TraceReading

Form: TypeAlias = Ladder | TailTable | Shares | Plan | BudgetTable


@dataclass(frozen=True)
class Candidate(Generic[P, S]):
    """A candidate of a compile: one spec of a sweep with its problem, solution and policy.

    tails_us: the replayed tail at each of the spec's rates; empty without a replay. rate_mrps: the
    highest rate that meets the SLO, if the objective is the rate; None if it is lower than that of
    an earlier candidate. keeps_all: whether every SLO holds at every rate in the replays; True if
    that was not checked, as with a single SLO and no cost objective. costs: cost of a request at
    each rate, if the objective is the cost; else empty.
    """

    policy: Policy
    problem: P
    solution: S
    tails_us: tuple[int, ...] = ()
    rate_mrps: int | None = None
    keeps_all: bool = True
    costs: tuple[float, ...] = ()

    @property
    def pair(self) -> tuple[P, S]:
        """The candidate's problem and its solution."""
        return self.problem, self.solution


AnyCandidate: TypeAlias = Candidate[Any, Any]


@dataclass(frozen=True)
class CandidateSet(Generic[P, S]):
    """All candidates of a compile in the order of the spec, and the number of the chosen one."""

    candidates: tuple[Candidate[P, S], ...]
    best: int = 0

    @property
    def chosen(self) -> Candidate[P, S]:
        """The candidate of a sweep that becomes the policy."""
        return self.candidates[self.best]


@dataclass(frozen=True)
class SolvedCandidates:
    """The candidates that have a solution, and a warning for each that has none."""

    candidates: tuple[AnyCandidate, ...]
    refused: tuple[Finding, ...]


def solve_all(
    compilation: Compilation, parts: TraceParts[D], reading: TraceReading
) -> SolvedCandidates:
    """Solve the problem of every candidate of a spec.

    If no candidate has a solution, raise the error of the last one.
    """
    kind = compilation.opened.kind
    solved: list[AnyCandidate] = []
    infeasible: list[tuple[Problem, TailcError]] = []
    for spec in kind.candidates(compilation.spec):
        problem = kind.reduce(spec, parts.design)
        try:
            solution = solve(problem, compilation.threads, compilation.progress)
            form = kind.emit(spec, problem, solution)
        except TailcError as error:
            if error.exit_code is not ExitCode.INFEASIBLE:
                raise
            infeasible.append((problem, error))
        else:
            evidence = _evidence(compilation, spec, problem, solution)
            policy = _policy(spec, form, evidence, parts.inputs, reading)
            solved.append(Candidate(policy, problem, solution))
    if not solved:
        raise infeasible[-1][1]
    refused = [_left_out(problem, f) for problem, error in infeasible for f in error.findings]
    return SolvedCandidates(tuple(solved), tuple(refused))


def _left_out(problem: Problem, finding: Finding) -> Finding:
    candidate = handler_of(problem).candidate(problem)
    message = f"{candidate} is left out: {finding.message}"
    return replace(finding, message=message, severity=Severity.WARNING)


def _evidence(
    compilation: Compilation, spec: KindSpec, problem: Problem, solution: Solution
) -> Evidence:
    handler, document = handler_of(problem), compilation.opened.loaded.document
    settings = handler.settings(problem, solution) | end_to_end_settings(spec.end_to_ends)
    return Evidence(
        objective=problem.objective.value,
        method=problem.method.value,
        proof=solution.proof,
        solver=solution.solver,
        versions=versions(document),
        evaluations=solution.evaluations,
        settings=tuple(sorted(settings.items())),
        rows=tuple(row.evidence for row in solution.rows if row.evidence is not None),
    )


def _policy(
    spec: KindSpec, form: Form, evidence: Evidence, inputs: tuple[Input, ...], reading: TraceReading
) -> Policy:
    return Policy(
        name=spec.name,
        kind=spec.kind,
        generation=1,
        slos=spec.slos,
        rates_mrps=spec.rates_mrps,
        forms=(form,),
        inputs=inputs,
        reading=reading,
        evidence=evidence,
    )
