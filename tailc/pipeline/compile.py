"""Compile a spec: read the trace, split it, reduce, solve, emit, and collect the evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from tailc.artifact.envelope import REPLAYED, Policy, next_generation
from tailc.errors import Code, Finding
from tailc.forms.controller import Controller
from tailc.pipeline.auto.holdback import Holdback, holdback, in_sample
from tailc.pipeline.candidates import CandidateSet, SolvedCandidates, solve_all
from tailc.pipeline.coarse_settings import coarse_settings, quantum_beyond_demand
from tailc.pipeline.compilation import Compilation, Judging
from tailc.pipeline.parts import (
    D,
    TraceParts,
    parts_of_days,
    parts_of_requests,
    parts_of_rows,
    parts_of_tokens,
)
from tailc.pipeline.passes.step import Addition, DesignSample, Pass
from tailc.pipeline.refusals import complete_errors, with_place
from tailc.pipeline.slo_checks import unattainable_slos
from tailc.pipeline.solve import handler_of
from tailc.pipeline.spec import OpenedSpec, open_kind
from tailc.pipeline.trace import (
    Measured,
    OpenedDays,
    OpenedThroughput,
    OpenedTokens,
    OpenedTrace,
    open_measured,
)
from tailc.problems.problem import P, S
from tailc.progress import Progress, silent
from tailc.specs.auto_settings import AutoChoice, AutoTuning
from tailc.specs.slo_spec import allows_misses
from tailc.threads import thread_count

if TYPE_CHECKING:
    from tailc.experiment.tuning_objective import TuningObjective
    from tailc.forecasts.days import Days
    from tailc.problems.control import ControlProblem
    from tailc.specs.robust import Ambiguity
    from tailc.traces.day_of import RowDays
    from tailc.traces.profile import DemandProfile
    from tailc.traces.reading import TraceReading
    from tailc.traces.tokens import TokenTrace

A = TypeVar("A")


@dataclass(frozen=True)
class CompiledPolicy(Generic[P, S, D]):
    """A compiled policy and how it was made.

    sweep: every candidate; one if the spec has no sweep. design: the design trace. findings:
    warnings. additions: results of the passes after the formula's table, such as a tuned
    controller, a tuned table, a robustness radius or an overload rule.
    """

    policy: Policy
    sweep: CandidateSet[P, S]
    design: D
    findings: tuple[Finding, ...]
    additions: tuple[Addition, ...] = ()

    def additions_of(self, what: type[A]) -> tuple[A, ...]:
        """The additions (results of passes) of one type; empty if the spec requests none."""
        return tuple(one for one in self.additions if isinstance(one, what))

    @property
    def has_tuned_table(self) -> bool:
        """Whether replays chose or tuned the table, instead of the solver's formula."""
        return self.policy.evidence.proof == REPLAYED


AnyCompiled: TypeAlias = CompiledPolicy[Any, Any, Any]


def compile_policy(
    spec_path: str,
    *,
    overrides: Mapping[str, object] | None = None,
    previous: Policy | None = None,
    threads: int | None = None,
    progress: Progress = silent,
    judging: Judging | None = None,
) -> AnyCompiled:
    """Compile the spec at `spec_path` (`-` is standard input).

    overrides: values for fields of the spec's search (`method`, `objective`, `effort`). previous:
    sets the generation, which is the same if the policy is unchanged, else the next one. threads:
    None means one per processor; the result does not depend on it. judging: replay the policy and
    the settings by hand at its rates, and refuse a policy that misses an SLO; None: no replay.
    Raises TailcError for bad input, an infeasible problem or an exhausted budget.
    """
    opened = open_kind(spec_path)
    return compile_opened(
        opened,
        overrides=overrides,
        previous=previous,
        threads=threads,
        progress=progress,
        judging=judging,
    )


def compile_opened(
    opened: OpenedSpec,
    *,
    overrides: Mapping[str, object] | None = None,
    previous: Policy | None = None,
    threads: int | None = None,
    progress: Progress = silent,
    judging: Judging | None = None,
    read: Callable[[OpenedSpec], Measured] = open_measured,
) -> AnyCompiled:
    """Compile an opened spec; `read` opens its trace.

    The other arguments are those of `compile_policy`.
    """
    given = overrides or {}
    warnings = [*opened.warnings]
    with complete_errors(opened.loaded, given, warnings):
        spec = opened.spec.with_search(given)
        how = thread_count(threads), progress
        compilation = Compilation(opened, spec, given, previous, *how, judging)
        return _compile_measured(compilation, read, warnings)


