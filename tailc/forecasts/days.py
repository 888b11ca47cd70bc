"""Jobs and energy data of the same days, in the epochs of plans."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Finding
from tailc.forecasts.forecasts import Forecasts
from tailc.percentiles import PPM
from tailc.traces.jobs.log import JobLog
from tailc.traces.series.series import TimeSeries

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]

MW_PER_W = 1_000
UDOLLARS = 1_000_000
MG_PER_G = 1_000


@dataclass(frozen=True, eq=False)
class Energy:
    """Actual and expected energy, one value per epoch.

    power: green power [W]. price, carbon: of brown energy [$/kWh, g/kWh], with the same times.
    forecasts: of the power, with the same times; None if the power is known in advance.
    """

    power: TimeSeries
    price: TimeSeries
    carbon: TimeSeries
    forecasts: Forecasts | None = None

    def __post_init__(self) -> None:
        grids = {(one.start_unix_s, one.step_s, one.steps) for one in self.series}
        if len(grids) > 1:
            raise ValueError("power, price and carbon must have the same epochs")

    @property
    def series(self) -> tuple[TimeSeries, TimeSeries, TimeSeries]:
        """The actual green power [W], price [$/kWh] and CO2 [g/kWh]."""
        return self.power, self.price, self.carbon

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the epochs and their values, independent of the files."""
        hasher = hashlib.sha256(b"tailc energy 1\n")
        grid = (self.power.start_unix_s, self.power.step_s, self.power.steps)
        known = (one.known for one in self.series)
        for column in (np.array(grid), *self.actual_supply(slice(None)), *known):
            hasher.update(column.astype("<i8").tobytes())
        return hasher.hexdigest()

    def is_known(self, epochs: slice) -> bool:
        """Whether the energy and price of every one of these epochs are known."""
        return all(bool(one.known[epochs].all()) for one in self.series)

    def actual_supply(self, epochs: slice) -> tuple[Whole, Whole, Whole]:
        """Green power [mW], price [1e-6 dollars per kWh] and CO2 [mg/kWh] as they really were."""
        units = (MW_PER_W, UDOLLARS, MG_PER_G)
        green, price, carbon = (
            whole(one.value[epochs], unit) for one, unit in zip(self.series, units, strict=True)
        )
        return green, price, carbon

    def expected_mw(self, epoch: int, epochs: int) -> Whole:
        """Green power that the newest forecast at the start of `epoch` expects [mW].

        For `epochs` epochs from this one on; 0 after the forecast's end, or without a forecast.
        """
        if self.forecasts is None:
            return self.actual_supply(slice(epoch, epoch + epochs))[0]
        newest = int(np.searchsorted(self.forecasts.issue, epoch, side="right")) - 1
        if newest < 0:
            return np.zeros(epochs, np.int64)
        since = epoch - int(self.forecasts.issue[newest])
        value = whole(self.forecasts.value[newest, since : since + epochs], MW_PER_W)
        filled = np.zeros(epochs, value.dtype)
        filled[: len(value)] = value
        return filled


@dataclass(frozen=True, eq=False)
class Days:
    """Jobs and energy of a period of days, and the position of the plan in it.

    jobs: second 0 of the log is the start of epoch 0 of the energy. first, epochs: of the plan, in
    epochs of the energy. scenarios: float64 (scenarios, epochs) [W], alternative green power of the
    plan; empty if not requested.
    """

    jobs: JobLog
    energy: Energy
    first: int
    epochs: int
    scenarios: Floats
    warnings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.first < self.first + self.epochs <= self.energy.power.steps:
            raise ValueError("the epochs of a plan must be within those of its energy")
        if self.scenarios.shape[1:] != (self.epochs,):
            raise ValueError("scenarios must be float64 (scenarios, epochs of the plan)")

    @property
    def epoch_s(self) -> int:
        """Length of an epoch [s]."""
        return self.energy.power.step_s

    @property
    def start_unix_s(self) -> int:
        """Start of the plan [Unix s]."""
        return self.energy.power.start_unix_s + self.first * self.epoch_s

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the jobs and the time of the plan, independent of the files."""
        when = (self.energy.power.start_unix_s, self.epoch_s, self.first, self.epochs)
        return _digest(b"tailc days 1\n", [np.array(when), *_columns(self.jobs, 0)])

    @cached_property
    def jobs_digest(self) -> str:
        """SHA-256 of the jobs and their submit times, independent of the start of the plan."""
        start_unix_s = self.energy.power.start_unix_s
        return _digest(b"tailc jobs 1\n", _columns(self.jobs, start_unix_s))


def _columns(jobs: JobLog, start_unix_s: int) -> list[NDArray[np.int64]]:
    """Columns of the jobs, with submit times shifted by an offset."""
    columns = [jobs.number, jobs.submit_s + start_unix_s, jobs.run_s, jobs.width]
    columns += [] if jobs.green_ppm is None else _share_columns(jobs.green_ppm)
    columns += [] if jobs.applications is None else [jobs.applications.of_job]
    # Two columns, so that deadlines are not mistaken for another single column.
    deadlines = [] if jobs.deadline_s is None else [jobs.deadline_s + start_unix_s] * 2
    return columns + deadlines


def _share_columns(green_ppm: Whole) -> list[Whole]:
    """Shares in per cent if all are whole, as digests have always had them; else in millionths."""
    percent, rest = np.divmod(green_ppm, PPM // 100)
    return [green_ppm, np.array([PPM])] if rest.any() else [percent]


def _digest(salt: bytes, columns: Sequence[NDArray[np.int64]]) -> str:
    hasher = hashlib.sha256(salt)
    for column in columns:
        hasher.update(np.array(len(column)).astype("<i8").tobytes())
        hasher.update(column.astype("<i8").tobytes())
    return hasher.hexdigest()


def whole(values: Floats, unit: int) -> Whole:
    """Multiply values by `unit` and round to integers; for example W to mW with `unit` 1,000."""
    return np.rint(values * unit).astype(np.int64)
