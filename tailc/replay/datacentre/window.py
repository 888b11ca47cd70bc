"""Days of jobs and of energy, cut from logs into windows that a replay runs through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tailc.forecasts.forecasts import Forecasts
from tailc.replay.datacentre.jobs import Submitted
from tailc.replay.datacentre.site import PPM, Supply, Whole
from tailc.traces.jobs.log import JobLog
from tailc.traces.jobs.scaling import window as part_of
from tailc.traces.series.series import TimeSeries

_MW_PER_W = 1_000
_UDOLLARS = 1_000_000
_MG_PER_G = 1_000


@dataclass(frozen=True, eq=False)
class Energy:
    """What energy there was, on the epochs of a replay, and what was expected.

    power: green [W]. price, carbon: of brown energy [$/kWh, g/kWh], on the same grid. forecasts: of
    the power, on its grid; None: it was known.
    """

    power: TimeSeries
    price: TimeSeries
    carbon: TimeSeries
    forecasts: Forecasts | None = None

    def __post_init__(self) -> None:
        grids = {(one.start_unix_s, one.step_s, one.steps) for one in self._series}
        if len(grids) > 1:
            raise ValueError("power, price and carbon are on the same epochs")

    @property
    def _series(self) -> tuple[TimeSeries, TimeSeries, TimeSeries]:
        return self.power, self.price, self.carbon

    def is_known(self, epochs: slice) -> bool:
        """Whether every value of the epochs is."""
        return all(bool(one.known[epochs].all()) for one in self._series)

    def supply(self, epochs: slice) -> Supply:
        """What these epochs brought, in whole numbers."""
        rows = zip(self._series, (_MW_PER_W, _UDOLLARS, _MG_PER_G), strict=True)
        green, price, carbon = (_whole(one.value[epochs], unit) for one, unit in rows)
        return Supply(green, price, carbon)


@dataclass(frozen=True, eq=False)
class Expected:
    """What is expected at each epoch of a window; price and carbon are known beforehand.

    first: the window's first epoch on the grid of `energy`.
    """

    energy: Energy
    first: int
    epochs: int

    def ahead(self, epoch: int, epochs: int) -> Supply:
        """Of the epochs from this one on; beyond the window's end all is 0."""
        known = min(epochs, self.epochs - epoch)
        at = self.first + epoch
        supply = self.energy.supply(slice(at, at + known))
        green = supply.green_mw if self.energy.forecasts is None else self._forecast(at, known)
        columns = (green, supply.brown_udollars_per_kwh, supply.brown_mg_per_kwh)
        return Supply(*(np.pad(one, (0, epochs - known)) for one in columns))

    def _forecast(self, at: int, epochs: int) -> Whole:
        """The newest forecast's values from that epoch on, 0 where it ends."""
        forecasts = self.energy.forecasts
        assert forecasts is not None
        newest = int(np.searchsorted(forecasts.issue, at, side="right")) - 1
        if newest < 0:
            return np.zeros(epochs, np.int64)
        since = at - int(forecasts.issue[newest])
        value = _whole(forecasts.value[newest, since : since + epochs], _MW_PER_W)
        return np.pad(value, (0, epochs - len(value)))


@dataclass(frozen=True, eq=False)
class Window:
    """Jobs, submitted from second 0 of the window on, and the energy that there was.

    start_unix_s: when the energy was.
    """

    start_unix_s: int
    jobs: JobLog
    supply: Supply
    expected: Expected

    def submitted(self) -> tuple[Submitted, ...]:
        """The jobs as a rigid replay takes them; none asks for green slots where none was drawn."""
        log = self.jobs
        green = np.zeros_like(log.width) if log.green_percent is None else log.green_percent
        columns = (log.number, log.submit_s, log.run_s, log.width, green * (PPM // 100))
        return tuple(
            Submitted(*row) for row in zip(*(one.tolist() for one in columns), strict=True)
        )


def windows(log: JobLog, energy: Energy, epochs: int) -> tuple[Window, ...]:
    """Windows of so many epochs, one after the other, that have jobs and energy that is known.

    The log's start falls together with that of the energy, whenever either was.
    """
    length_s = epochs * energy.power.step_s
    last_s = int(log.submit_s[-1]) if log.jobs else -1
    count = min(energy.power.steps // epochs, last_s // length_s + 1)
    found = []
    for number in range(count):
        within = slice(number * epochs, (number + 1) * epochs)
        has_jobs = bool(((log.submit_s // length_s) == number).any())
        if has_jobs and energy.is_known(within):
            jobs = part_of(log, number * length_s, length_s)
            start_unix_s = energy.power.start_unix_s + number * length_s
            expected = Expected(energy, number * epochs, epochs)
            found.append(Window(start_unix_s, jobs, energy.supply(within), expected))
    return tuple(found)


def _whole(values: np.ndarray, unit: int) -> Whole:
    return np.rint(values * unit).astype(np.int64)
