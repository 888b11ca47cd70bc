"""A compile, pass by pass: read, split, reduce, solve, emit, gather the evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tailc.artifact.envelope import Evidence, Input, InputRole, Policy, next_generation
from tailc.errors import Code, ExitCode, Finding, Severity, TailcError
from tailc.forms.control_problem import ControlProblem
from tailc.pipeline.controller import Tuned, tune
from tailc.pipeline.progress import Progress, silent
from tailc.pipeline.refusals import told_in_full
from tailc.pipeline.remarks import dominated_rungs, suspect_unit
from tailc.pipeline.settings import control_settings, problem_settings, swept_value
from tailc.pipeline.solve import solve
from tailc.pipeline.spec import OpenedSpec, open_kind
from tailc.pipeline.sweep import Candidate, Problem, Sweep, choose
from tailc.pipeline.trace import OpenedTrace, open_trace, split_trace
from tailc.pipeline.versions import versions
from tailc.policies import Kind, KindSpec
from tailc.threads import thread_count
from tailc.traces.profile import DemandProfile
from tailc.traces.speedup_check import SpeedupSummary, speedup_summary
from tailc.traces.summary import summary


@dataclass(frozen=True)
class Compiled:
    """A compiled policy, and what stands behind it.

    `sweep` holds every candidate that was tried; a spec without a sweep has one. `speedups` are the
    design sample's, at every degree that was read. `tuned` is what the controller was made from,
    None without one.
    """

    policy: Policy
    sweep: Sweep
    speedups: SpeedupSummary
    findings: tuple[Finding, ...]
    tuned: Tuned | None = None


@dataclass(frozen=True)
class _Parts:
    design: DemandProfile
    inputs: tuple[Input, ...]


def compile_policy(
    spec_path: str,
    *,
    overrides: Mapping[str, object] | None = None,
    previous: Policy | None = None,
    threads: int | None = None,
    progress: Progress = silent,
) -> Compiled:
    """The policy that the spec at `spec_path` asks for (`-` is standard input).

    `overrides` replaces fields of the spec's search (`method`, `objective`, `max_evaluations`).
    `previous` sets the generation: kept where the policy is unchanged, else its successor.
    `threads` None is one a processor; the answer does not depend on it.
    Raises TailcError for bad input, an infeasible problem or an exhausted budget.
    """
    opened = open_kind(spec_path)
    warnings = [*opened.warnings]
    with told_in_full(opened.loaded, overrides or {}, warnings):
        return _compiled(opened, overrides or {}, previous, threads, progress, warnings)


def _compiled(
    opened: OpenedSpec,
    overrides: Mapping[str, object],
    previous: Policy | None,
    threads: int | None,
    progress: Progress,
    warnings: list[Finding],
) -> Compiled:
    """The policy; `warnings` gets what there is to tell as soon as it is known."""
    spec = opened.spec.with_search(overrides)
    control = _control(opened, spec)
    progress("reading the trace", 0.0)
    read = open_trace(opened)
    warnings += read.trace.warnings
    parts = _split(opened, read)
    warnings += suspect_unit(parts.design, spec.slos, opened.loaded.place("demand", "unit"))
    _check_previous(previous, opened)
    workers = thread_count(threads)
    candidates, refused = _solve_all(opened.kind, spec, parts.design, workers, progress)
    sweep = choose(candidates, parts.design, workers, progress)
    tuned = control and tune(control, sweep.chosen.form, parts.design, workers, progress)
    policy = _policy(sweep.chosen, tuned, parts, read)
    return Compiled(
        next_generation(policy, previous),
        sweep,
        speedup_summary(parts.design),
        (*warnings, *dominated_rungs(sweep.chosen.problem), *refused),
        tuned,
    )


def _control(opened: OpenedSpec, spec: KindSpec) -> ControlProblem | None:
    asked = opened.kind.control
    return None if asked is None else asked(spec, opened.loaded)


def _check_previous(previous: Policy | None, opened: OpenedSpec) -> None:
    if previous is not None and previous.name != opened.spec.name:
        message = (
            f"the previous policy is `{previous.name}`, but the spec's is `{opened.spec.name}`"
        )
        hint = "generations count one policy: give its own predecessor, or none"
        place = opened.loaded.place("name")
        raise TailcError(Finding(Code.CONFLICT, message, place, hint))


def _split(opened: OpenedSpec, read: OpenedTrace) -> _Parts:
    whole = read.trace.profile
    if read.reading.split is None:
        return _Parts(whole, (_input(InputRole.DESIGN, whole),))
    design, held_out = split_trace(opened, read)
    parts = {InputRole.WHOLE: whole, InputRole.DESIGN: design, InputRole.HELD_OUT: held_out}
    return _Parts(design, tuple(_input(role, part) for role, part in parts.items()))


def _input(role: InputRole, part: DemandProfile) -> Input:
    demand = summary(part) if role is InputRole.DESIGN else None
    return Input(role, part.digest, len(part.demand_ms), part.total_weight, demand)


def _solve_all(
    kind: Kind, spec: KindSpec, design: DemandProfile, threads: int, progress: Progress
) -> tuple[tuple[Candidate, ...], tuple[Finding, ...]]:
    """The candidates that have a solution, and a warning for each that has none.

    Raises what the last one raised where none has.
    """
    solved: list[Candidate] = []
    infeasible: list[tuple[Problem, TailcError]] = []
    for candidate in kind.candidates(spec):
        problem = kind.reduce(candidate, design)
        try:
            solution = solve(problem, threads, progress)
            form = kind.emit(candidate, problem, solution)
        except TailcError as error:
            if error.exit_code is not ExitCode.INFEASIBLE:
                raise
            infeasible.append((problem, error))
        else:
            solved.append(Candidate(candidate, problem, solution, form))
    if not solved:
        raise infeasible[-1][1]
    refused = [_left_out(problem, f) for problem, error in infeasible for f in error.findings]
    return tuple(solved), tuple(refused)


def _left_out(problem: Problem, finding: Finding) -> Finding:
    message = f"{swept_value(problem)} is left out of the sweep: {finding.message}"
    return replace(finding, message=message, severity=Severity.WARNING)


def _policy(chosen: Candidate, tuned: Tuned | None, parts: _Parts, read: OpenedTrace) -> Policy:
    spec, problem, solution = chosen.spec, chosen.problem, chosen.solution
    evidence = Evidence(
        objective=problem.objective.value,
        method=problem.method.value,
        proof=solution.proof,
        solver=solution.solver,
        versions=versions(),
        evaluations=solution.evaluations,
        settings=tuple(sorted({**problem_settings(problem), **control_settings(tuned)}.items())),
        rows=tuple(row.evidence for row in solution.rows if row.evidence is not None),
    )
    return Policy(
        name=spec.name,
        kind=spec.kind,
        generation=1,
        slos=spec.slos,
        rates_mrps=spec.rates_mrps,
        forms=(chosen.form,) if tuned is None else (chosen.form, tuned.controller),
        inputs=parts.inputs,
        reading=read.reading,
        evidence=evidence,
    )