@dataclass(frozen=True)
class _RequestedParts:
    """Optional parts of a compile, beyond the formula's table; None if not requested."""

    control: ControlProblem | Controller | None
    aim: TuningObjective | None
    best: AutoChoice | AutoTuning | None
    ambiguity: Ambiguity | None


def _compile_measured(
    compilation: Compilation, read_trace: Callable[[OpenedSpec], Measured], warnings: list[Finding]
) -> AnyCompiled:
    """Compile by the type of trace. Each finding is added to `warnings` as soon as it is known."""
    searches, opened = _requested_parts(compilation), compilation.opened
    compilation.progress("reading the trace", 0.0)
    read = read_trace(opened)
    warnings += read.trace.warnings
    match read:
        case OpenedTrace():
            return _for_requests(compilation, searches, read, warnings)
        case OpenedThroughput():
            return _for_rows(compilation, read, warnings)
        case OpenedTokens():
            tokens = parts_of_tokens(opened, read)
            compiled = _without_replay(compilation, tokens, read.reading, warnings)
            return _with_token_estimates(compiled, compilation, tokens.design)
        case OpenedDays():
            days = parts_of_days(read)
            compiled = _without_replay(compilation, days, read.reading, warnings)
            return _with_later_jobs(compiled, compilation, days.design)


def _for_rows(
    compilation: Compilation, read: OpenedThroughput, warnings: list[Finding]
) -> AnyCompiled:
    """Compile shares; the best controller is chosen if the spec leaves it open."""
    from tailc.pipeline.auto.shares import with_best_controller
    from tailc.pipeline.static_share import static_remarks
    from tailc.problems.shares import ControllerChoice

    rows = parts_of_rows(compilation.opened, read)
    compiled = _without_replay(compilation, rows, read.reading, warnings)
    choice = compiled.sweep.chosen.problem.choice
    if choice is not ControllerChoice.NONE:
        policy, changed = with_best_controller(compiled.policy, rows.design, choice)
        policy = next_generation(policy, compilation.previous)
        compiled = replace(compiled, policy=policy, findings=(*compiled.findings, *changed))
    if compilation.judging is None:
        return compiled
    remarks = static_remarks(compiled.policy, rows.design, choice)
    return replace(compiled, findings=(*compiled.findings, *remarks))


def _with_later_jobs(compiled: AnyCompiled, compilation: Compilation, days: Days) -> AnyCompiled:
    """State the rule that decides about jobs that the plan does not include."""
    from tailc.pipeline.later_jobs.choice import with_rule

    later = compilation.opened.kind.later_jobs(compilation.spec)
    weights = compiled.sweep.chosen.problem.weights
    chosen = with_rule(compiled.policy, later, days, weights, compilation.progress)
    policy = next_generation(chosen.policy, compilation.previous)
    return replace(compiled, policy=policy, findings=(*compiled.findings, *chosen.findings))


def _with_token_estimates(
    compiled: AnyCompiled, compilation: Compilation, design: TokenTrace
) -> AnyCompiled:
    """Add replayed estimates, if requested.

    Raises TailcError if the policy misses an SLO, unless that is allowed.
    """
    if compilation.judging is None:
        return compiled
    from tailc.pipeline.token_estimates import check_token_estimates, with_token_estimates

    policy = with_token_estimates(compiled.policy, design, compilation.threads)
    loaded, spec = compilation.opened.loaded, compilation.spec
    allows = compilation.judging.allows_misses or allows_misses(spec)
    found = check_token_estimates(policy, loaded, allows_misses=allows)
    return replace(compiled, policy=policy, findings=(*compiled.findings, *found))


def _requested_parts(compilation: Compilation) -> _RequestedParts:
    """The requested optional parts. Raises TailcError for parts that the spec cannot have."""
    kind, spec = compilation.opened.kind, compilation.spec
    return _RequestedParts(
        kind.control(spec, compilation.opened.loaded),
        kind.tuning.aim(spec),
        kind.tuning.best(spec),
        kind.robust(spec),
    )


