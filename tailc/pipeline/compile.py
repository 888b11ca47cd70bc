"""A compile, pass by pass: read, split, reduce, solve, emit, gather the evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from tailc.artifact.envelope import Evidence, Policy, next_generation
from tailc.errors import Code, ExitCode, Finding, Severity, TailcError
from tailc.experiment.tuning_objective import QueueAim
from tailc.forms.controller import Controller
from tailc.forms.ladder.table import Ladder
from tailc.forms.tail_table import TailTable
from tailc.pipeline.bound_loop import check_bound_loop
from tailc.pipeline.controller import Tuned, tune
from tailc.pipeline.objectives import with_objectives, with_objectives_kept
from tailc.pipeline.overload.search import Relief, relieved
from tailc.pipeline.overload.told import relieved_policy
from tailc.pipeline.parts import Design, Parts, parts_of
from tailc.pipeline.progress import Progress, silent
from tailc.pipeline.promises import check_promises, untold
from tailc.pipeline.queue.approach import approach_to as ladder_approach
from tailc.pipeline.queue.clock_approach import clock_approach
from tailc.pipeline.queue.recorded import with_recorded
from tailc.pipeline.queue.told import queue_remarks, tuned_policy
from tailc.pipeline.queue.tune import AnyTuned, tuned_for_queue
from tailc.pipeline.refusals import placed, told_in_full
from tailc.pipeline.robust.days import design_days
from tailc.pipeline.robust.stand import Robust, robust_policy, robust_remarks
from tailc.pipeline.settings import control_settings, end_to_end_settings
from tailc.pipeline.solve import Problem, approach_to, solve
from tailc.pipeline.spec import OpenedSpec, open_kind
from tailc.pipeline.sweep import Candidate, Sweep, choose
from tailc.pipeline.trace import OpenedDays, OpenedThroughput, OpenedTrace, open_measured
from tailc.pipeline.versions import versions
from tailc.policies import Kind, KindSpec
from tailc.problems.control import ControlProblem
from tailc.problems.malleable_jobs import ClusterProblem
from tailc.problems.rigid_jobs import RacksProblem
from tailc.problems.shares import SharesProblem
from tailc.specs.robust import Ambiguity
from tailc.threads import thread_count
from tailc.traces.day_of import Days
from tailc.traces.profile import DemandProfile
from tailc.traces.reading import clock_khz_of


@dataclass(frozen=True)
class Compiled:
    """A compiled policy, and what stands behind it.

    `sweep` holds every candidate that was tried; a spec without a sweep has one. `design` is the
    sample that it was compiled from. `tuned` is what the controller was made from, None where
    none was tuned; `queue` how the table was tuned on the replay, None where it was not; `relief`
    what it does under overload, and `robust` what errors it stands, None where that was not asked.
    """

    policy: Policy
    sweep: Sweep
    design: Design
    findings: tuple[Finding, ...]
    tuned: Tuned | None = None
    queue: AnyTuned | None = None
    relief: Relief | None = None
    robust: Robust | None = None


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
    return compile_opened(
        opened, overrides=overrides, previous=previous, threads=threads, progress=progress
    )


def compile_opened(
    opened: OpenedSpec,
    *,
    overrides: Mapping[str, object] | None = None,
    previous: Policy | None = None,
    threads: int | None = None,
    progress: Progress = silent,
) -> Compiled:
    """The same of a spec that is open already."""
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
    aim = opened.kind.tuning.aim(spec)
    doubted = opened.kind.robust(spec)
    progress("reading the trace", 0.0)
    read = open_measured(opened)
    warnings += read.trace.warnings
    parts = parts_of(opened, read)
    warnings += parts.warnings
    if aim is not None and isinstance(read, OpenedTrace):
        aim, remarks = with_recorded(aim, opened, read)
        warnings += remarks
    if aim is not None and isinstance(parts.design, DemandProfile):
        aim = with_objectives(aim, spec.slos, parts.design)
    days = _days(doubted, opened, read)
    _check_previous(previous, opened)
    workers = thread_count(threads)
    candidates, refused = _solve_all(opened.kind, spec, parts.design, workers, progress)
    sweep = choose(candidates, parts.design, workers, progress, aim)
    chosen = sweep.chosen
    warnings += _promises(chosen.problem, opened)
    controller, tuned = _controller(control, chosen, parts.design, workers, progress)
    policy = _policy(chosen, controller, tuned, parts, read, opened)
    policy, queue, robust, remarks = _on_replay(
        policy, aim, doubted, days, parts.design, workers, progress
    )
    warnings += remarks
    relief = None
    if (asked := opened.kind.overload(spec)) is not None:
        assert isinstance(parts.design, DemandProfile)
        relief = relieved(asked, policy.ladders[0], parts.design, workers, progress)
        policy = relieved_policy(policy, relief)
    tunable = opened.kind.tuning.is_possible
    policy = with_objectives_kept(
        policy, aim, parts.design, opened.loaded, workers, progress, is_tunable=tunable
    )
    told = approach_to(chosen.problem).remarks(chosen.problem, chosen.solution)
    if queue is not None and queue.table is not None:
        told = tuple(finding for finding in told if finding.code is not Code.PREDICTED_MISS)
    remarks = [placed(finding, opened.loaded, overrides) for finding in told]
    findings = (*warnings, *remarks, *refused)
    policy = next_generation(policy, previous)
    return Compiled(policy, sweep, parts.design, findings, tuned, queue, relief, robust)


def _days(
    doubted: Ambiguity | None,
    opened: OpenedSpec,
    read: OpenedTrace | OpenedThroughput | OpenedDays,
) -> Days | None:
    """The day of each request of the design, where their mixture is in doubt."""
    if doubted is None or doubted.days is None:
        return None
    assert isinstance(read, OpenedTrace)
    return design_days(opened, read, doubted.days)


def _controller(
    control: ControlProblem | Controller | None,
    chosen: Candidate,
    design: Design,
    workers: int,
    progress: Progress,
) -> tuple[Controller | None, Tuned | None]:
    """As the spec gives it, or tuned, with what it was tuned from."""
    tuned = None
    if isinstance(control, ControlProblem) and isinstance(chosen.form, Ladder):
        assert isinstance(design, DemandProfile)
        tuned = tune(control, chosen.form, design, workers, progress)
    controller = control if isinstance(control, Controller) else tuned and tuned.controller
    if isinstance(chosen.form, TailTable) and controller is not None:
        check_bound_loop(controller, chosen.form.bound_us)
    return controller, tuned


def _on_replay(
    policy: Policy,
    aim: QueueAim | None,
    doubted: Ambiguity | None,
    days: Days | None,
    design: Design,
    workers: int,
    progress: Progress,
) -> tuple[Policy, AnyTuned | None, Robust | None, tuple[Finding, ...]]:
    """The policy with its table tuned, and told what errors it stands, as far as that is asked."""
    if aim is None and doubted is None:
        return policy, None, None, ()
    assert isinstance(design, DemandProfile)
    if doubted is not None:
        policy, robust = robust_policy(policy, aim, doubted, days, design, workers, progress)
        return policy, robust.plain, robust, robust_remarks(robust)
    assert aim is not None
    queue = _tuned_for_queue(aim, policy, design, workers, progress)
    return tuned_policy(policy, queue), queue, None, queue_remarks(queue)


def _tuned_for_queue(
    aim: QueueAim, policy: Policy, design: DemandProfile, workers: int, progress: Progress
) -> AnyTuned:
    table, counted_at_khz = policy.tail_table, clock_khz_of(policy.reading)
    if table is None:
        ladders = partial(ladder_approach, policy.ladders[0], design)
        return tuned_for_queue(aim, ladders, workers, progress)
    assert counted_at_khz is not None
    clocks = partial(clock_approach, table, counted_at_khz, design)
    return tuned_for_queue(aim, clocks, workers, progress)


def _promises(problem: Problem, opened: OpenedSpec) -> tuple[Finding, ...]:
    """What is doubtful of the spec's objectives; refuses one that no policy can meet."""
    alone_ns = approach_to(problem).alone_ns
    if alone_ns is None:
        return ()
    assert not isinstance(problem, SharesProblem | RacksProblem | ClusterProblem)
    slos, loaded = opened.spec.slos, opened.loaded
    hopeless = check_promises(slos, problem.profile, alone_ns(problem), loaded)
    return (*hopeless, *untold(slos, opened.spec.end_to_ends, problem.profile, loaded))


