"""Fit the time of a batch as a sum of non-decreasing, piecewise linear functions of amounts.

Each function is a combination of segments with non-negative slopes, found by non-negative least
squares (Lawson and Hanson, 1974) on relative errors. The number of segments is the one with the
least cross-validated error; ties go to fewer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SEGMENTS = (1, 2, 4, 8)
FOLDS = 5
# A larger number of segments must reduce the error by more than this part.
_GAIN = 0.02
# Smaller errors are of arithmetic.
_EXACT = 1e-9


@dataclass(frozen=True, eq=False)
class PartFit:
    """A piecewise linear function of one amount: knots, and values there; float64 (knots,).

    Both begin at 0.
    """

    knots: Floats
    values: Floats


@dataclass(frozen=True, eq=False)
class SumFit:
    """A fit of times as a constant plus a piecewise linear function of each amount.

    parts: the functions. error, worst: mean and largest relative error of the rows, each predicted
    by a fit without that row. segments: the largest number of segments of a function.
    """

    constant: float
    parts: tuple[PartFit, ...]
    error: float
    worst: float
    segments: int


def fit_sum(amounts: Sequence[Floats], values: Floats) -> SumFit:
    """Fit positive `values` by a constant plus a piecewise linear function of each amount.

    amounts, values: one value per row, float64 (rows,) each; amounts are 0 or more.
    """
    best = None
    for segments in SEGMENTS:
        errors = _cross_validated(amounts, values, segments)
        if best is None or errors.mean() < best[1].mean() * (1 - _GAIN) - _EXACT:
            best = segments, errors
    assert best is not None
    segments, errors = best
    knots = [_knots(amount, segments) for amount in amounts]
    constant, parts = _fit(amounts, values, knots)
    return SumFit(constant, parts, float(errors.mean()), float(errors.max()), segments)


def _cross_validated(amounts: Sequence[Floats], values: Floats, segments: int) -> Floats:
    """Relative error of each row, predicted by a fit to the other folds."""
    fold = np.arange(len(values)) % FOLDS
    knots = [_knots(amount, segments) for amount in amounts]
    errors = np.empty(len(values))
    for number in range(FOLDS):
        inside = fold == number
        if not inside.any():
            continue
        constant, parts = _fit([each[~inside] for each in amounts], values[~inside], knots)
        predicted = constant + sum(
            np.interp(amount[inside], part.knots, part.values)
            for amount, part in zip(amounts, parts, strict=True)
        )
        errors[inside] = np.abs(predicted / values[inside] - 1)
    return errors


def _knots(amount: Floats, segments: int) -> Floats:
    """Knots at quantiles of the distinct amounts, from 0 to the largest."""
    distinct = np.unique(np.append(amount, 0.0))
    if len(distinct) == 1:
        return np.array([0.0, 1.0])
    places = np.linspace(0, len(distinct) - 1, min(segments, len(distinct) - 1) + 1)
    return distinct[np.rint(places).astype(np.int64)]


def _fit(
    amounts: Sequence[Floats], values: Floats, knots: Sequence[Floats]
) -> tuple[float, tuple[PartFit, ...]]:
    from scipy.optimize import nnls

    columns = [np.ones((len(values), 1))]
    for amount, at in zip(amounts, knots, strict=True):
        widths = np.diff(at)
        # In units of the width, so that columns have similar sizes.
        columns.append(np.clip((amount[:, None] - at[:-1]) / widths, 0.0, 1.0))
    matrix = np.hstack(columns) / values[:, None]
    found, _ = nnls(matrix, np.ones(len(values)), maxiter=100 * matrix.shape[1])
    parts, first = [], 1
    for at in knots:
        rises = found[first : first + len(at) - 1]
        parts.append(PartFit(at, np.concatenate([[0.0], np.cumsum(rises)])))
        first += len(at) - 1
    return float(found[0]), tuple(parts)
