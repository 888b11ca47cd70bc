"""Fit models to measured rows, so that the machines can be replayed with other shares.

A model is fitted to the rows of each machine, and the residual of each step stays with that step:

    t_k = (a t_(k-1) + b r_k) m_k,    m_k = measured / (a measured before + b measured share).

Under the measured shares the machine does exactly what was measured; under other shares its phases
and its noise remain. If the rows give no stable model, for example because the share never changed,
throughput is assumed to be proportional to the share: a = 0.

A machine whose throughput does not follow a changing share had less work than it could do. Its
offered work is the measured work, and its capacity the most that it did at any share.

If waiting requests were recorded, a step in which none waited had no more work than was done. It
does not show the effect of the share, and a replay reports it to the controller, as the host would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.models.cpu_shares.plant import HostMachines
from tailc.traces.throughput import Pairs, Series, pairs

Floats = NDArray[np.float64]
# As in the compile: smaller differences between shares are noise.
SMALLEST_SPREAD = 0.01
# Standard errors by which the share must change the throughput, as in the compile.
SURELY = 3.0
# Fewest rows: with a constant, the throughput before and the share, this leaves one residual.
FEWEST_ROWS = 5


@dataclass(frozen=True, eq=False)
class RecordedMachine:
    """A model of one machine's throughput, fitted to measured rows.

    a, b: coefficients of the model. start: throughput before the first step. share, disturbed:
    measured share and fitted disturbance m of each step. offered: work per second in each step,
    infinite if more was offered than done. ran_out: bool, whether it was recorded that no request
    waited.
    """

    a: float
    b: float
    start: float
    share: Floats
    disturbed: Floats
    offered: Floats
    ran_out: NDArray[np.bool_]

    @property
    def most(self) -> float:
        """Throughput that the model gives with the whole host, at mean disturbance [work/s].

        At most the mean offered work.
        """
        could = self.b / (1 - self.a) * float(np.mean(self.disturbed))
        return min(could, float(np.mean(self.offered)))


def cut_to_common_time(series: Sequence[Series]) -> list[Series]:
    """Cut the measured rows of all machines to the time in which all of them were measured.

    Half a row may be outside.
    """
    first_us = max(int(each.time_us[0]) for each in series)
    last_us = min(int(each.time_us[-1]) for each in series)
    parts = []
    for each in series:
        half_us = each.interval_us / 2
        is_common = (each.time_us >= first_us - half_us) & (each.time_us <= last_us + half_us)
        parts.append(each.part(is_common))
    return parts


def fit_machine(series: Series, step_us: int) -> RecordedMachine | None:
    """Fit a model to the measured throughput of a machine.

    None if rows do not divide a step or do no work.
    """
    rows = pairs(series, step_us)
    if rows is None or not rows.now.any() or not rows.share.any():
        return None
    lag = round(step_us / series.interval_us)
    steps, busy = rows.part(slice(None, None, lag)), rows.with_work
    start, ran_out = float(steps.before[0]), ~steps.has_work
    if len(busy.now) < min(FEWEST_ROWS, len(rows.now)) or not _follows_share(busy):
        most = float(np.max(rows.now[rows.share > 0] / rows.share[rows.share > 0]))
        undisturbed = np.ones(len(steps.now))
        return RecordedMachine(0.0, most, start, steps.share, undisturbed, steps.now, ran_out)
    a, b = _model(busy)
    predicted = a * steps.before + b * steps.share
    with np.errstate(divide="ignore", invalid="ignore"):
        disturbed = np.where(predicted > 0, steps.now / predicted, 1.0)
    # Without more work the machine could have done at least what it did.
    disturbed = np.where(ran_out, np.maximum(disturbed, 1.0), disturbed)
    offered = np.where(ran_out, steps.now, np.inf)
    return RecordedMachine(a, b, start, steps.share, disturbed, offered, ran_out)


def machines_of(machines: Sequence[RecordedMachine]) -> HostMachines:
    """Put fitted machines on one host, for the number of steps that all of them have."""
    steps = min(len(machine.share) for machine in machines)
    nothing = np.zeros(len(machines))
    return HostMachines(
        a=np.array([[machine.a] * steps for machine in machines]),
        b=np.array([[machine.b] * steps for machine in machines]),
        disturbed=np.array([machine.disturbed[:steps] for machine in machines]),
        start=np.array([machine.start for machine in machines]),
        unit=nothing,
        contention=nothing,
        bend=nothing,
        offered=np.array([machine.offered[:steps] for machine in machines]),
        is_reported=np.array([machine.ran_out[:steps] for machine in machines]),
    )


def _follows_share(rows: Pairs) -> bool:
    """Whether throughput rises with the share beyond noise; True if the rows cannot show it."""
    if float(np.ptp(rows.share)) < SMALLEST_SPREAD or len(rows.now) < FEWEST_ROWS:
        return True
    others = np.column_stack([np.ones(len(rows.now)), rows.before])
    share, now = (
        each - others @ np.linalg.lstsq(others, each)[0] for each in (rows.share, rows.now)
    )
    spread = float(share @ share)
    slope = float(share @ now) / spread
    error = float(np.linalg.norm(now - slope * share)) / (len(now) - 3) ** 0.5 / spread**0.5
    return slope > SURELY * error


def _model(rows: Pairs) -> tuple[float, float]:
    if float(np.ptp(rows.share)) >= SMALLEST_SPREAD:
        regressors = np.column_stack([rows.before, rows.share])
        (a, b), *_ = np.linalg.lstsq(regressors, rows.now, rcond=None)
        if abs(a) < 1 and b > 0 and (a * rows.before + b * rows.share > 0).all():
            return float(a), float(b)
    return 0.0, float(rows.now.sum() / rows.share.sum())