def _control(opened: OpenedSpec, spec: KindSpec) -> ControlProblem | Controller | None:
    """What shall be tuned for, a controller as it shall be, or nothing."""
    return opened.kind.control(spec, opened.loaded)


def _check_previous(previous: Policy | None, opened: OpenedSpec) -> None:
    if previous is not None and previous.name != opened.spec.name:
        message = (
            f"the previous policy is `{previous.name}`, but the spec's is `{opened.spec.name}`"
        )
        hint = "generations count one policy: give its own predecessor, or none"
        place = opened.loaded.place("name")
        raise TailcError(Finding(Code.CONFLICT, message, place, hint))


def _solve_all(
    kind: Kind, spec: KindSpec, design: Design, threads: int, progress: Progress
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
    swept = approach_to(problem).swept(problem)
    message = f"{swept} is left out of the sweep: {finding.message}"
    return replace(finding, message=message, severity=Severity.WARNING)


def _policy(
    chosen: Candidate,
    controller: Controller | None,
    tuned: Tuned | None,
    parts: Parts,
    read: OpenedTrace | OpenedThroughput | OpenedDays,
    opened: OpenedSpec,
) -> Policy:
    spec, problem, solution = chosen.spec, chosen.problem, chosen.solution
    approach = approach_to(problem)
    settings = approach.settings(problem, solution) | control_settings(tuned)
    settings |= end_to_end_settings(spec.end_to_ends)
    evidence = Evidence(
        objective=problem.objective.value,
        method=problem.method.value,
        proof=solution.proof,
        solver=solution.solver,
        versions=versions(opened.loaded.document, approach.backends(problem)),
        evaluations=solution.evaluations,
        settings=tuple(sorted(settings.items())),
        rows=tuple(row.evidence for row in solution.rows if row.evidence is not None),
    )
    return Policy(
        name=spec.name,
        kind=spec.kind,
        generation=1,
        slos=spec.slos,
        rates_mrps=spec.rates_mrps,
        forms=(chosen.form,) if controller is None else (chosen.form, controller),
        inputs=parts.inputs,
        reading=read.reading,
        evidence=evidence,
    )
