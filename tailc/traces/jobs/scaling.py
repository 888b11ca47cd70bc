"""Scale logs of other machines to a datacentre of a given size.

The published workloads were scaled in this way: two days of the log of a Blue Gene/P with 40,960
nodes (Intrepid), without 35 very large jobs, node counts divided by 24 and run times multiplied by
8 (Haque, Rutgers 2016, appendix A); or core counts mapped by a table (appendix B).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, TailcError
from tailc.percentiles import PPM
from tailc.traces.jobs.log import Applications, Ints, JobLog
from tailc.traces.split_keys import hash_key
from tailc.units import plural

GREEN_PERCENTS = (0, 25, 50, 75, 100)
PPM_PER_PERCENT = PPM // 100
# Weather forecasts covered two days, so longer jobs had no share of green energy (same source).
LONGEST_GREEN_S = 48 * 3_600
# Times of a log have 12 digits at most, so products stay within 64 bits.
MOST_TIMES = 1_000_000


class Widths(Protocol):
    """Protocol of a rule that changes the widths (numbers of processors) of jobs."""

    def applied_to(self, log: JobLog) -> JobLog:
        """Return the log with changed widths (numbers of processors) of its jobs."""
        ...


@dataclass(frozen=True)
class DividedWidths:
    """A rule that divides the widths (numbers of processors) of jobs by `by`, rounded up."""

    by: int = 1

    def __post_init__(self) -> None:
        if self.by < 1:
            raise ValueError("widths must be divided by at least 1")

    def applied_to(self, log: JobLog) -> JobLog:
        """Return the log with all widths divided by `by`, rounded up."""
        return replace(log, width=-(-log.width // self.by))


@dataclass(frozen=True)
class WidthMap:
    """A rule that replaces the widths of jobs by a table of old and new widths.

    otherwise: new width of jobs whose width is not in the table; None: they are an error.
    """

    widths: tuple[tuple[int, int], ...]
    otherwise: int | None = None

    def __post_init__(self) -> None:
        mapped = dict(self.widths)
        if len(mapped) < len(self.widths):
            raise ValueError("a width is mapped twice")
        targets = [*mapped.values(), *([] if self.otherwise is None else [self.otherwise])]
        if not targets or min([*mapped, *targets]) < 1:
            raise ValueError("widths must be mapped to at least 1")

    def applied_to(self, log: JobLog) -> JobLog:
        """Replace the widths of a log's jobs; TailcError for a width that is not in the table."""
        width = np.full(log.jobs, self.otherwise or 0, dtype=np.int64)
        for given, becomes in self.widths:
            width[log.width == given] = becomes
        if (unknown := width == 0).any():
            job = int(np.argmax(unknown))
            message = (
                f"job {log.number[job]} has the width {log.width[job]}, which is not in the table "
                "of widths"
            )
            help_ = "add the width to `map_width`, or add `others`"
            raise TailcError(Finding(Code.OUT_OF_RANGE, message, log.place(job), help_))
        return replace(log, width=width)


@dataclass(frozen=True)
class JobScaling:
    """How a log is scaled to a datacentre; changes are made in the order of the fields.

    drop_largest: number of the widest jobs to remove. multiply_run: factor on run times and
    requested times, which are rounded to seconds and at least 1.
    """

    drop_largest: int = 0
    widths: Widths = DividedWidths()
    multiply_run: Fraction | int = 1

    def __post_init__(self) -> None:
        if self.drop_largest < 0:
            raise ValueError("the number of dropped jobs must not be negative")
        if not 0 < self.multiply_run <= MOST_TIMES:
            raise ValueError(f"run times can be multiplied by at most {MOST_TIMES}")


def scaled_jobs(log: JobLog, scaling: JobScaling) -> JobLog:
    """Apply all changes of `scaling` to a log.

    Raises TailcError if no job remains, or a width is not in the table.
    """
    log = scaling.widths.applied_to(without_widest(log, scaling.drop_largest))
    return multiplied_runs(log, scaling.multiply_run)


