"""Fit the parameters of the power model to a trace of counters and measured power.

For each component, with its columns A [samples, parameters] and its power b:

    minimise  |A x - b|^2     s.t.  x >= 0

by fitting every set of parameters that are not 0, at most 31 sets: the optimum is the ordinary
least-squares fit of its set. The components are measured separately, because the total power does
not determine i_u V_u, the refresh power and the rest: all three are constant if the voltage of the
uncore is constant. The dissertation uses nonlinear least squares, but the problem is linear.

Columns of A are divided by their lengths. If the smallest singular value is then below SINGULAR
times the largest, some columns are combinations of others, and x is not unique. These are the
columns with a nonzero entry in a direction of the null space of A.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import NamedTuple

import numpy as np

from tailc_solvers.power.model import (
    CORE,
    DRAM,
    REST,
    UNCORE,
    CounterPowerModel,
    Floats,
    PowerCounters,
    Watts,
    columns_of,
)

SINGULAR = 1e-9
"""Share of the largest singular value below which columns cannot be separated."""

_SAME = 1e-14
"""Share of the sum of squares of power within which two fits count as equal."""

_SHARE = 1e-6
"""Least component of a unit vector for which a column is named; smaller ones are rounding."""


class Training(StrEnum):
    """Whether measured data determine the power parameters of a component.

    UNIQUE: they do. SINGULAR: other parameters fit equally well. UNUSED: a column is always zero.
    """

    UNIQUE = "unique"
    SINGULAR = "singular"
    UNUSED = "unused"


@dataclass(frozen=True)
class Component:
    """The fit of one component of a server's power model, with its quality.

    Attributes:
        status: whether the trace determines the parameters.
        parameters: none negative, in the order of their names; 0 for unused ones.
        residual_w: root mean square of measured less modelled power.
        condition: largest over smallest singular value of the scaled columns; inf unless unique.
        alike: names of columns that are linearly dependent, or zero.
    """

    status: Training
    parameters: tuple[float, ...]
    residual_w: float
    condition: float
    alike: tuple[str, ...]


@dataclass(frozen=True)
class TrainedModel:
    """A fitted power model of a server, with the fit of each of its components."""

    model: CounterPowerModel
    core: Component
    uncore: Component
    dram: Component
    rest: Component

    @property
    def is_unique(self) -> bool:
        parts = (self.core, self.uncore, self.dram, self.rest)
        return all(part.status is Training.UNIQUE for part in parts)


class ByComponent(NamedTuple):
    """One number for each component of a server's power, and one for the whole server."""

    core: float
    uncore: float
    dram: float
    rest: float
    total: float


@dataclass(frozen=True)
class Errors:
    """Errors of predicted power, by component.

    Attributes:
        absolute: mean |error| of a sample, as a share of the mean power of the whole server.
        long_term: |mean error|, as a share of the component's own mean power.
        absolute_w: mean |error| of the whole server.
    """

    absolute: ByComponent
    long_term: ByComponent
    absolute_w: float


def train(counters: PowerCounters, measured: Watts) -> TrainedModel:
    """Fit nonnegative parameters to measured power by least squares, for each component."""
    powers = (measured.core, measured.uncore, measured.dram, measured.rest)
    if measured.core.shape[0] != counters.volt.shape[0]:
        raise ValueError("power must have an entry for each sample of the counters")
    parts = [
        _component(columns, power, names)
        for columns, power, names in zip(
            columns_of(counters), powers, (CORE, UNCORE, DRAM, REST), strict=True
        )
    ]
    return TrainedModel(CounterPowerModel(*(part.parameters for part in parts)), *parts)


def _component(columns: Floats, power: Floats, names: tuple[str, ...]) -> Component:
    length = np.sqrt((columns**2).sum(axis=0))
    is_used = length > 0
    scaled = columns[:, is_used] / length[is_used]
    # The triangular factor has the same sums of squares, and few rows.
    q, r = np.linalg.qr(scaled)
    found = np.zeros(len(names))
    found[is_used] = _least_squares(r, q.T @ power) / length[is_used]
    residual = math.sqrt(float(np.mean((power - columns @ found) ** 2)))
    used = [name for name, is_one in zip(names, is_used, strict=True) if is_one]
    alike, condition = _alike(r, used)
    status = Training.SINGULAR if alike else Training.UNIQUE
    if not is_used.all():
        status, condition = Training.UNUSED, math.inf
        alike = tuple(name for name in names if name not in used)
    return Component(status, tuple(map(float, found)), residual, condition, alike)


def _least_squares(r: Floats, b: Floats) -> Floats:
    """The x >= 0 of the least |r x - b|; ties go to the one with fewest and first entries."""
    columns = r.shape[1]
    best, best_squares = np.zeros(columns), float(b @ b)
    for size in range(1, columns + 1):
        for chosen in map(list, combinations(range(columns), size)):
            x, _, rank, _ = np.linalg.lstsq(r[:, chosen], b, rcond=SINGULAR)
            if rank < size or x.min() < 0:
                continue
            squares = float(((r[:, chosen] @ x - b) ** 2).sum())
            if squares < best_squares - _SAME * float(b @ b):
                best, best_squares = np.zeros(columns), squares
                best[chosen] = x
    return best


def _alike(r: Floats, names: list[str]) -> tuple[tuple[str, ...], float]:
    """Linearly dependent columns, and the condition of all."""
    if not names:
        return (), math.inf
    _, found, directions = np.linalg.svd(r)
    # With fewer samples than columns the last values do not exist.
    values = np.pad(found, (0, len(names) - found.size))
    lost = np.abs(directions[values <= SINGULAR * values[0]])
    if lost.size == 0:
        return (), float(values[0] / values[-1])
    shares = lost.max(axis=0).tolist()
    alike = (name for name, share in zip(names, shares, strict=True) if share > _SHARE)
    return tuple(alike), math.inf


def errors(predicted: Watts, measured: Watts) -> Errors:
    """Compute the errors of predicted against measured power."""
    by = [(getattr(predicted, name), getattr(measured, name)) for name in ByComponent._fields]
    scale = float(measured.total.mean())
    absolute = [float(np.abs(ours - theirs).mean()) for ours, theirs in by]
    long_term = [abs(float((ours - theirs).mean())) / float(theirs.mean()) for ours, theirs in by]
    return Errors(
        ByComponent(*(watts / scale for watts in absolute)), ByComponent(*long_term), absolute[-1]
    )
