"""Choose the best tail table: the paper's, with or without feedback, one frequency, or a search.

A tail table gives the core frequency that each queue of requests needs. Tables are compared first
by the SLOs and then by energy: on resamples of the records, and on replays of requests that no
search used. With batch work, the energy of a unit of that work counts; tables then also differ in
the least frequency of requests and in that of batch work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, Severity
from tailc.experiment.sizes import Seed
from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.controller import Controller
from tailc.forms.fixed_frequency import fixed_frequency, fixed_level
from tailc.forms.tail_table import Batch, TailTable, least_level
from tailc.models.core_queues.batch_model import batch_model_of, pair_text
from tailc.models.core_queues.clocks import Clocks
from tailc.models.core_queues.model import CoreQueues, pairs_by_hand, tried_levels
from tailc.models.execution_model import Subject
from tailc.models.steering import settling
from tailc.models.workload import Workload, clocked_workload
from tailc.percentiles import PPM
from tailc.pipeline.auto.best import SEARCHED, Best
from tailc.pipeline.auto.budgeted_objective import aim_within
from tailc.pipeline.auto.choice import FORMULA, AutoResult, chosen_evidence, doubt_remarks
from tailc.pipeline.auto.comparison import ComparedTable, Comparison, best_compared, forgone
from tailc.pipeline.auto.effort import Budget, Effort
from tailc.pipeline.auto.holdback import Holdback
from tailc.pipeline.auto.rivals import Option, promising
from tailc.progress import Progress
from tailc.specs.auto_settings import AutoChoice
from tailc.tuning.clock_problem import clock_problem
from tailc.tuning.core_queues_space import with_bound_scaled
from tailc.tuning.operating_point import operating_points
from tailc.tuning.samples import screening_sample
from tailc.tuning.scaled_table import relax_to_limit
from tailc.tuning.tuned_table import TunedTable, tune_table
from tailc.tuning.tuning_problem import TuningProblem
from tailc.tuning.tuning_sample import TuningSample
from tailc.units import format_khz

WITH_FEEDBACK, OTHER_BOUND = f"{FORMULA} with feedback", f"{FORMULA} with another bound"
# Parts of the limit that the percentile of a table uses: the smaller the part, the more samples of
# the same distribution meet the SLO.
_MARGINS_PPM = (1_000_000, 950_000, 900_000)
# Parts of its bound with which the published table is tried if no table is safe.
_SHORTER_PPM = (900_000, 800_000, 700_000, 600_000, 500_000)
# Parts of its bound with which the published table is tried next to batch work.
_BATCH_BOUNDS_PPM = (1_000_000, 700_000, 500_000, 350_000, 250_000, 180_000, 120_000)
# A smaller difference on these requests may not be one on others.
_HARDLY_MORE = 0.02
# Tables that lose in more of the resamples than that are ranked by their regret.
_MOSTLY = 0.5
# Largest window of a controller in the comparison, in requests. Longer ones measure a tail more
# exactly, but settle later.
_MOST_WINDOW = 1_000


@dataclass(frozen=True)
class ClockPolicy:
    """A tail table, and the feedback controller that scales its latency bound, or None."""

    table: TailTable
    controller: Controller | None = None


@dataclass(frozen=True, eq=False)
class ReplayedCores:
    """The simulated cores on which tail tables are compared; implements `TableServer`."""

    load: Workload
    cores: int
    subject_of: Callable[[ClockPolicy], Subject]
    settling: int


def best_clocks(
    policy: Policy,
    clock_khz: int,
    aim: TuningObjective,
    asked: AutoChoice,
    requests: Holdback,
    threads: int,
    progress: Progress,
) -> tuple[Policy, AutoResult]:
    """Choose the tail table that meets the SLOs with the least energy.

    The result may have another table, or no feedback. clock_khz: frequency at which demand was
    measured. aim: the objective of a search, with the limit of the percentile.
    """
    table = policy.tail_table
    assert table is not None
    clocks = Clocks(table, clock_khz, batch_model=batch_model_of(policy))
    own = ClockPolicy(table, policy.controller)
    # Before a policy is written the SLO itself is what counts.
    slo_us = policy.slos[0].latency_us
    judged = replace(aim, target_us=slo_us, limit_us=slo_us)
    judging = clocked_workload(requests.judging, clocks)
    effort = Effort(asked.effort)
    with ThreadPoolExecutor(threads) as workers:
        progress("replaying what could be set by hand", 0.0)
        cores = cores_of(own, clock_problem(clocks, requests.searched, aim), clocks)
        scenes = operating_points(cores.load, judged, cores.settling)
        repeats = effort.budget.screening
        screening = screening_sample(cores, scenes, judged, repeats, Seed.DESIGN, workers)
        fixed = promising(_fixed_frequencies(clocks), screening, judged)
        formulas = _formula_policies(own, clocks, screening, judged)
        risk = asked.risk_ppm / PPM
        comparison = Comparison(
            cores, fixed, screening, judging, judged, effort.budget, risk, workers
        )
        published = [one for each in formulas for one in _published_tables(each)]
        found = comparison.compare(published)
        formula = best_compared([one for one in found if one.option.name == FORMULA]).option.table
        found += comparison.baselines()
        towards = partial(clock_problem, replace(clocks, table=formula.table), requests.searched)
        tuned = _tune(effort, aim, towards, threads, progress)
        progress("judging the tables", 1.0)
        if effort.budget.tuned:
            found += comparison.compare(
                _with_margins(formula, tuned, towards(aim), aim, effort.budget, workers)
            )
        if not any(one.is_safe for one in found):
            found += comparison.compare(list(_shorter(formula)))
    taken = _prefer_feedback(found)
    spent = (0, 0) if tuned is None else (tuned.evaluations, tuned.requests)
    unsafe = forgone(taken, found)
    best = Best(taken.option, tuple(fixed), taken.loss_share, taken.is_safe, unsafe, *spent)
    chosen = AutoResult(best, asked, requests.is_held_out, requests.judging.total_weight)
    return _with_forms(policy, taken.option.table, chosen), chosen


def cores_of(own: ClockPolicy, problem: TuningProblem[TailTable], clocks: Clocks) -> ReplayedCores:
    """The cores of a tuning problem, with the policy's controller, for replays."""

    def subject_of(one: ClockPolicy) -> CoreQueues:
        steering = one.controller and _settling_soon(one.controller)
        return CoreQueues("table", replace(clocks, table=one.table), steering)

    own_settling = settling(own.controller and _settling_soon(own.controller))
    return ReplayedCores(problem.load, problem.cores, subject_of, own_settling)


