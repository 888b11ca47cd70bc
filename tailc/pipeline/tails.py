"""Compute a tail table, and check it against the percentile of total times.

Solvers compute cycles and nanoseconds in floating point; entries are rounded up and starts of rows
down, so the table is never more optimistic. The rule adds a quantile of cycles and one of memory
time, which may be less than the quantile of their sum (Bartolini, 2015, section 3.4.1, calls it a
triangle inequality, which it is not); a significant shortfall causes a warning.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.tails.histogram import histogram
from tailc_solvers.tails.joint import joint_tables
from tailc_solvers.tails.tables import TailTables, tables_of, tail_tables

from tailc.errors import Code, Finding, Severity, TailcError
from tailc.forms.tail_table import LARGEST_CYCLES, LARGEST_TIME_NS, TailRow
from tailc.pipeline.colocation import best_pair, pair_settings, power_limit_effects
from tailc.pipeline.slo_checks import percentile_us
from tailc.problems.tail_table import (
    Distribution,
    RequestMoments,
    Shortfall,
    TailProblem,
    TailSolution,
)
from tailc.progress import Progress
from tailc.specs.slo import promise
from tailc.traces.profile import NS_PER_MS
from tailc.units import format_khz, format_mrps, format_us, plural

NS_PER_US = 1_000
# Buckets of the sums' histogram for the comparison; twice as fine as a table's own.
CHECK_BUCKETS = 256
# Halts before the running request ends: at this change of frequency, and at an arrival.
_HALTS = 2
# A row applies up to the next one's start; this start limits a row to requests not yet begun.
_BARELY_BEGUN = math.ulp(0.0)


def solve_for_tails(problem: TailProblem, _threads: int, progress: Progress) -> TailSolution:
    """Compute the rows of a tail table, in whole cycles and nanoseconds.

    Raises TailcError for a bound that a request alone misses at the highest frequency, and for
    rates that overload the cores at that frequency (INFEASIBLE), and if requests leave no time for
    batch work (OVERLOADED).
    """
    progress("filling the tail table", 0.0)
    least_us = _least_us(problem)
    if least_us > problem.bound_us:
        raise _out_of_reach(problem, least_us)
    pair = best_pair(problem)
    _check_rates(problem)
    fill = _joint if problem.method is Distribution.JOINT else _separate
    return replace(fill(problem, least_us), pair=pair, throttled=power_limit_effects(problem, pair))


def least_ns(problem: TailProblem) -> NDArray[np.int64]:
    """Time of each request without waiting at the highest frequency, rounded up [ns]."""
    return np.ceil(problem.service_ns(problem.highest_khz)).astype(np.int64)


def _least_us(problem: TailProblem) -> int:
    """Percentile of the times without waiting at the highest frequency, rounded up [us]."""
    return percentile_us(least_ns(problem), problem.profile.weight, problem.percentile_ppm)


def _out_of_reach(problem: TailProblem, least_us: int) -> TailcError:
    target = promise(problem.percentile_ppm, problem.bound_us)
    highest = format_khz(problem.highest_khz)
    message = (
        f"`{target}` cannot be met: even without waiting, a request takes {format_us(least_us)} "
        f"at that percentile and {highest}, the highest frequency"
    )
    hint = f"relax the latency to more than {format_us(least_us)}, or add a higher frequency"
    return TailcError(Finding(Code.INFEASIBLE, message, help=hint))


def _check_rates(problem: TailProblem) -> None:
    """Raise TailcError for each rate that overloads the cores at the highest frequency."""
    if problem.host is None:
        return
    cores, highest = problem.host.cores, format_khz(problem.highest_khz)
    most_mrps = problem.highest_mrps(cores)
    message = (
        f"is more than {plural(cores, 'core')} can serve at {highest}, the highest frequency: the "
        "queue grows without end"
    )
    hint = (
        f"the cores serve at most {format_mrps(most_mrps)}, and meet the SLO only at lower rates: "
        "compile for half of that; if the SLO is missed, the error names a rate that meets it in "
        "replays; or add cores or a higher frequency"
    )
    findings = [
        Finding(
            Code.INFEASIBLE,
            f"`{format_mrps(rate)}` {message}",
            help=hint,
            about=("rates", number),
        )
        for number, rate in enumerate(problem.rates_mrps)
        if rate > most_mrps
    ]
    if findings:
        raise TailcError(findings)


def _separate(problem: TailProblem, least_us: int) -> TailSolution:
    """Separate rows of compute cycles and of memory time [ns], each by its own elapsed amount."""
    cycles, memory = _table(problem, problem.cycles), _table(problem, problem.memory_ns)
    return TailSolution(
        cycles=_rows(cycles, LARGEST_CYCLES),
        memory_ns=_rows(memory, LARGEST_TIME_NS, problem.halt_ns),
        least_us=least_us,
        moments=_moments(problem),
        shortfalls=tuple(_shortfalls(problem, cycles, memory)),
        proof="by-definition",
        solver="tailc_solvers.tails.tables",
    )


def _table(problem: TailProblem, work: NDArray[np.float64]) -> TailTables:
    return tail_tables(
        work,
        problem.profile.weight,
        quantile=problem.quantile,
        buckets=problem.buckets,
        rows=problem.rows,
        positions=problem.positions,
        most_positions=problem.most_positions,
    )


def _joint(problem: TailProblem, least_us: int) -> TailSolution:
    """Rows by elapsed cycles alone; their sums with the memory times cover the total time."""
    joint = joint_tables(
        problem.cycles,
        problem.memory_ns,
        problem.profile.weight,
        frequency=[level.frequency_khz / NS_PER_MS for level in problem.levels],
        quantile=problem.quantile,
        buckets=problem.buckets,
        rows=problem.rows,
        positions=problem.positions,
        most_positions=problem.most_positions,
    )
    cycles = TailTables(joint.elapsed, joint.cycles, joint.unknown_from)
    return TailSolution(
        cycles=_rows(cycles, LARGEST_CYCLES),
        memory_ns=(_row(0.0, joint.memory, LARGEST_TIME_NS, problem.halt_ns),),
        least_us=least_us,
        moments=_moments(problem),
        shortfalls=(),
        proof="by-definition",
        solver="tailc_solvers.tails.joint",
    )


def _rows(tables: TailTables, most: int, halt_ns: int = 0) -> tuple[TailRow, ...]:
    """The table's rows including halts, and a last row that requests the highest frequency.

    The last row has entries of `most`: it is for requests longer than any measured one.
    """
    known = [
        _row(elapsed, left, most, halt_ns)
        for elapsed, left in zip(tables.elapsed.tolist(), tables.left, strict=True)
    ]
    unknown = TailRow(math.floor(tables.unknown_from) + 1, (most,) * len(known[0].left))
    return (*known, unknown)


def _row(elapsed: float, left: NDArray[np.float64], most: int, halt_ns: int = 0) -> TailRow:
    """A row of whole numbers.

    Entries above `most` all mean the highest frequency and become `most`.

    Before a request ends its core may halt now, at each exit of an earlier request, and at an
    arrival.
    """
    entries = tuple(
        min(math.ceil(entry) + (position + _HALTS) * halt_ns, most)
        for position, entry in enumerate(left.tolist())
    )
    return TailRow(math.floor(elapsed), entries)


def _moments(problem: TailProblem) -> RequestMoments:
    share = problem.profile.weight / problem.profile.total_weight

    def mean_and_deviation(work: NDArray[np.float64]) -> tuple[int, int]:
        mean = float((share * work).sum())
        variance = float((share * (work - mean) ** 2).sum())
        return round(mean), round(math.sqrt(variance))

    return RequestMoments(
        *mean_and_deviation(problem.cycles), *mean_and_deviation(problem.memory_ns)
    )


def _shortfalls(
    problem: TailProblem, cycles: TailTables, memory: TailTables
) -> Iterator[Shortfall]:
    """For each level, the first position whose added quantiles are certainly below the sum's.

    The quantile of the sum is from a histogram that rounds each request up by at most one bucket.
    """
    for level in problem.levels:
        counts = histogram(
            problem.service_ns(level.frequency_khz), problem.profile.weight, CHECK_BUCKETS
        )
        sums = tables_of(
            counts,
            quantile=problem.quantile,
            begins=(0.0, _BARELY_BEGUN),
            positions=problem.positions,
            most_positions=problem.positions,
        )
        rounded_up = counts.width * np.arange(1, problem.positions + 1)
        sum_ns = sums.left[0] - (0.0 if counts.share.size == 1 else rounded_up)
        served_ns = cycles.left[0] * NS_PER_MS / level.frequency_khz + memory.left[0]
        added_ns = served_ns[: problem.positions]
        short = np.flatnonzero(added_ns < sum_ns - 1)
        if short.size:
            first = int(short[0])
            rounded_us = round(added_ns[first] / NS_PER_US), round(sum_ns[first] / NS_PER_US)
            yield Shortfall(level.frequency_khz, first, *rounded_us)


def tail_settings(problem: TailProblem, solution: TailSolution) -> dict[str, int]:
    """Moments of a request, batch frequencies and table sizes, for the policy's evidence."""
    moments = solution.moments
    return pair_settings(problem, solution) | {
        "bound_us": problem.bound_us,
        "buckets": problem.buckets,
        "clock_khz": problem.clock_khz,
        "deviation_cycles": moments.deviation_cycles,
        "deviation_memory_ns": moments.deviation_memory_ns,
        "least_us": solution.least_us,
        "mean_cycles": moments.mean_cycles,
        "mean_memory_ns": moments.mean_memory_ns,
        "percentile_ppm": problem.percentile_ppm,
        "positions_convolved": problem.positions,
        "shortfalls": len(solution.shortfalls),
    }


def underestimated_sums(problem: TailProblem, solution: TailSolution) -> tuple[Finding, ...]:
    """Warn if the quantiles of cycles and of memory time add up to less than that of total time."""
    if not solution.shortfalls:
        return ()
    worst = max(solution.shortfalls, key=lambda each: each.sum_us - each.added_us)
    message = (
        f"at {len(solution.shortfalls)} of {len(problem.levels)} frequencies the tails of cycles "
        f"and of memory time add up to less than the tail of both together: "
        f"{format_us(worst.added_us)} instead of {format_us(worst.sum_us)} at "
        f"{format_khz(worst.frequency_khz)} for {_position_text(worst.position)}"
    )
    hint = "set `table.distribution: joint`, or check the percentile with `tailc verify`"
    return (Finding(Code.HOPEFUL_SUM, message, help=hint, severity=Severity.WARNING),)


def _position_text(position: int) -> str:
    return "a request alone" if position == 0 else f"a request behind {position}"