def _without_replay(
    compilation: Compilation, parts: TraceParts[D], reading: TraceReading, warnings: list[Finding]
) -> CompiledPolicy[Any, Any, D]:
    """Compile a policy whose solution needs no passes: one candidate, as solved."""
    compilation.check_previous()
    solved = solve_all(compilation, parts, reading)
    sweep = CandidateSet(solved.candidates)
    policy = next_generation(sweep.chosen.policy, compilation.previous)
    compiled = CompiledPolicy(policy, sweep, parts.design, tuple(warnings))
    return _with_remarks(compiled, compilation, solved)


def _for_requests(
    compilation: Compilation, searches: _RequestedParts, read: OpenedTrace, warnings: list[Finding]
) -> CompiledPolicy[Any, Any, DemandProfile]:
    """Compile a policy whose table is chosen, tuned and checked on replays of the requests."""
    opened = compilation.opened
    parts = parts_of_requests(opened, read)
    warnings += parts.warnings
    requests = holdback(parts.design) if searches.best else in_sample(parts.design)
    parts = replace(parts, design=requests.searched)
    aim = _full_objective(read, parts.design, searches.aim, compilation, warnings)
    days = _days(searches.ambiguity, opened, read)
    compilation.check_previous()
    solved = solve_all(compilation, parts, read.reading)
    sample = DesignSample(parts.design, compilation.threads, compilation.progress)
    sweep = _choose(solved, sample, aim)
    chosen = sweep.chosen
    slo_warnings = handler_of(chosen.problem).check_slos(chosen.problem, opened.spec, opened.loaded)
    warnings += slo_warnings
    passes = (
        *_control_passes(searches),
        *_tuning_passes(searches, aim, days, sweep, requests),
        *_check_passes(compilation, aim),
        *_estimate_passes(compilation, searches, requests, unattainable_slos(slo_warnings)),
    )
    policy, additions = _run_passes(passes, chosen.policy, sample, warnings)
    policy = next_generation(policy, compilation.previous)
    warnings += quantum_beyond_demand(policy, sample.design, opened.loaded)
    compiled = CompiledPolicy(policy, sweep, sample.design, tuple(warnings), additions)
    return _with_remarks(compiled, compilation, solved)


def _choose(
    solved: SolvedCandidates, sample: DesignSample, aim: TuningObjective | None
) -> CandidateSet[Any, Any]:
    """The candidates with the best one on replays; one alone is not replayed."""
    if len(solved.candidates) == 1:
        return CandidateSet(solved.candidates)
    from tailc.pipeline.candidate_choice import choose_candidate

    return choose_candidate(solved.candidates, sample.design, sample.threads, sample.progress, aim)


def _tuning_passes(
    searches: _RequestedParts,
    aim: TuningObjective | None,
    days: RowDays | None,
    sweep: CandidateSet[Any, Any],
    requests: Holdback,
) -> Iterator[Pass]:
    """The requested passes that improve on the formula's table."""
    if aim is not None and searches.best is None and searches.ambiguity is None:
        from tailc.pipeline.passes.table_tuning import TableTuning

        yield TableTuning(aim)
    if aim is not None and searches.best is not None:
        yield _auto_pass(searches.best, searches.control, aim, sweep, requests)
    if searches.ambiguity is not None:
        from tailc.pipeline.passes.robustness import RadiusSearch, RobustTuning

        if aim is not None and searches.best is None:
            yield RobustTuning(aim, searches.ambiguity, days)
        else:
            yield RadiusSearch(searches.ambiguity)


def _auto_pass(
    auto: AutoChoice | AutoTuning,
    control: ControlProblem | Controller | None,
    aim: TuningObjective,
    sweep: CandidateSet[Any, Any],
    requests: Holdback,
) -> Pass:
    """The pass of the method `auto` for this kind."""
    if isinstance(auto, AutoTuning):
        from tailc.pipeline.auto.effort import Effort
        from tailc.pipeline.passes.table_tuning import CandidateTuning

        return CandidateTuning(aim, Effort(auto.effort))
    from tailc.pipeline.passes.best_table import BestClocks, BestTable, BestWithController

    if sweep.chosen.policy.tail_table is not None:
        return BestClocks(aim, auto, requests)
    formulas = tuple(one.policy.ladders[0] for one in sweep.candidates)
    best = BestTable(aim, auto, formulas, requests)
    if control is None or isinstance(control, Controller):
        return best
    return BestWithController(best, control)


