"""Measured rows made into machines that can be given other shares.

A model is fitted to the rows of each machine, and what it leaves of each step stays with that step:

    t_k = (a t_(k-1) + b r_k) m_k,    m_k = measured / (a measured before + b measured share).

Under the shares that were measured the machine does exactly what was measured; under others its
phases and its noise are what they were. Where the rows tell no stable model, as when the share
never changed, throughput is taken to be proportional to the share: a = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.models.cpu_shares.plant import Plant
from tailc.traces.throughput import Pairs, Series, pairs

Floats = NDArray[np.float64]
# As the compile has it: shares that differ by less say nothing that noise does not.
SMALLEST_SPREAD = 0.01


@dataclass(frozen=True, eq=False)
class RecordedMachine:
    """a, b, and what was measured in each step: before (at its start), share, disturbed."""

    a: float
    b: float
    start: float
    share: Floats
    disturbed: Floats

    @property
    def most(self) -> float:
        """Throughput at the whole host, as the model has it, disturbed as in the mean [work/s]."""
        return self.b / (1 - self.a) * float(np.mean(self.disturbed))


def together(series: Sequence[Series]) -> list[Series]:
    """Of each machine the rows from when all were measured: their steps begin within half a row."""
    first_us = max(int(each.time_us[0]) for each in series)
    last_us = min(int(each.time_us[-1]) for each in series)
    parts = []
    for each in series:
        half_us = each.interval_us / 2
        is_common = (each.time_us >= first_us - half_us) & (each.time_us <= last_us + half_us)
        parts.append(each.part(is_common))
    return parts


def recorded(series: Series, step_us: int) -> RecordedMachine | None:
    """The machine behind the rows; None where they do not divide a step, or nothing was done."""
    rows = pairs(series, step_us)
    if rows is None or not rows.now.any() or not rows.share.any():
        return None
    lag = round(step_us / series.interval_us)
    a, b = _model(rows)
    before, share, now = rows.before[::lag], rows.share[::lag], rows.now[::lag]
    said = a * before + b * share
    with np.errstate(divide="ignore", invalid="ignore"):
        disturbed = np.where(said > 0, now / said, 1.0)
    return RecordedMachine(a, b, float(before[0]), share, disturbed)


def plant_of(machines: Sequence[RecordedMachine]) -> Plant:
    """The machines on one host, for as many steps as all of them have."""
    steps = min(len(machine.share) for machine in machines)
    nothing = np.zeros(len(machines))
    return Plant(
        a=np.array([[machine.a] * steps for machine in machines]),
        b=np.array([[machine.b] * steps for machine in machines]),
        disturbed=np.array([machine.disturbed[:steps] for machine in machines]),
        start=np.array([machine.start for machine in machines]),
        unit=nothing,
        contention=nothing,
        bend=nothing,
    )


def _model(rows: Pairs) -> tuple[float, float]:
    if float(np.ptp(rows.share)) >= SMALLEST_SPREAD:
        regressors = np.column_stack([rows.before, rows.share])
        (a, b), *_ = np.linalg.lstsq(regressors, rows.now, rcond=None)
        if abs(a) < 1 and b > 0 and (a * rows.before + b * rows.share > 0).all():
            return float(a), float(b)
    return 0.0, float(rows.now.sum() / rows.share.sum())
