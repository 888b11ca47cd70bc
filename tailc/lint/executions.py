"""Recognise tables whose rows are executions of the same requests on several numbers of threads."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.lint.sampled_columns import SampledColumns
from tailc.traces.telling_names import DEGREES, REQUESTS, degrees_of, requests_of

# Further executions on the same number of threads are demands of a request, as other rows are.
_OF_REPETITIONS = re.compile(
    r"(rep|repeat|repetition|run|round|iteration|trial|attempt|try|retry|retrie)s?"
    r"([ _]?(no|id|#))?",
    re.IGNORECASE,
)
# Least share of the pairs of a request and a degree that exist, and that have equally many rows.
_COMPLETE, _EVEN = 0.6, 0.8
# Least share of the variance of log time that requests explain, adjusted for their number.
_EXPLAINED = 0.5
# Least difference of mean log times, in standard errors, and absolute.
_CLEARLY, _LEAST_GAIN = 3.0, 0.05

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class ExecutionColumns:
    """Columns of a trace with one row per execution of a request: the request and the degree.

    is_named: whether the columns were recognised by their names.
    """

    request: str
    degree: str
    is_named: bool


def execution_columns(sample: SampledColumns) -> ExecutionColumns | None:
    """Find the most likely columns of requests and degrees in a table of executions.

    None if rows do not look like executions. The pairs of request and degree are nearly complete,
    with equal numbers of rows. Unless the columns have the names that specs use by default, the
    time of a row must also depend on the request, and be shorter at the largest degree than at the
    least.
    """
    small = tuple(name for name in sample.small if not _OF_REPETITIONS.fullmatch(name.strip()))
    requests, degrees = requests_of(tuple(sample.codes)), degrees_of(small)
    for degree in dict.fromkeys((*degrees, *small)):
        for request in dict.fromkeys((*requests, *sample.codes)):
            if request != degree and _are_executions(sample, request, degree):
                is_named = request in requests and degree in degrees
                return ExecutionColumns(request, degree, is_named)
    return None


def _are_executions(sample: SampledColumns, request_name: str, degree_name: str) -> bool:
    good = np.isfinite(sample.demand) & (sample.demand > 0)
    request, degree = sample.codes[request_name][good], sample.codes[degree_name][good]
    requests, degrees = len(np.unique(request)), len(np.unique(degree))
    if not 2 <= degrees <= requests < len(request):
        return False
    rows_of_pair = np.unique(request * (degree.max() + 1) + degree, return_counts=True)[1]
    evenness = np.bincount(rows_of_pair).max() / len(rows_of_pair)
    if len(rows_of_pair) < _COMPLETE * requests * degrees or evenness < _EVEN:
        return False
    if request_name in REQUESTS and degree_name in DEGREES:
        return True
    log_time = np.log(sample.demand[good])
    is_of_request = _explained(log_time, request, degree) >= _EXPLAINED
    return is_of_request and _is_faster(log_time - _means(log_time, request), degree)


def _explained(values: NDArray[np.float64], request: Codes, degree: Codes) -> float:
    """The share of the variance that requests explain after the means of degrees are subtracted."""
    rest = values - _means(values, degree)
    total = float(rest.var(ddof=1))
    if total == 0:
        return 0.0
    freedom = len(rest) - len(np.unique(request))
    return 1 - float(((rest - _means(rest, request)) ** 2).sum()) / freedom / total


def _is_faster(rest: NDArray[np.float64], degree: Codes) -> bool:
    """Whether times are clearly shorter at the largest degree; rest: without those of requests."""
    least, most = (rest[degree == one] for one in (degree.min(), degree.max()))
    error = math.hypot(*(float(part.std()) / math.sqrt(len(part)) for part in (least, most)))
    return float(least.mean() - most.mean()) > max(_CLEARLY * error, _LEAST_GAIN)


def _means(values: NDArray[np.float64], group: Codes) -> NDArray[np.float64]:
    """For each value, the mean of its group."""
    total, count = np.bincount(group, values), np.bincount(group)
    return total[group] / count[group]