def _control_passes(searches: _RequestedParts) -> Iterator[Pass]:
    """The pass that makes the controller, if there is one, unless `auto` is to compare it."""
    control = searches.control
    if control is None or (searches.best is not None and not isinstance(control, Controller)):
        return
    from tailc.pipeline.passes.control import control_pass

    yield control_pass(control)


def _full_objective(
    read: OpenedTrace,
    design: DemandProfile,
    aim: TuningObjective | None,
    compilation: Compilation,
    warnings: list[Finding],
) -> TuningObjective | None:
    """The tuning objective with the recorded arrivals and the spec's other SLOs."""
    if aim is None:
        return None
    from tailc.pipeline.objectives import with_objectives
    from tailc.pipeline.tuning_arrivals import with_recorded

    aim, remarks = with_recorded(aim, read)
    warnings += remarks
    return with_objectives(aim, compilation.spec.slos, design)


def _days(ambiguity: Ambiguity | None, opened: OpenedSpec, read: OpenedTrace) -> RowDays | None:
    """The day of each design request, if the mix of days is uncertain."""
    if ambiguity is None or ambiguity.days is None:
        return None
    from tailc.pipeline.design_days import design_days

    return design_days(opened, read, ambiguity.days)


def _check_passes(compilation: Compilation, aim: TuningObjective | None) -> Iterator[Pass]:
    """The pass for the overload rule, then the check of several SLOs."""
    kind = compilation.opened.kind
    if (overload := kind.overload(compilation.spec)) is not None:
        from tailc.pipeline.passes.overload import OverloadControl

        yield OverloadControl(overload)
    if len(compilation.spec.slos) > 1:
        from tailc.pipeline.passes.objectives import ObjectivesCheck

        yield ObjectivesCheck(aim, compilation.opened.loaded, kind.tuning.is_possible)


def _estimate_passes(
    compilation: Compilation,
    searches: _RequestedParts,
    requests: Holdback,
    unattainable: frozenset[int],
) -> Iterator[Pass]:
    """The pass that replays the final policy, if requested.

    A policy tuned on recorded arrivals has no estimates: the recorded times are not available to
    it.
    """
    if searches.aim is not None and searches.aim.recorded is not None:
        return
    if compilation.judging is not None and compilation.spec.rates_mrps:
        from tailc.pipeline.auto.effort import Effort
        from tailc.pipeline.passes.estimates import EstimatesPass

        effort = Effort(searches.best.effort) if searches.best else Effort.NORMAL
        allows = compilation.judging.allows_misses or allows_misses(compilation.spec)
        is_auto = searches.best is not None
        loaded = compilation.opened.loaded
        yield EstimatesPass(requests, effort, loaded, Judging(allows), is_auto, unattainable)


def _run_passes(
    passes: Iterable[Pass], policy: Policy, sample: DesignSample, warnings: list[Finding]
) -> tuple[Policy, tuple[Addition, ...]]:
    """Run all passes; returns the policy and their additions."""
    additions: list[Addition] = []
    for one in passes:
        step = one.apply(policy, sample)
        policy = step.policy
        additions += step.additions
        warnings += step.findings
    return policy, tuple(additions)


# Findings that apply to the formula's table only.
_OF_FORMULA = (Code.PREDICTED_MISS, Code.HOPEFUL_SUM)


def _with_remarks(
    compiled: CompiledPolicy[P, S, D], compilation: Compilation, solved: SolvedCandidates
) -> CompiledPolicy[P, S, D]:
    """Add the remarks on the solution, and the warnings of infeasible candidates."""
    chosen = compiled.sweep.chosen
    remarks = handler_of(chosen.problem).remarks(chosen.problem, chosen.solution)
    if compiled.has_tuned_table:
        remarks = tuple(one for one in remarks if one.code not in _OF_FORMULA)
    loaded, overridden = compilation.opened.loaded, compilation.overrides
    placed_remarks = [with_place(finding, loaded, overridden) for finding in remarks]
    placed_remarks += coarse_settings(compiled.policy, loaded)
    return replace(compiled, findings=(*compiled.findings, *placed_remarks, *solved.refused))