def _settling_soon(controller: Controller) -> Controller:
    """The controller with a shorter window, and epochs that are shorter in proportion."""
    window = min(controller.window_requests, _MOST_WINDOW)
    epoch = max(controller.epoch_requests * window // controller.window_requests, 1)
    return replace(controller, window_requests=window, epoch_requests=epoch)


def _published_tables(own: ClockPolicy) -> Iterator[Option[ClockPolicy]]:
    if own.controller is not None:
        yield Option(WITH_FEEDBACK, own)
    yield Option(FORMULA, ClockPolicy(own.table))


def _formula_policies(
    own: ClockPolicy, clocks: Clocks, screening: TuningSample[ClockPolicy], judged: TuningObjective
) -> list[ClockPolicy]:
    """The published table; with batch work also with promising pairs of frequencies and bounds.

    A pair is the least frequency of requests, and that of batch work. The shorter the bound, the
    more requests run faster where there are many, which leaves more time for batch work.
    """
    with_pairs = [replace(own.table, batch=pair) for pair in pairs_by_hand(clocks)]
    if not with_pairs:
        return [own]

    def best_of(tables: Iterable[TailTable]) -> list[TailTable]:
        options = [Option(FORMULA, ClockPolicy(table)) for table in dict.fromkeys(tables)]
        return [one.table.table for one in promising(options, screening, judged)]

    found = best_of(
        with_bound_scaled(one, part) for one in with_pairs for part in _BATCH_BOUNDS_PPM
    )
    found = best_of(replace(one, batch=pair) for one in found for pair in _other_pairs(one, clocks))
    return [replace(own, table=table) for table in dict.fromkeys([own.table, *found])]


def _other_pairs(table: TailTable, clocks: Clocks) -> Iterator[Batch]:
    """Pairs with the least frequency of a table, and each frequency of batch work (at most 16)."""
    assert table.batch is not None
    for level in tried_levels(table):
        pair = clocks.batch_model.pair(table.batch.least_khz, table.levels[level].frequency_khz)
        if pair is not None:
            yield pair


def _fixed_frequencies(clocks: Clocks) -> list[Option[ClockPolicy]]:
    """A table for each frequency of requests (at most 16, at equal distances), or each pair."""
    table = clocks.table
    if pairs := pairs_by_hand(clocks):
        with_pairs = ((pair_text(pair), replace(table, batch=pair)) for pair in pairs)
        named = [(name, one, least_level(one)) for name, one in with_pairs]
    else:
        names = [format_khz(level.frequency_khz) for level in table.levels]
        tried = (level for level in tried_levels(table) if level >= least_level(table))
        named = [(names[level], table, level) for level in tried]
    return [
        Option(f"fixed at {name}", ClockPolicy(fixed_frequency(one, level)))
        for name, one, level in named
    ]


def _shorter(own: ClockPolicy) -> Iterator[Option[ClockPolicy]]:
    return (
        Option(OTHER_BOUND, ClockPolicy(with_bound_scaled(own.table, part_ppm)))
        for part_ppm in _SHORTER_PPM
    )


def _tune(
    effort: Effort,
    aim: TuningObjective,
    towards: Callable[[TuningObjective], TuningProblem[TailTable]],
    threads: int,
    progress: Progress,
) -> TunedTable[TailTable] | None:
    """The result of a search; None if the effort has none."""
    within = aim_within(effort, aim, towards)
    return None if within is None else tune_table(within, towards, threads, progress)


def _with_margins(
    own: ClockPolicy,
    tuned: TunedTable[TailTable] | None,
    problem: TuningProblem[TailTable],
    aim: TuningObjective,
    budget: Budget,
    workers: Executor,
) -> list[Option[ClockPolicy]]:
    """The published and the tuned table, with bounds that use less and less of the SLO."""
    named = [(OTHER_BOUND, own.table)]
    if tuned is not None and tuned.table is not None:
        named.append((SEARCHED, tuned.table))
    scenes = operating_points(problem.load, aim)
    trials = screening_sample(problem, scenes, aim, budget.screening, Seed.SCALING, workers)
    assert aim.limit_us is not None
    found: list[Option[ClockPolicy]] = []
    for margin_ppm in _MARGINS_PPM:
        limit_us = max(aim.limit_us * margin_ppm // PPM, 1)
        limited = replace(aim, target_us=limit_us, limit_us=limit_us)
        for name, table in named:
            scaled = relax_to_limit(problem, table, trials, limited)
            if scaled.part_ppm is not None:
                found.append(Option(name, ClockPolicy(scaled.table)))
    return list(dict.fromkeys(found))


def _prefer_feedback(found: Sequence[ComparedTable[ClockPolicy]]) -> ComparedTable[ClockPolicy]:
    """The best table, or the formula's with feedback, where that is safe and costs hardly more.

    The feedback also holds the percentile of demand that changes. It holds the tail just below the
    limit, which short replays then miss by a little: so without a safe table the one is taken that
    loses in the fewest resamples, and not the one that misses the limit by least. If each loses in
    most resamples, as where each rate has another best setting, the one with the least regret is.
    """
    if not any(one.is_safe for one in found):
        return min(found, key=lambda one: (min(one.loss_share, _MOSTLY), one.regret))
    best = best_compared(found)
    steered = [one for one in found if one.option.table.controller and one.is_safe]
    return next((one for one in steered if one.change <= best.change + _HARDLY_MORE), best)


def _with_forms(policy: Policy, taken: ClockPolicy, chosen: AutoResult) -> Policy:
    """The policy with the chosen table and controller, and the evidence for them."""
    forms = (taken.table,) if taken.controller is None else (taken.table, taken.controller)
    evidence = chosen_evidence(policy.evidence, chosen, is_own=taken.table == policy.tail_table)
    return replace(policy, forms=forms, evidence=evidence)


def clock_remarks(chosen: AutoResult) -> tuple[Finding, ...]:
    """Warn if a fixed frequency is chosen, and give the warnings of any choice by `auto`."""
    doubts, table = doubt_remarks(chosen), chosen.best.option.table.table
    if fixed_level(table) is None:
        return doubts
    message = f"no table was found that is better than `{chosen.best.option.name}`, so the policy "
    message += "runs every request at that frequency"
    hint = "set a higher `--effort`, or give a longer trace"
    return (Finding(Code.NO_BETTER_TABLE, message, None, hint, Severity.WARNING), *doubts)
