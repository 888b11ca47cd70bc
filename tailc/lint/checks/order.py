"""Checks of the order of rows: whether it is sorted, drifts, or begins with a warm-up."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tailc.errors import Severity
from tailc.lint.defect import Check, Defect, Sighting
from tailc.lint.demand_rows import DemandRows
from tailc.traces.closed_loop import correlation, scaled_ranks

_ENOUGH = 200
_START_SHARE = 0.05
_SURE = 6.0
_TREND, _WARMER, _STEP, _FOLLOWS = 0.15, 1.25, 1.25, 0.2


def _is_looked_at(requests: DemandRows) -> bool:
    return requests.is_ordered and len(requests.demand) >= _ENOUGH


def _is_sorted(demand: np.ndarray) -> bool:
    steps = np.diff(demand)
    return bool((steps >= 0).all() or (steps <= 0).all())


def _sorted_demands(requests: DemandRows) -> Iterator[Sighting]:
    if _is_looked_at(requests) and np.ptp(requests.demand) and _is_sorted(requests.demand):
        message = f"all {len(requests.demand):,} rows are sorted by demand"
        yield Sighting(message, column=requests.column)


def _start(requests: DemandRows) -> int:
    return int(_START_SHARE * len(requests.demand))


def _is_warming(requests: DemandRows) -> bool:
    """Whether the first rows are significantly longer than the others."""
    ranks, rows = scaled_ranks(requests.demand), _start(requests)
    median = np.median(requests.demand[rows:])
    sure = ranks[:rows].mean() * np.sqrt(rows)
    return bool(sure > _SURE and np.median(requests.demand[:rows]) > _WARMER * median)


def _warm_up(requests: DemandRows) -> Iterator[Sighting]:
    if _is_looked_at(requests) and not _is_sorted(requests.demand) and _is_warming(requests):
        rows = _start(requests)
        times = np.median(requests.demand[:rows]) / np.median(requests.demand[rows:])
        message = f"the median of the first {rows:,} rows is {times:.2f} times that of the rest"
        yield Sighting(message, rows=(int(requests.row[0]),), column=requests.column)


def _without_warm_up(requests: DemandRows) -> np.ndarray:
    """The demands without the first rows, which may be warm-up."""
    return requests.demand[_start(requests) :]


def _jump(demand: np.ndarray) -> tuple[int, float, float]:
    """Position of the largest jump of ranks, its significance, and the share of variance that it
    explains."""
    ranks = scaled_ranks(demand)
    n = len(ranks)
    edge = n // 20
    at = np.arange(1, n)
    lead = ranks.cumsum()[:-1]
    sure = np.abs(lead) * np.sqrt(n / (at * (n - at)))
    where = int(np.argmax(sure[edge:-edge])) + edge + 1
    slope = np.linspace(-1, 1, n)
    straight = abs((ranks * slope).sum()) / np.sqrt((slope**2).sum())
    return where, float(sure[where - 1]), float(straight)


def _drift(requests: DemandRows) -> Iterator[Sighting]:
    demand = _without_warm_up(requests)
    if not _is_looked_at(requests) or _is_sorted(demand):
        return
    trend = correlation(np.arange(len(demand)), demand)
    _where, sure, straight = _jump(demand)
    if abs(trend) > _TREND and straight > max(_SURE, sure):
        way = "rise" if trend > 0 else "fall"
        message = f"demands {way} along the file: rank correlation with the row is {trend:.2f}"
        yield Sighting(message, column=requests.column)


def _level(requests: DemandRows) -> Iterator[Sighting]:
    demand = _without_warm_up(requests)
    if not _is_looked_at(requests) or _is_sorted(demand):
        return
    where, sure, straight = _jump(demand)
    times = float(np.median(demand[where:]) / np.median(demand[:where]))
    if sure > max(_SURE, straight) and max(times, 1 / times) > _STEP:
        row = int(requests.row[_start(requests) + where])
        message = f"from this row on, the median demand is {times:.2f} times that before it"
        yield Sighting(message, rows=(row,), column=requests.column)


def _following(requests: DemandRows) -> Iterator[Sighting]:
    """Correlation of neighbouring demands that is not due to a trend or a step."""
    demand = _without_warm_up(requests)
    if not _is_looked_at(requests) or _is_sorted(demand):
        return
    near = correlation(demand[1:], demand[:-1])
    far = correlation(demand[len(demand) // 4 :], demand[: -(len(demand) // 4)])
    if near > _FOLLOWS + max(far, 0) and near * np.sqrt(len(demand)) > _SURE:
        message = f"neighbouring demands are similar: their rank correlation is {near:.2f}"
        yield Sighting(message, column=requests.column)


CHECKS = (
    Check(
        Defect(
            "TC1311",
            "sorted-demand",
            Severity.WARNING,
            "rows are sorted by demand",
            "the order is lost, so drift is invisible, and rows held out by time are the tail",
            "keep the order of arrival, or hold out by seed or hash",
        ),
        DemandRows,
        _sorted_demands,
    ),
    Check(
        Defect(
            "TC1312",
            "warm-up",
            Severity.WARNING,
            "the first requests are longer",
            "caches and compilers were cold, unlike those of a running server",
            "leave the first rows out",
        ),
        DemandRows,
        _warm_up,
    ),
    Check(
        Defect(
            "TC1313",
            "drift",
            Severity.WARNING,
            "demands rise or fall along the file",
            "a policy for the mean fits no part of the file",
            "compile from a recent part, or from a part with steady demand",
        ),
        DemandRows,
        _drift,
    ),
    Check(
        Defect(
            "TC1314",
            "level-shift",
            Severity.WARNING,
            "demands change at one row, permanently",
            "the trace mixes two versions, machines or inputs",
            "keep only the rows after it, if they represent the service now",
        ),
        DemandRows,
        _level,
    ),
    Check(
        Defect(
            "TC1315",
            "alike-neighbours",
            Severity.WARNING,
            "neighbouring demands are similar",
            "demands are independent of the one before; waiting times are not",
            "check that the column is not a response time",
        ),
        DemandRows,
        _following,
    ),
)