def window(log: JobLog, start_s: int, length_s: int) -> JobLog:
    """Select the jobs submitted within `length_s` from `start_s`, which becomes second 0."""
    first, past = np.searchsorted(log.submit_s, [start_s, start_s + length_s])
    if first >= past:
        message = f"no job is submitted from `{start_s}` s to `{start_s + length_s}` s"
        last = "" if not log.jobs else f"; the last one is submitted at `{log.submit_s[-1]}` s"
        help_ = "choose a window within the log"
        raise TailcError(Finding(Code.EMPTY_TRACE, message + last, Place(log.source), help_))
    part = log.part(slice(int(first), int(past)))
    begun = log.header.start_unix_s
    header = replace(log.header, start_unix_s=None if begun is None else begun + start_s)
    return replace(part.shifted(-start_s), header=header)


def without_widest(log: JobLog, count: int) -> JobLog:
    """Remove the `count` widest jobs of a log; of equal widths the longest, then the last."""
    if count >= log.jobs:
        message = f"dropping {plural(count, 'job')} leaves none: there are {log.jobs}"
        help_ = "drop fewer, or take a longer window"
        raise TailcError(Finding(Code.EMPTY_TRACE, message, Place(log.source), help_))
    order = np.lexsort((np.arange(log.jobs), log.run_s, log.width))
    return log.part(np.sort(order[: log.jobs - count]))


def multiplied_runs(log: JobLog, by: Fraction | int) -> JobLog:
    """Multiply run times and requested times; rounded half up to seconds, at least 1."""
    run_s = np.maximum(_times(log.run_s, by), 1)
    requested_s = np.where(log.requested_s > 0, np.maximum(_times(log.requested_s, by), 1), 0)
    return replace(log, run_s=run_s, requested_s=requested_s)


def with_green_percents(
    log: JobLog,
    seed: int,
    percents: tuple[int, ...] = GREEN_PERCENTS,
    longest_s: int = LONGEST_GREEN_S,
) -> JobLog:
    """Give each job a random one of `percents` as the share of green energy that it requests.

    Each value is equally likely; jobs longer than `longest_s` get 0. The choice is a hash of the
    seed and the job number, so it does not depend on the other jobs.
    """
    drawn = (_keys(log, f"green {seed}") % np.uint64(len(percents))).astype(np.int64)
    green_ppm = np.array(percents, dtype=np.int64)[drawn] * PPM_PER_PERCENT
    green_ppm[log.run_s > longest_s] = 0
    return replace(log, green_ppm=green_ppm)


def with_applications(log: JobLog, counts: Mapping[str, int], seed: int) -> JobLog:
    """Assign each application to a number of jobs, `counts`; the seed determines which jobs."""
    if min(counts.values()) < 0 or (total := sum(counts.values())) != log.jobs:
        message = f"the counts of applications add up to `{sum(counts.values())}`, not {log.jobs}"
        help_ = "give each of the jobs an application"
        raise TailcError(Finding(Code.BAD_VALUE, message, Place(log.source), help_))
    application = np.empty(total, dtype=np.int64)
    order = np.lexsort((log.number, _keys(log, f"application {seed}")))
    application[order] = np.repeat(np.arange(len(counts)), list(counts.values()))
    return replace(log, applications=Applications(tuple(counts), application))


def with_application_mix(log: JobLog, weights: Mapping[str, int], seed: int) -> JobLog:
    """Assign an application to each job at random in the proportions of `weights`.

    The choice is a hash of the seed and the job number, so it does not depend on the other jobs.
    """
    if min(weights.values()) < 1:
        raise ValueError("weights of applications must be at least 1")
    past = np.cumsum(np.array(list(weights.values()), dtype=np.uint64))
    drawn = _keys(log, f"application {seed}") % past[-1]
    application = np.searchsorted(past, drawn, side="right").astype(np.int64)
    return replace(log, applications=Applications(tuple(weights), application))


def _times(values: Ints, by: Fraction | int) -> Ints:
    """Products rounded half up, in whole numbers of any size."""
    up, down = Fraction(by).as_integer_ratio()
    rounded = [(2 * value * up + down) // (2 * down) for value in values.tolist()]
    return np.array(rounded, dtype=np.int64)


def _keys(log: JobLog, salt: str) -> NDArray[np.uint64]:
    """A hash of the salt and the number of each job, the same on all machines."""
    keys = [hash_key(f"{salt} {number}") for number in log.number.tolist()]
    return np.array(keys, dtype=np.uint64)
