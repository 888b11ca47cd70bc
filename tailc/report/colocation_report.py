"""Reports of a compile about batch work on the same chip and about the chip's power limit."""

from __future__ import annotations

from tailc.percentiles import PPM
from tailc.problems.colocation import BatchPair, PairSearch, PowerLimitEffect, Throttling
from tailc.problems.tail_table import TailProblem, TailSolution
from tailc.report.json_data import json_data
from tailc.report.table import align_columns
from tailc.units import format_khz, format_mrps, format_mw, plural

_DIGITS = 4
_BY = {PairSearch.ENUMERATION: "", PairSearch.HILL_CLIMBING: ", by hill climbing"}
_OUTCOMES = {
    Throttling.NONE: "within it",
    Throttling.BATCH_SLOWED: "batch work slows down",
    Throttling.BATCH_STOPPED: "batch work slows down, then stops",
    Throttling.REQUESTS_SLOWED: "requests slow down, last of all",
}


def colocated_result(problem: TailProblem, solution: TailSolution) -> dict[str, object]:
    """Build the JSON data of batch work and of power throttling, if the spec has them."""
    result: dict[str, object] = {}
    if solution.pair is not None:
        result["batch"] = _pair_dict(problem, solution.pair)
    if solution.throttled:
        result["throttled"] = [json_data(each) for each in solution.throttled]
    return result


def _pair_dict(problem: TailProblem, pair: BatchPair) -> dict[str, object]:
    assert problem.batch is not None
    khz = [level.frequency_khz for level in problem.levels]
    return {
        "rate_mrps": problem.batch.rate_mrps,
        "least_khz": khz[pair.least_level],
        "frequency_khz": khz[pair.level],
        "busy_ppm": pair.busy_ppm,
        "search": problem.batch.search.value,
        "micro_work_per_joule": pair.micro_work_per_joule,
        "pairs": [
            {"requests_khz": requests, "batch_khz": None if best is None else khz[best]}
            for requests, best in zip(khz, pair.best_levels, strict=True)
        ],
    }


def colocated_text(problem: TailProblem, solution: TailSolution) -> tuple[str, ...]:
    """Format how batch work runs and how power is limited, one paragraph each.

    Empty if the spec has neither.
    """
    paragraphs = []
    if solution.pair is not None:
        paragraphs.append(_pair_text(problem, solution.pair))
    if solution.throttled:
        paragraphs.append(_throttled_text(problem, solution.throttled))
    return tuple(paragraphs)


def _pair_text(problem: TailProblem, pair: BatchPair) -> str:
    assert problem.batch is not None
    khz = [level.frequency_khz for level in problem.levels]
    least, own = (format_khz(khz[level]) for level in (pair.least_level, pair.level))
    head = (
        f"batch      by mean times {pair.micro_work_per_joule / PPM:.{_DIGITS}g} of work per joule "
        f"at {own}, requests at {least} at least: {pair.busy_ppm / PPM:.1%} busy at "
        f"{format_mrps(problem.batch.rate_mrps)}{_BY[problem.batch.search]}"
    )
    rows = [("requests at", "best for batch work"), *_batch_rows(khz, pair.best_levels)]
    return f"{head}\n\n{align_columns(rows, numbers=(0, 1))}"


def _batch_rows(khz: list[int], best_levels: tuple[int | None, ...]) -> list[tuple[str, str]]:
    return [
        (format_khz(requests), "- (overloaded)" if best is None else format_khz(khz[best]))
        for requests, best in zip(khz, best_levels, strict=True)
    ]


def _throttled_text(problem: TailProblem, throttled: tuple[PowerLimitEffect, ...]) -> str:
    assert problem.host is not None
    assert problem.host.tdp_mw is not None
    title = ("requests on", "without limit", "with limit", "", "requests", "batch work")
    rows = [title, *(_throttled_row(each) for each in throttled)]
    table = align_columns(rows, numbers=(1, 2, 4))
    return f"limit      {format_mw(problem.host.tdp_mw)} of the chip\n\n{table}"


def _throttled_row(each: PowerLimitEffect) -> tuple[str, ...]:
    return (
        plural(each.requests, "core"),
        format_mw(each.unlimited_mw),
        format_mw(each.power_mw),
        _OUTCOMES[each.outcome],
        "-" if each.requests_khz is None else format_khz(each.requests_khz),
        _batch_text(each) or "-",
    )


def _batch_text(each: PowerLimitEffect) -> str:
    by_khz = {khz: each.batch_khz.count(khz) for khz in sorted(set(each.batch_khz))}
    paragraphs = [f"{plural(count, 'core')} at {format_khz(khz)}" for khz, count in by_khz.items()]
    stopped = [f"{plural(each.stopped, 'core')} without"] if each.stopped else []
    return ", ".join([*paragraphs, *stopped])
