"""Token budgets of a language model's server: fit the times of iterations, and find the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.step_times import PartFit, SumFit, fit_sum

from tailc.artifact.envelope import REPLAYED
from tailc.errors import Code, Finding, Severity, TailcError
from tailc.experiment.block_means import to_ppm
from tailc.experiment.token_replays import check_requests
from tailc.forms.budget_table import BatchEngine, BudgetTable
from tailc.forms.step_times import StepPart, StepTimes, least_prompt_ns, step_ns
from tailc.percentiles import percentile_rank
from tailc.problems.token_budgets import (
    FitErrors,
    TokenBudgetProblem,
    TokenBudgetSolution,
    TokenMethod,
)
from tailc.progress import Progress
from tailc.specs.slo import Metric, Slo
from tailc.tuning.token_budgets import BudgetGrid, BudgetSearch, budget_grid
from tailc.units import format_ppm, format_us

_NS_PER_US = 1_000
# Above it the profile does not predict iterations well enough for a tail.
_LARGE_ERROR_PPM = 100_000
# Parts of the limit of gaps, and times the mean context, of tables from which a search starts.
_PARTS, _CONTEXTS = (0.85, 0.95, 1.05, 1.2), (0.7, 1.0, 1.5)
_SOLVER = "tailc_solvers.step_times"


def solve_for_budgets(
    problem: TokenBudgetProblem, threads: int, progress: Progress
) -> TokenBudgetSolution:
    """Find the token-budget table by the method of the problem.

    Raises TailcError for a profile without prompts or without decoding, for requests that do not
    fit into the cache, and for an SLO that no table meets.
    """
    _check_profile(problem)
    fitted = _fit(problem)
    engine = BatchEngine(
        problem.kv_blocks, problem.block_tokens, problem.max_sequences, step_times(fitted)
    )
    check_requests(problem.trace, engine, problem.slos)
    _check_slos(problem, engine)
    errors = FitErrors(to_ppm(fitted.error), to_ppm(fitted.worst), fitted.segments)
    grid = replace(
        budget_grid(engine, problem.trace, problem.largest_budget),
        step=problem.budget_step,
        is_monotone=problem.is_monotone,
    )
    if problem.method is TokenMethod.ONE_STEP:
        table = one_step_table(grid, _gap_limit_ns(problem.slos), lambda _: engine.cache_tokens)
        return TokenBudgetSolution(table, errors, 1, "by-definition", _SOLVER)
    with ThreadPoolExecutor(threads) as workers:
        search = BudgetSearch(
            grid, problem.slos, problem.objective, problem.effort, workers, progress
        )
        starts = _starts(problem, grid)
        tuned = search.run(problem.trace, problem.rates_mrps, starts)
    return TokenBudgetSolution(
        tuned.table,
        errors,
        tuned.evaluations,
        REPLAYED,
        f"{_SOLVER}; cmaes",
        tuned.static.rows[0].budgets[0],
        tuned.is_tuned,
    )


def budget_settings(problem: TokenBudgetProblem, solution: TokenBudgetSolution) -> dict[str, int]:
    """Evidence of a token-budget policy: the numbers of its search and of its fitted times."""
    found = {
        "fit_error_ppm": solution.fit.mean_ppm,
        "fit_worst_ppm": solution.fit.worst_ppm,
        "fit_segments": solution.fit.segments,
        "profile_rows": len(problem.steps.time_ns),
        "largest_budget": problem.largest_budget,
    }
    if problem.budget_step > 1:
        found["budget_step"] = problem.budget_step
    if solution.static_tokens is not None:
        found |= {"static_tokens": solution.static_tokens, "is_tuned": int(solution.is_tuned)}
    return found


def budget_remarks(
    problem: TokenBudgetProblem, solution: TokenBudgetSolution
) -> tuple[Finding, ...]:
    """Warn of a profile with large errors or small iterations, and of a search without gain."""
    return (*_remarks(solution), *_beyond_profile(problem, solution.table))


def _beyond_profile(problem: TokenBudgetProblem, table: BudgetTable) -> Iterator[Finding]:
    """Warnings about budgets, and numbers of sequences, that no measured iteration reaches."""
    tokens = int((problem.steps.prompt + problem.steps.decoding).max())
    sequences = int(problem.steps.decoding.max())
    largest = max(max(row.budgets) for row in table.rows)
    for most, allowed, what, key in (
        (tokens, largest, "tokens, but the table has budgets of up to", "max_budget"),
        (
            sequences,
            problem.max_sequences,
            "decoding sequences, but the engine batches up to",
            "max_sequences",
        ),
    ):
        if most and most < allowed:
            yield Finding(
                Code.BEYOND_PROFILE,
                f"the profile has iterations of up to {most:,} {what} {allowed:,}; times beyond it "
                "are extended with the last slope",
                help=f"measure larger iterations, or set `engine.{key}: {most}`",
                severity=Severity.WARNING,
                about=("engine", "steps"),
            )


def _check_profile(problem: TokenBudgetProblem) -> None:
    """Raise TailcError (EMPTY_TRACE) for a profile without prompts, or without decoding."""
    steps = problem.steps
    decodes = bool(steps.decoding.any()) or int(problem.trace.output.max()) == 1
    missing = [
        what
        for what, is_there in (
            ("prompt tokens", bool(steps.prompt.any())),
            ("decoding sequences", decodes),
        )
        if not is_there
    ]
    if missing:
        message = (
            f"the profile has no iteration with {' or '.join(missing)}, so their time is unknown"
        )
        hint = "measure iterations with prompts alone, with decoding alone, and with both"
        about = ("engine", "steps")
        raise TailcError(Finding(Code.EMPTY_TRACE, message, help=hint, about=about))


def _remarks(solution: TokenBudgetSolution) -> Iterator[Finding]:
    if solution.fit.mean_ppm > _LARGE_ERROR_PPM:
        yield Finding(
            Code.NOISY_MODEL,
            "the fitted times of iterations differ from measured ones, which the fit did not see, "
            f"by {format_ppm(solution.fit.mean_ppm)} on average",
            help="measure each size of iteration several times, and write the mean",
            severity=Severity.WARNING,
            about=("engine", "steps"),
        )
    if solution.static_tokens is not None and not solution.is_tuned:
        yield Finding(
            Code.NO_BETTER_TABLE,
            f"no table is better than one budget of {solution.static_tokens:,} tokens on requests "
            "that the search did not see, so the policy has this budget",
            help="set it in the engine; or raise `search.effort`, or give a longer trace",
            severity=Severity.WARNING,
        )


def one_step_table(
    grid: BudgetGrid, limit_ns: int, context_of: Callable[[int], int]
) -> BudgetTable:
    """Make the table whose budgets are the largest with an iteration within a time limit.

    A row holds for numbers of decoding sequences up to below the next row; its largest number
    counts. context_of: tokens in the cache of that number of sequences. If the decoding sequences
    alone take longer than the limit, no prompt is computed. Without decoding sequences the largest
    budget applies.
    """
    ends = (*grid.first_decoding[1:], grid.engine.max_sequences + 1)
    budgets = [
        grid.largest_budget
        if first == 0
        else _largest(grid, min(end - 1, grid.engine.max_sequences), limit_ns, context_of)
        for first, end in zip(grid.first_decoding, ends, strict=True)
    ]
    columns = len(grid.first_waiting)
    return grid.table(
        np.repeat(np.array(budgets, np.int64)[:, None], columns, axis=1),
        grid.engine.max_sequences,
    )


def step_times(fitted: SumFit) -> StepTimes:
    """Convert fitted times of iterations to whole nanoseconds."""
    return StepTimes(max(round(fitted.constant), 1), *map(_part, fitted.parts))


def _part(fitted: PartFit) -> StepPart:
    knots = tuple(map(int, fitted.knots.tolist()))
    return StepPart(knots, tuple(round(value) for value in fitted.values.tolist()))


def _fit(problem: TokenBudgetProblem) -> SumFit:
    steps = problem.steps
    prompt, decoding, context = (
        each.astype(np.float64) for each in (steps.prompt, steps.decoding, steps.context)
    )
    amounts: list[NDArray[np.float64]] = [prompt + decoding, prompt, decoding, context]
    return fit_sum(amounts, steps.time_ns.astype(np.float64))


def _starts(problem: TokenBudgetProblem, grid: BudgetGrid) -> list[BudgetTable]:
    """One-step tables for contexts and limits near the mean context and the limit of gaps."""
    if not any(map(_is_gap, problem.slos)):
        return []
    limit_ns, trace = _gap_limit_ns(problem.slos), problem.trace
    # Long outputs decode for longer, so they have more weight.
    mean = float(np.average(trace.prompt + trace.output / 2, weights=trace.output))

    def context_of(times: float) -> Callable[[int], int]:
        return lambda decoding: min(round(times * mean * decoding), grid.engine.cache_tokens)

    return [
        one_step_table(grid, round(part * limit_ns), context_of(times))
        for part in _PARTS
        for times in _CONTEXTS
    ]


def _gap_limit_ns(slos: tuple[Slo, ...]) -> int:
    return min(slo.latency_us for slo in slos if _is_gap(slo)) * _NS_PER_US


def _largest(
    grid: BudgetGrid, decoding: int, limit_ns: int, context_of: Callable[[int], int]
) -> int:
    """The largest budget whose iteration takes at most the limit; 0 if there is none."""
    step, context = grid.engine.step, context_of(decoding)

    def fits(prompt: int) -> bool:
        return step_ns(step, prompt, decoding, context) <= limit_ns

    if not fits(1):
        return 0
    low, high = 1, max(grid.largest_budget - decoding, 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return min(low + decoding, grid.largest_budget)


def _is_gap(slo: Slo) -> bool:
    return slo.metric in (Metric.ITL, Metric.TPOT)


def _check_slos(problem: TokenBudgetProblem, engine: BatchEngine) -> None:
    """Raise TailcError (INFEASIBLE) for each SLO that is missed even if a request is alone."""
    findings = []
    for number, slo in enumerate(problem.slos):
        least_us = -(-_least_ns(problem, engine, slo) // _NS_PER_US)
        if least_us > slo.latency_us:
            findings.append(
                Finding(
                    Code.INFEASIBLE,
                    f"`{slo}` cannot be met: even alone on the engine, requests take "
                    f"{format_us(least_us)}",
                    help=f"relax the latency to more than {format_us(least_us)}",
                    about=("slo", number, "latency"),
                )
            )
    if findings:
        raise TailcError(findings)


def _least_ns(problem: TokenBudgetProblem, engine: BatchEngine, slo: Slo) -> int:
    """The percentile of an SLO if each request of its class is alone on the engine [ns]."""
    trace = problem.trace
    prompt, cached = trace.prompt, trace.cached
    if trace.request_class is not None and slo.request_class is not None:
        chosen = trace.request_class == slo.request_class
        prompt, cached = prompt[chosen], cached[chosen]
    if _is_gap(slo):
        return step_ns(engine.step, 0, 1, int(prompt.min()))
    place = percentile_rank(slo.percentile_ppm, len(prompt)) - 1
    tokens = int(np.partition(prompt - cached, place)[place])
    return least_prompt_ns(engine.step, tokens, problem.largest_budget)
